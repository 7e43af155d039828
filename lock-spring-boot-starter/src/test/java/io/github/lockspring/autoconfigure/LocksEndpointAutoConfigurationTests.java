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
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.management.MBeanServer;
import javax.management.ObjectName;

import com.jayway.jsonpath.JsonPath;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockOperations;
import io.github.lockspring.actuate.LocksEndpoint;
import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.event.LockForceReleasedEvent;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.TimeSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the endpoint {@code locks} over HTTP and JMX, in applications that are
 * started as a whole.
 */
class LocksEndpointAutoConfigurationTests {

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(Duration.ofSeconds(30), true);

	private static ConfigurableApplicationContext start(WebApplicationType type, String... properties) {
		List<String> all = new ArrayList<>(List.of("server.port=0", "spring.application.name=orders",
				"lock.key-prefix=lock", "spring.main.banner-mode=off", "spring.reactor.netty.shutdown-quiet-period=0s",
				"spring.jmx.default-domain=locks-" + type,
				"spring.autoconfigure.exclude=org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
						+ "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration,"
						+ "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"));
		all.addAll(List.of(properties));
		return new SpringApplicationBuilder(Application.class).web(type).properties(all.toArray(String[]::new)).run();
	}

	/**
	 * Starts the engine of another process.
	 */
	private static LockEngine startElsewhere(ConfigurableApplicationContext context) {
		return new LockEngine(new LocalLockBackend(context.getBean(LocalStore.class)),
				EngineSettings.defaults().withApplication("billing"), EngineListener.NONE, TimeSource.SYSTEM);
	}

	private static URI uri(ConfigurableApplicationContext context, String path) {
		return URI.create("http://localhost:" + context.getEnvironment().getProperty("local.server.port")
				+ "/actuator/locks" + path);
	}

	@Test
	void lockIsReleasedInCodeAlthoughNothingIsExposed() {
		try (ConfigurableApplicationContext context = start(WebApplicationType.NONE)) {
			LockHandle lock = context.getBean(LockOperations.class).acquire("order:50");
			LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
			String owner = endpoint.lock("lock:order:50", null).backends().get("local").holders().get(0).owner();
			assertThat(endpoint.release("lock:order:50", null, "another", null, "night shift").backends()).isEmpty();
			assertThat(endpoint.release("lock:order:50", "local", owner, null, "night shift").backends())
				.containsOnlyKeys("local");
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
			Awaitility.await()
				.untilAsserted(() -> assertThat(context.getBean(Operators.class).heard)
					.containsExactly("event of night shift", "audit event of night shift"));
		}
	}

	/**
	 * The rules of both web stacks.
	 */
	@TestInstance(TestInstance.Lifecycle.PER_CLASS)
	abstract static class WebRules {

		private final WebApplicationType type;

		private ConfigurableApplicationContext context;

		private LockEngine other;

		WebRules(WebApplicationType type) {
			this.type = type;
		}

		@BeforeAll
		void start() {
			this.context = LocksEndpointAutoConfigurationTests.start(this.type,
					"management.endpoints.web.exposure.include=locks");
			this.other = startElsewhere(this.context);
		}

		@AfterAll
		void stop() {
			this.other.close();
			this.context.close();
		}

		private LockOperations locks() {
			return this.context.getBean(LockOperations.class);
		}

		private Response send(String method, String path) throws Exception {
			return Response.of(method, uri(this.context, path));
		}

		private Response get(String path) throws Exception {
			return send("GET", path);
		}

		@Test
		void locksOfThisProcessAreListed() throws Exception {
			try (LockHandle lock = this.locks().acquire("order:42")) {
				Response response = get("");
				assertThat(response.statusCode()).isEqualTo(200);
				assertThat(JsonPath.<String>read(response.body(), "$.application")).isEqualTo("orders");
				assertThat(JsonPath.<Map<String, Object>>read(response.body(), "$.backends.local.held[0]"))
					.containsEntry("key", "lock:order:42")
					.containsEntry("mode", "exclusive")
					.containsEntry("holder", Thread.currentThread().getName())
					.containsEntry("state", "HELD")
					.containsEntry("token", lock.fencingToken())
					.containsEntry("count", 1)
					.containsKeys("since", "remaining", "owner", "threadState");
			}
			assertThat(JsonPath.<List<?>>read(get("").body(), "$.backends.local.held")).isEmpty();
		}

