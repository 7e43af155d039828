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
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.github.lockspring.support.JavaCode;

/**
 * Real applications with Spring Security.
 */
class SpringSecurityServerTests {

	@TempDir
	private static Path classes;

	private static List<String> classPath;

	private static ClassPathApplications applications;

	@BeforeAll
	static void start() {
		Stream<String> security = ClassPathApplications.otherLibraries("spring-.*");
		classPath = Stream.concat(ClassPathApplications.classPath(), security).toList();
		applications = new ClassPathApplications(Stream.concat(classPath.stream(), Stream.of(classes.toString())));
	}

	@AfterAll
	static void close() throws IOException {
		applications.close();
	}

	@Test
	void defaultsOfSpringSecurityRejectAForcedRelease() throws Exception {
		applications.run(SecuredApplication.class, Stream.of("expected=401"));
	}

	@Test
	void filterChainOfThePagePermitsAForcedRelease() throws Exception {
		String chain = JavaCode.blocksOf(Path.of("..", "docs", "operations", "endpoint.md"))
			.stream()
			.filter((block) -> block.contains("SecurityFilterChain"))
			.findFirst()
			.orElseThrow();
		new JavaCode("secured", """
				import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
				import org.springframework.context.annotation.*;
				import org.springframework.core.annotation.Order;
				import org.springframework.security.config.Customizer;
				import org.springframework.security.config.annotation.web.builders.HttpSecurity;
				import org.springframework.security.web.SecurityFilterChain;
				""").compile(Map.of("ActuatorSecurity", chain), classes, String.join(File.pathSeparator, classPath));
		applications.run(SecuredApplication.class, Stream.of("expected=200", "chain=secured.ActuatorSecurity"));
	}

}
