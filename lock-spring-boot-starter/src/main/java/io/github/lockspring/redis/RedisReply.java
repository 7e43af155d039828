/*
 * Copyright 2026 the lock-spring-boot-starter authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.lockspring.redis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reply of a script: numbers, or texts.
 */
final class RedisReply {

	private long[] numbers = new long[3];

	private int count;

	private List<String> texts = List.of();

	private long acknowledgements;

	void add(long number) {
		if (this.count == this.numbers.length) {
			this.numbers = Arrays.copyOf(this.numbers, 4 * this.count);
		}
		this.numbers[this.count++] = number;
	}

	void add(String text) {
		if (this.texts.isEmpty()) {
			this.texts = new ArrayList<>();
		}
		this.texts.add(text);
	}

	long number(int index) {
		if (index >= this.count) {
			throw new IllegalStateException("The script answered with " + this.count + " numbers");
		}
		return this.numbers[index];
	}

	/**
	 * Return how many numbers there are.
	 */
	int size() {
		return this.count;
	}

	List<String> texts() {
		return this.texts;
	}

	/**
	 * Return whether the script has changed something that replicas may have to
	 * acknowledge: the reply is a single text, or begins with a positive number.
	 */
	boolean isChange() {
		return (this.count > 0) ? this.numbers[0] > 0 : !this.texts.isEmpty();
	}

	void acknowledgedBy(long replicas) {
		this.acknowledgements = replicas;
	}

	/**
	 * Return the number of replicas that have acknowledged the change, 0 if that was not
	 * required.
	 */
	long acknowledgements() {
		return this.acknowledgements;
	}

}