		@Test
		void nameOfALockIsListed() throws Exception {
			try (LockHandle lock = this.locks().named("order").acquire("47")) {
				assertThat(JsonPath.<String>read(get("").body(), "$.backends.local.held[0].name")).isEqualTo("order");
				assertThat(JsonPath.<String>read(get("/lock:order:47").body(), "$.name")).isEqualTo("order");
			}
		}

		@Test
		void holderOfAKeyIsFound() throws Exception {
			try (LockHandle lock = this.locks().acquire("order:43")) {
				Response response = get("/lock:order:43");
				assertThat(response.statusCode()).isEqualTo(200);
				assertThat(JsonPath.<Map<String, Object>>read(response.body(), "$.backends.local.holders[0]"))
					.containsEntry("application", "orders")
					.containsEntry("pid", (int) ProcessHandle.current().pid())
					.containsEntry("mode", "exclusive")
					.containsEntry("thisProcess", true)
					.containsKeys("host", "owner", "token", "remaining");
				assertThat(get("/lock:order:43?backend=local").body()).contains("\"thisProcess\":true");
			}
			assertThat(get("/lock:order:43").statusCode()).isEqualTo(404);
		}

		@Test
		void holderInAnotherProcessIsFound() throws Exception {
			Hold hold = this.other.acquireUninterruptibly("lock:order:44", OPTIONS, this, 0);
			String body = get("/lock:order:44").body();
			assertThat(JsonPath.<Map<String, Object>>read(body, "$.backends.local.holders[0]"))
				.containsEntry("application", "billing")
				.containsEntry("thisProcess", false);
			hold.release();
		}

		@Test
		void keysOfAnyTextAreFound() throws Exception {
			for (String key : List.of("a/b c:ü", "a,b", "100%", "a+b", "a?b#c", "\ud83d\ude00")) {
				try (LockHandle lock = this.locks().acquire(key)) {
					String path = URLEncoder.encode(key, StandardCharsets.UTF_8)
						.replace("+", "%20")
						.replace("%2F", "/");
					assertThat(get("/lock:" + path).statusCode()).as(key).isEqualTo(200);
				}
			}
		}

		@Test
		void keysThatCannotBePartOfAPathAreFoundByParameter() throws Exception {
			for (String key : List.of("https://example.com//", "/a", "a/../b", "a;b")) {
				try (LockHandle lock = this.locks().acquire(key)) {
					Response response = get("?key=" + URLEncoder.encode("lock:" + key, StandardCharsets.UTF_8));
					assertThat(response.statusCode()).as(key).isEqualTo(200);
					assertThat(JsonPath.<String>read(response.body(), "$.key")).isEqualTo("lock:" + key);
				}
			}
			assertThat(get("?key=unknown").statusCode()).isEqualTo(404);
		}

		@Test
		void unknownBackendIsABadRequest() throws Exception {
			assertThat(get("/lock:order:1?backend=redis").statusCode()).isEqualTo(400);
		}

		@Test
		void locksAreNotReleasedByDefault() throws Exception {
			try (LockHandle lock = this.locks().acquire("order:45")) {
				assertThat(send("DELETE", "/lock:order:45").statusCode()).isEqualTo(405);
				lock.checkpoint();
			}
		}

	}

	/**
	 * The rules of forced releases on both web stacks.
	 */
	@TestInstance(TestInstance.Lifecycle.PER_CLASS)
	abstract static class ReleaseRules {

		private final WebApplicationType type;

		private ConfigurableApplicationContext context;

		ReleaseRules(WebApplicationType type) {
			this.type = type;
		}

