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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Folders with the programs of servers, and with data that new servers start from. They
 * are filled once and stay in the {@code target} folder of the module, for all JVMs;
 * where there is none, they are temporary.
 */
final class ProgramFolder {

	private static final Path ROOT = root();

	private ProgramFolder() {
	}

	private static Path root() {
		Path target = Path.of("target").toAbsolutePath();
		return Files.isDirectory(target) ? target.resolve("test-servers") : TemporaryFolder.create("servers");
	}

	/**
	 * Return a folder. One that is not there yet is filled by one JVM, under another
	 * name, and then moved, so that it is complete as soon as it is there.
	 * @param name its name, which changes with its content
	 * @param filler writes what belongs into it
	 * @return the folder
	 */
	static synchronized Path get(String name, Filler filler) {
		Path folder = ROOT.resolve(name);
		if (!Files.isDirectory(folder)) {
			fillOnce(folder, filler);
		}
		return folder;
	}

	private static void fillOnce(Path folder, Filler filler) {
		try {
			Files.createDirectories(ROOT);
			try (FileChannel file = FileChannel.open(ROOT.resolve(folder.getFileName() + ".lock"),
					StandardOpenOption.CREATE, StandardOpenOption.WRITE); FileLock lock = file.lock()) {
				if (!Files.isDirectory(folder)) {
					fill(folder, filler);
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void fill(Path folder, Filler filler) throws IOException {
		Path draft = ROOT
			.resolve(folder.getFileName() + "-" + Long.toHexString(ThreadLocalRandom.current().nextLong()));
		try {
			Files.createDirectories(draft);
			filler.fill(draft);
			move(draft, folder);
		}
		finally {
			TemporaryFolder.delete(draft);
		}
	}

	private static void move(Path draft, Path folder) throws IOException {
		try {
			Files.move(draft, folder, StandardCopyOption.ATOMIC_MOVE);
		}
		catch (IOException ex) {
			if (!Files.isDirectory(folder)) {
				throw ex;
			}
			// Another JVM was faster, where files cannot be locked
		}
	}

	/**
	 * Writes the content of a folder.
	 */
	interface Filler {

		void fill(Path folder) throws IOException;

	}

}
