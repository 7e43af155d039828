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

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.util.FileSystemUtils;
import org.springframework.util.unit.DataSize;

/**
 * Temporary folders that are deleted when the JVM ends, if not before. They are created
 * in the folder of the system property {@code lock.test.folder} if there is plenty of
 * room, and in the system's folder for temporary files otherwise.
 */
final class TemporaryFolder {

	private static final long PLENTY = DataSize.ofGigabytes(4).toBytes();

	private static final Set<Path> FOLDERS = ConcurrentHashMap.newKeySet();

	static {
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			ServerProcess.killAll();
			FOLDERS.forEach(TemporaryFolder::delete);
		}));
	}

	private TemporaryFolder() {
	}

	static Path create(String name) {
		try {
			Path folder = createIn(System.getProperty("lock.test.folder", ""), "lock-test-" + name + "-");
			FOLDERS.add(folder);
			return folder;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Path createIn(String parent, String prefix) throws IOException {
		boolean usable = !parent.isEmpty() && new File(parent).getUsableSpace() > PLENTY;
		return usable ? Files.createTempDirectory(Path.of(parent), prefix) : Files.createTempDirectory(prefix);
	}

	static void delete(Path folder) {
		try {
			FileSystemUtils.deleteRecursively(folder);
			FOLDERS.remove(folder);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