		@BeforeAll
		void start() {
			this.context = LocksEndpointAutoConfigurationTests.start(this.type,
					"management.endpoints.web.exposure.include=locks", "management.endpoint.locks.access=unrestricted");
		}

		@AfterAll
		void stop() {
			this.context.close();
		}

		ConfigurableApplicationContext context() {
			return this.context;
		}

		@Test
		void lockIsReleasedForItsHolder() throws Exception {
			LockHandle lock = this.context.getBean(LockOperations.class).acquire("a/b c:ü");
			Response response = delete("/lock:a/b%20c:%C3%BC");
			assertThat(response.statusCode()).isEqualTo(200);
			assertThat(JsonPath.<Map<String, Object>>read(response.body(), "$.backends.local.released[0]"))
				.containsEntry("thisProcess", true)
				.containsEntry("application", "orders");
			assertThat(lock.isHeld()).isFalse();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
			assertThat(delete("/lock:a/b%20c:%C3%BC").statusCode()).isEqualTo(404);
			assertThat(delete("?key=unknown").statusCode()).isEqualTo(404);
			assertThat(delete("").statusCode()).isEqualTo(400);
		}

		@Test
		void examplesOfThePageHaveTheFieldsOfTheResponses() throws Exception {
			LockOperations locks = this.context.getBean(LockOperations.class);
			LockHandle lock = locks.acquire("order:42");
			Thread waiter = new Thread(() -> locks.acquire("order:42").close());
			waiter.start();
			Awaitility.await().until(() -> get("").contains("waiter"));
			LockEngine other = startElsewhere(this.context);
			other.acquireAsync("lock:order:42", OPTIONS, this, Duration.ofHours(1).toNanos());
			Awaitility.await().until(() -> get("/lock:order:42").contains("billing"));
			List<Set<String>> responses = List.of(fields(get("/lock:order:42")), fields(get("")),
					fields(delete("/lock:order:42").body()));
			other.close();
			waiter.join();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
			List<Set<String>> examples = examples().map(ReleaseRules::fields).toList();
			assertThat(examples).hasSize(3);
			assertThat(responses.get(0)).containsAll(examples.get(0));
			assertThat(responses.subList(1, 3)).isEqualTo(examples.subList(1, 3));
		}

		private static Stream<String> examples() throws IOException {
			String page = Files
				.readString(Path.of("").toAbsolutePath().getParent().resolve("docs/operations/endpoint.md"));
			return Pattern.compile("```json\\R(.*?)```", Pattern.DOTALL)
				.matcher(page)
				.results()
				.map((json) -> json.group(1));
		}

		/**
		 * The paths of all fields, whatever the name of the backend is.
		 */
		private static Set<String> fields(String json) {
			Set<String> fields = new TreeSet<>();
			addFields("", JsonPath.read(json, "$"), fields);
			return fields;
		}

		private static void addFields(String path, Object value, Set<String> fields) {
			if (value instanceof Map<?, ?> map) {
				map.forEach((name, inner) -> addFields(path + '.' + (path.equals(".backends") ? "*" : name), inner,
						fields));
			}
			else if (value instanceof List<?> list) {
				list.forEach((inner) -> addFields(path, inner, fields));
			}
			else {
				fields.add(path);
			}
		}

		private String get(String path) throws Exception {
			return send("GET", path).body();
		}

		private Response delete(String path) throws Exception {
			return send("DELETE", path);
		}

		Response send(String method, String path) throws Exception {
			return Response.of(method, uri(this.context, path));
		}

	}

	@Nested
	class Servlet extends WebRules {

		Servlet() {
			super(WebApplicationType.SERVLET);
		}

	}

	@Nested
	class Reactive extends WebRules {

		Reactive() {
			super(WebApplicationType.REACTIVE);
		}

	}

	@Nested
	class UnrestrictedServlet extends ReleaseRules {

		UnrestrictedServlet() {
			super(WebApplicationType.SERVLET);
		}

