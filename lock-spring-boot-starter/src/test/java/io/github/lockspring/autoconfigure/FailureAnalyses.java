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

import java.util.List;
import java.util.Objects;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;

/**
 * What people read when the application does not start.
 */
final class FailureAnalyses {

	private FailureAnalyses() {
	}

	/**
	 * Asks all registered analyzers, as Spring Boot does.
	 */
	static FailureAnalysis of(AssertableApplicationContext context) {
		return of(context, new StandardEnvironment());
	}

	/**
	 * Asks all registered analyzers, which may look into an environment.
	 */
	static FailureAnalysis of(AssertableApplicationContext context, Environment environment) {
		Throwable failure = context.getStartupFailure();
		return analyzers(environment).stream()
			.map((analyzer) -> analyzer.analyze(failure))
			.filter(Objects::nonNull)
			.findFirst()
			.orElseThrow(() -> new AssertionError("No analysis", failure));
	}

	/**
	 * Leaves out, as Spring Boot does, those whose libraries are not there.
	 */
	private static List<FailureAnalyzer> analyzers(Environment environment) {
		return SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, ArgumentResolver.of(Environment.class, environment)
				.and(BeanFactory.class, new DefaultListableBeanFactory()), (type, name, failure) -> {
				});
	}

}
