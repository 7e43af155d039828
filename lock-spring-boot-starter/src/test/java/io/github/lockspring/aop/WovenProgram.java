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

package io.github.lockspring.aop;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;

/**
 * Runs the tests of {@link WovenCalls} in a process of its own, in which classes are
 * woven, and prints how each of them ended.
 */
final class WovenProgram {

	private WovenProgram() {
	}

	/**
	 * The names of the tests.
	 */
	static List<String> tests() {
		return Arrays.stream(WovenCalls.class.getDeclaredMethods())
			.filter((method) -> method.isAnnotationPresent(Test.class))
			.map(Method::getName)
			.sorted()
			.toList();
	}

	/**
	 * What is printed when a test has passed.
	 */
	static String passed(String test) {
		return "[passed " + test + "]";
	}

	public static void main(String[] args) throws Exception {
		for (String test : tests()) {
			run(WovenCalls.class.getDeclaredMethod(test));
		}
		System.exit(0);
	}

	private static void run(Method test) throws Exception {
		try {
			test.invoke(new WovenCalls());
			System.out.println(passed(test.getName()));
		}
		catch (InvocationTargetException ex) {
			System.out.println("[failed " + test.getName() + "]");
			ex.getTargetException().printStackTrace(System.out);
		}
	}

}