		@Test
		void operatorIsNamedInTheEvents() throws Exception {
			LockHandle lock = context().getBean(LockOperations.class).acquire("order:49");
			assertThat(send("DELETE", "/lock:order:49").statusCode()).isEqualTo(200);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
			Awaitility.await()
				.untilAsserted(() -> assertThat(context().getBean(Operators.class).heard).contains("event of jane",
						"audit event of jane"));
		}

	}

	@Nested
	class UnrestrictedReactive extends ReleaseRules {

		UnrestrictedReactive() {
			super(WebApplicationType.REACTIVE);
		}

	}

	@Nested
	@TestInstance(TestInstance.Lifecycle.PER_CLASS)
	class Jmx {

		private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();

		private final ConfigurableApplicationContext context = start(WebApplicationType.SERVLET,
				"spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=locks",
				"management.endpoint.locks.access=unrestricted");

		private final LockOperations locks = this.context.getBean(LockOperations.class);

		private Object invoke(String operation, Object... arguments) throws Exception {
			String[] signature = new String[arguments.length];
			Arrays.fill(signature, String.class.getName());
			return this.server.invoke(new ObjectName("locks-SERVLET:type=Endpoint,name=Locks"), operation, arguments,
					signature);
		}

		@AfterAll
		void stop() {
			this.context.close();
		}

		@Test
		void endpointIsNotExposedOverHttpByDefault() throws Exception {
			assertThat(Response.of("GET", uri(this.context, "")).statusCode()).isEqualTo(404);
		}

		@Test
		void locksAreListedAndFound() throws Exception {
			try (LockHandle lock = this.locks.acquire("a/b, c:ü")) {
				assertThat(invoke("locks").toString()).contains("lock:a/b, c:ü");
				assertThat(invoke("lock", "lock:a/b, c:ü", null).toString()).contains("thisProcess=true");
			}
			assertThat(invoke("lock", "lock:a/b, c:ü", null)).isNull();
		}

		@Test
		void lockIsReleasedForItsHolder() throws Exception {
			LockHandle lock = this.locks.acquire("a");
			assertThat(invoke("release", "lock:a", null, null).toString()).contains("thisProcess=true");
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
			assertThat(invoke("release", "lock:a", null, null)).isNull();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		LocalStore localStore() {
			return new LocalStore();
		}

		@Bean
		LockBackend lockBackend(LocalStore store) {
			return new LocalLockBackend(store);
		}

		@Bean
		Operators operators() {
			return new Operators();
		}

		/**
		 * Authenticates requests, as Spring Security does.
		 */
		@Bean
		Filter authentication() {
			return (request, response, chain) -> chain
				.doFilter(new HttpServletRequestWrapper((HttpServletRequest) request) {

					@Override
					public Principal getUserPrincipal() {
						return () -> "jane";
					}

				}, response);
		}

	}

	/**
	 * Hears who has released locks.
	 */
	static class Operators {

		private final List<String> heard = new CopyOnWriteArrayList<>();

		@EventListener
		void on(LockForceReleasedEvent event) {
			this.heard.add("event of " + event.principal());
		}

		@EventListener
		void on(AuditApplicationEvent event) {
			this.heard.add("audit event of " + event.getAuditEvent().getPrincipal());
		}

	}

	/**
	 * Response to a request on a connection of its own, which is not awaited forever.
	 *
	 * @param statusCode the status
	 * @param body the body, empty if there is none
	 */
	private record Response(int statusCode, String body) {

		static Response of(String method, URI uri) throws IOException {
			HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
			connection.setRequestMethod(method);
			connection.setRequestProperty("Connection", "close");
			connection.setReadTimeout((int) Duration.ofMinutes(1).toMillis());
			int status = connection.getResponseCode();
			try (InputStream body = (status < 400) ? connection.getInputStream() : connection.getErrorStream()) {
				return new Response(status,
						(body != null) ? new String(body.readAllBytes(), StandardCharsets.UTF_8) : "");
			}
		}

	}

}
