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
package io.github.lockspring.benchmarks.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Notices when a key is held twice at once, be it by two processes: a holder puts up a
 * flag, in memory that they share. It costs some nanoseconds.
 */
public final class Occupancy {

	private static final VarHandle FLAG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

	private static final long FREE = 0;

	private static final long OCCUPIED = 1;

	private final ByteBuffer memory;

	private final boolean checked;

	private Occupancy(ByteBuffer memory, boolean checked) {
		this.memory = memory;
		this.checked = checked;
	}

	/**
	 * For contestants that exclude no thread, and for keys that no other thread requests.
	 * @return one that notices nothing
	 */
	public static Occupancy unchecked() {
		return new Occupancy(ByteBuffer.allocate(0), false);
	}

	public static Occupancy ofThisProcess() {
		return new Occupancy(ByteBuffer.allocateDirect(Long.BYTES), true);
	}

	/**
	 * For several processes.
	 * @param file a file that is empty at first
	 * @return one that all processes share
	 */
	public static Occupancy in(Path file) {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			return new Occupancy(channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES), true);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	void begin() {
		if (this.checked && !FLAG.compareAndSet(this.memory, 0, FREE, OCCUPIED)) {
			throw new IllegalStateException("Held twice at once");
		}
	}

	void end() {
		if (this.checked && !FLAG.compareAndSet(this.memory, 0, OCCUPIED, FREE)) {
			throw new IllegalStateException("Held twice at once");
		}
	}

}
