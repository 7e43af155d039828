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
package io.github.lockspring.server;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Finds the frames in one direction of a connection: four bytes of length, then as many
 * bytes.
 */
final class ZooKeeperFrameReader {

	/**
	 * What is longer is something else, such as a four-letter word.
	 */
	private static final int MAX_LENGTH = 16 * 1024 * 1024;

	private byte[] pending = {};

	private boolean framed = true;

	/**
	 * Read on.
	 * @param bytes the bytes that have arrived
	 * @return the frames that are complete now
	 */
	List<ZooKeeperFrame> read(byte[] bytes) {
		List<ZooKeeperFrame> frames = new ArrayList<>();
		if (!this.framed) {
			return frames;
		}
		int before = this.pending.length;
		byte[] all = Arrays.copyOf(this.pending, before + bytes.length);
		System.arraycopy(bytes, 0, all, before, bytes.length);
		int position = 0;
		for (int end = end(all, position); end <= all.length; end = end(all, position)) {
			frames.add(new ZooKeeperFrame(Math.max(0, position - before),
					Arrays.copyOfRange(all, position + Integer.BYTES, end)));
			position = end;
		}
		this.pending = Arrays.copyOfRange(all, position, all.length);
		return frames;
	}

	private int end(byte[] all, int position) {
		if (all.length - position < Integer.BYTES) {
			return Integer.MAX_VALUE;
		}
		int length = ByteBuffer.wrap(all).getInt(position);
		this.framed = length >= 2 * Integer.BYTES && length <= MAX_LENGTH;
		return this.framed ? position + Integer.BYTES + length : Integer.MAX_VALUE;
	}

}
