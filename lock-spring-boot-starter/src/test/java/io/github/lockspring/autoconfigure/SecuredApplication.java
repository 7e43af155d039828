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

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

import org.apache.catalina.webresources.TomcatURLStreamHandlerFactory;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOperations;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A web application with Spring Security, whose operator releases a lock through the
 * endpoint.
 */
public final class SecuredApplication {

	private static final HttpClient client = HttpClient.newHttpClient();

	private SecuredApplication() {
	}

	/**
	 * Starts the application, releases a lock of it, and closes it.
	 * @param properties properties of the application: the {@code expected} status, and
	 * perhaps the {@code chain} to add, the name of a configuration
	 */
	public static void run(String... properties) throws Exception {
		// There is one for all class loaders
		TomcatURLStreamHandlerFactory.disable();
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.properties(properties)
			.properties("server.port=0", "lock.backend=local", "management.endpoints.web.exposure.include=locks",
					"management.endpoint.locks.access=unrestricted", "spring.security.user.name=operator",
					"spring.security.user.password=secret", "spring.security.user.roles=OPERATOR")
			.run()) {
			LockHandle lock = context.getBean(LockOperations.class).acquire("order:42");
			URI uri = URI.create("http://localhost:" + context.getEnvironment().getProperty("local.server.port")
					+ "/actuator/locks/" + lock.storeKey());
			assertThat(status("GET", uri, "operator:wrong")).isEqualTo(401);
			assertThat(status("GET", uri, "operator:secret")).isEqualTo(200);
			assertThat(status("DELETE", uri, "operator:wrong")).isEqualTo(401);
			int expected = Integer.parseInt(context.getEnvironment().getRequiredProperty("expected"));
			assertThat(status("DELETE", uri, "operator:secret")).isEqualTo(expected);
			assertThat(lock.isHeld()).isEqualTo(expected != 200);
			assertThat(status("POST", uri.resolve("/orders"), "operator:secret")).as("what the application protects")
				.isIn(401, 403);
		}
	}

	private static int status(String method, URI uri, String credentials) throws IOException, InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(uri)
			.method(method, BodyPublishers.noBody())
			.header("Authorization",
					"Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8)))
			.build();
		return client.send(request, BodyHandlers.discarding()).statusCode();
	}

	/**
	 * An application with the defaults of Spring Security.
	 */
	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Chain.class)
	static class Application {

	}

	/**
	 * The configuration of a filter chain, which the compiler does not see.
	 */
	static final class Chain implements ImportSelector {

		private final Environment environment;

		Chain(Environment environment) {
			this.environment = environment;
		}

		@Override
		public String[] selectImports(AnnotationMetadata metadata) {
			String chain = this.environment.getProperty("chain");
			return (chain != null) ? new String[] { chain } : new String[0];
		}

	}

}
