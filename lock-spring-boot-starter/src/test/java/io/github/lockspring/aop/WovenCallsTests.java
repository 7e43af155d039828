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

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.aspectj.weaver.loadtime.Agent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for calls that are intercepted by woven code instead of proxies, in a process
 * with the agent of AspectJ.
 */
class WovenCallsTests {

	@Test
	void methodsThatNoProxyInterceptsAreLocked(@TempDir Path folder) throws Exception {
		Path output = folder.resolve("output");
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-javaagent:" + agent(), "-Dorg.aspectj.weaver.loadtime.configuration=" + weaving(folder), "-cp",
				System.getProperty("java.class.path"), WovenProgram.class.getName())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
		}
		finally {
			process.destroyForcibly();
		}
		assertThat(Files.readString(output, StandardCharsets.ISO_8859_1)).contains("early: refused", "private: true",
				"static: true", "unlocked: false");
	}

	private static Path agent() throws Exception {
		return Path.of(Agent.class.getProtectionDomain().getCodeSource().getLocation().toURI());
	}

	private static String weaving(Path folder) throws Exception {
		return "file:" + Files.writeString(folder.resolve("aop.xml"), """
				<aspectj>
					<weaver><include within="%s..*"/></weaver>
					<aspects><aspect name="%s"/></aspects>
				</aspectj>
				""".formatted(WovenProgram.class.getName(), WovenLocks.class.getName()));
	}

}
