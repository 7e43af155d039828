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

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.aspectj.bridge.MessageHandler;
import org.aspectj.tools.ajc.Main;
import org.aspectj.weaver.loadtime.Agent;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.transaction.aspectj.AnnotationTransactionAspect;

import io.github.lockspring.aop.aspectj.DistributedLockAspect;
import io.github.lockspring.server.Torture;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DistributedLockAspect}: those of {@link WovenCalls}, in a process
 * whose classes are woven when they are loaded, and in one whose classes were woven
 * before.
 */
class WovenCallsServerTests {

	private static final String CLASS_PATH = System.getProperty("java.class.path");

	@TempDir
	private Path folder;

	@TestFactory
	Stream<DynamicTest> wovenByTheAgent() throws Exception {
		return resultsOf("-javaagent:" + jarOf(Agent.class),
				"-Dorg.aspectj.weaver.loadtime.configuration=file:" + configuration(), "-cp", CLASS_PATH);
	}

	@TestFactory
	@Torture(alsoIn = "WovenCallsServerTests#wovenByTheAgent")
	Stream<DynamicTest> wovenByTheCompiler() throws Exception {
		return resultsOf("-cp", compiled() + File.pathSeparator + CLASS_PATH);
	}

	private Stream<DynamicTest> resultsOf(String... options) throws Exception {
		String output = run(options);
		return WovenProgram.tests()
			.stream()
			.map((test) -> DynamicTest.dynamicTest(test, () -> assertThat(output).contains(WovenProgram.passed(test))));
	}

	private String run(String... options) throws Exception {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.add("-XX:TieredStopAtLevel=1");
		command.addAll(List.of(options));
		command.add(WovenProgram.class.getName());
		Path output = this.folder.resolve("output");
		Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
		try {
			assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
		}
		finally {
			process.destroyForcibly();
		}
		return Files.readString(output, StandardCharsets.ISO_8859_1);
	}

	/**
	 * A configuration as that of an application.
	 */
	private Path configuration() throws IOException {
		return Files.writeString(this.folder.resolve("aop.xml"), """
				<aspectj>
					<weaver><include within="%s..*"/></weaver>
					<aspects>
						<aspect name="%s"/>
						<aspect name="%s"/>
					</aspects>
				</aspectj>
				""".formatted(WovenClasses.class.getName(), DistributedLockAspect.class.getName(),
				AnnotationTransactionAspect.class.getName()));
	}

	private Path compiled() throws Exception {
		Path classes = this.folder.resolve("classes");
		copyClasses(classes);
		Path woven = this.folder.resolve("woven");
		MessageHandler messages = new MessageHandler();
		new Main().run(new String[] { "-17", "-inpath", classes.toString(), "-aspectpath",
				jarOf(DistributedLockAspect.class) + File.pathSeparator + jarOf(AnnotationTransactionAspect.class),
				"-classpath", CLASS_PATH, "-d", woven.toString() }, messages);
		assertThat(messages.getErrors()).isEmpty();
		return woven;
	}

	private static void copyClasses(Path target) throws Exception {
		Path source = jarOf(WovenClasses.class);
		Path home = source.resolve(WovenClasses.class.getPackageName().replace('.', '/'));
		Files.createDirectories(target.resolve(source.relativize(home)));
		try (Stream<Path> files = Files.list(home)) {
			for (Path file : files.filter(WovenCallsServerTests::isWoven).toList()) {
				Files.copy(file, target.resolve(source.relativize(file)));
			}
		}
	}

	private static boolean isWoven(Path file) {
		return file.getFileName().toString().startsWith(WovenClasses.class.getSimpleName());
	}

	private static Path jarOf(Class<?> type) throws URISyntaxException {
		return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
	}

}
