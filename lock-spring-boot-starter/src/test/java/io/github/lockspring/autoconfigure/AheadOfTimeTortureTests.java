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

package io.github.lockspring.autoconfigure;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;

import io.github.lockspring.faults.ChildJvms;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.server.Torture;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that is processed ahead of time, as by the plug-ins of Spring Boot,
 * compiled, and started from what was generated.
 */
@Timeout(300)
@Torture(alsoIn = { "LockRuntimeHintsTests", "AheadOfTimeServerTests" })
class AheadOfTimeTortureTests {

	private final ChildJvms jvms = new ChildJvms();

	private final Queue<String> output = new ConcurrentLinkedQueue<>();

	@TempDir
	private Path folder;

	@AfterEach
	void close() {
		this.jvms.close();
	}

	@Test
	void locksInDatabaseWork() throws Exception {
		process("--lock.backend=jdbc");
		run("--lock.backend=jdbc");
		assertThat(this.output).contains(AheadOfTimeApplication.DONE + "[jdbc]");
	}

	/**
	 * The address is that of the run, not that of the build.
	 */
	@Test
	void locksInRedisWork() throws Exception {
		process("--lock.backend=redis");
		try (RedisServer server = RedisServer.start()) {
			run("--lock.backend=redis", "--spring.data.redis.host=" + server.host(),
					"--spring.data.redis.port=" + server.port());
		}
		assertThat(this.output).contains(AheadOfTimeApplication.DONE + "[redis]");
	}

	private static Stream<String> arguments(String... arguments) {
		return Stream.concat(Stream.of("--spring.main.web-application-type=none"), Stream.of(arguments));
	}

	private void process(String... arguments) throws Exception {
		String classPath = System.getProperty("java.class.path");
		Stream<String> own = Stream.of(AheadOfTimeApplication.class.getName(), folder("sources").toString(),
				folder("resources").toString(), folder("classes").toString(), "io.github.lockspring", "tests");
		await(this.jvms.start(List.of(), classPath, SpringApplicationAotProcessor.class,
				Stream.concat(own, arguments(arguments)).toArray(String[]::new)));
		compile(classPath);
	}

	private Path folder(String name) throws IOException {
		return Files.createDirectories(this.folder.resolve(name));
	}

	private void compile(String classPath) throws IOException {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		String classes = folder("classes").toString();
		try (Stream<Path> sources = Files.walk(folder("sources"));
				StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
			List<Path> generated = sources.filter((path) -> path.toString().endsWith(".java")).toList();
			assertThat(generated).isNotEmpty();
			assertThat(compiler
				.getTask(null, files, null,
						List.of("-proc:none", "-nowarn", "-d", classes, "-cp",
								classes + File.pathSeparator + classPath),
						null, files.getJavaFileObjectsFromPaths(generated))
				.call()).isTrue();
		}
	}

	private void run(String... arguments) throws Exception {
		List<String> classPath = List.of(folder("classes").toString(), folder("resources").toString(),
				System.getProperty("java.class.path"));
		await(this.jvms.start(List.of("-Dspring.aot.enabled=true"), String.join(File.pathSeparator, classPath),
				AheadOfTimeApplication.class, arguments(arguments).toArray(String[]::new)));
		assertThat(this.output).anyMatch((line) -> line.contains("Starting AOT-processed AheadOfTimeApplication"));
	}

	private void await(Process process) throws InterruptedException {
		process.inputReader().lines().forEach(this.output::add);
		assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
		assertThat(process.exitValue()).as(() -> String.join("\n", this.output)).isZero();
	}

}
