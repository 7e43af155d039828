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

package io.github.lockspring.torture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.github.lockspring.simulator.history.Event;
import io.github.lockspring.simulator.history.LockFact.Granted;
import io.github.lockspring.simulator.history.LockFact.LossTold;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Journal}.
 */
class JournalTests {

	@TempDir
	private Path folder;

	@Test
	void eventsAreReadAgain() {
		Path file = this.folder.resolve("a.journal");
		Journal journal = new Journal(file, "a");
		journal.append(2, "worker", new Granted(1, 5));
		journal.append(1, "worker", new LossTold(1));
		assertThat(Journal.read(file)).containsExactly(new Event(2, "a", "worker", new Granted(1, 5)),
				new Event(1, "a", "worker", new LossTold(1)));
		assertThat(Journal.files(this.folder)).containsExactly(file);
	}

	@Test
	void eventThatWasNotWrittenInTimeIsLeftOut() throws IOException {
		Path file = this.folder.resolve("a.journal");
		new Journal(file, "a").append(1, "worker", new LossTold(1));
		Files.writeString(file, "2 a worker loss-to", StandardOpenOption.APPEND);
		assertThat(Journal.read(file)).containsExactly(new Event(1, "a", "worker", new LossTold(1)));
	}

}
