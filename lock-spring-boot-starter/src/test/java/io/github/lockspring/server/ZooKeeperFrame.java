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
import java.nio.charset.StandardCharsets;

/**
 * A request, reply or event of the protocol of ZooKeeper, without its length.
 *
 * @param start where it begins in the bytes that have arrived last; 0 if it began before
 * @param content its bytes
 */
record ZooKeeperFrame(int start, byte[] content) {

	int xid() {
		return ByteBuffer.wrap(this.content).getInt();
	}

	int opCode() {
		return ByteBuffer.wrap(this.content).getInt(Integer.BYTES);
	}

	String text() {
		return new String(this.content, StandardCharsets.ISO_8859_1);
	}

}
