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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ProgramFolder}.
 */
class ProgramFolderTests {

	private final String name = "test-" + UUID.randomUUID();

	@AfterEach
	void deleteFolder() {
		TemporaryFolder.delete(ProgramFolder.get(this.name, (folder) -> {
		}));
	}

	@Test
	void folderIsFilledOnce() {
		Path folder = ProgramFolder.get(this.name, (draft) -> Files.writeString(draft.resolve("file"), "first"));
		assertThat(folder.resolve("file")).hasContent("first");
		assertThat(ProgramFolder.get(this.name, (draft) -> Files.writeString(draft.resolve("file"), "second")))
			.isEqualTo(folder);
		assertThat(folder.resolve("file")).hasContent("first");
	}

	@Test
	void folderOfTheFasterStays() {
		Path folder = ProgramFolder.get(this.name, (draft) -> {
			Path other = Files.createDirectories(draft.resolveSibling(this.name));
			Files.writeString(other.resolve("file"), "faster");
			Files.writeString(draft.resolve("file"), "slower");
		});
		assertThat(folder.resolve("file")).hasContent("faster");
		assertThat(drafts(folder)).isEmpty();
	}

	@Test
	void failureLeavesNothing() {
		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> ProgramFolder.get(this.name, (draft) -> {
			Files.writeString(draft.resolve("file"), "half");
			throw new IOException("full");
		}));
		Path folder = ProgramFolder.get(this.name, (draft) -> Files.writeString(draft.resolve("file"), "whole"));
		assertThat(folder.resolve("file")).hasContent("whole");
		assertThat(drafts(folder)).isEmpty();
	}

	private String[] drafts(Path folder) {
		String[] names = folder.getParent().toFile().list((parent, file) -> file.startsWith(this.name + "-"));
		return (names != null) ? names : new String[0];
	}

}
