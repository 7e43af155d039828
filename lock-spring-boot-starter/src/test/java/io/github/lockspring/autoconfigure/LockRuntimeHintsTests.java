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
import java.io.UncheckedIOException;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.javapoet.ClassName;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.LockException;
import io.github.lockspring.OnFailure;
import io.github.lockspring.aop.expression.LockExpressionRootObject;
import io.github.lockspring.jdbc.PromptSocketFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the hints of a native image when an application is processed ahead of time.
 */
class LockRuntimeHintsTests {

	private static final String LETTUCE_FACTORY = "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory";

	/**
	 * The hints by backend, for all tests.
	 */
	private static final Map<String, RuntimeHints> PROCESSED = new ConcurrentHashMap<>();

	/**
	 * The package outside which a connection cannot be extended.
	 */
	private static final ImportOption ZOOKEEPER_ITSELF = (location) -> location
		.matches(Pattern.compile(".*/org/apache/zookeeper/\\w+[^/]*"));

	private static final Pattern LOOK_UP = Pattern.compile("(?:isPresent|Class\\.forName)\\(\\s*\"([\\w.$]+)\"");

	private static RuntimeHints process(Class<?> client, String... properties) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			TestPropertyValues.of(properties).applyTo(context);
			context.register(client, LockAutoConfiguration.class);
			DefaultGenerationContext generation = new DefaultGenerationContext(
					new ClassNameGenerator(ClassName.get(LockRuntimeHintsTests.class)), new InMemoryGeneratedFiles());
			new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
			return generation.getRuntimeHints();
		}
	}

	private static RuntimeHints jdbc() {
		return PROCESSED.computeIfAbsent("jdbc", (key) -> process(DataSourceAutoConfiguration.class));
	}

	private static RuntimeHints redis() {
		return PROCESSED.computeIfAbsent("redis", (key) -> process(DataRedisAutoConfiguration.class));
	}

	private static RuntimeHints zooKeeper() {
		return PROCESSED.computeIfAbsent("zookeeper",
				(key) -> process(Object.class, "lock.zookeeper.connect-string=host:2181"));
	}

	private static Stream<String> resources(String folder, String suffix) throws IOException {
		Resource[] files = new PathMatchingResourcePatternResolver()
			.getResources("classpath*:io/github/lockspring/" + folder + "/*" + suffix);
		assertThat(files).isNotEmpty();
		return Stream.of(files).map((file) -> "io/github/lockspring/" + folder + '/' + file.getFilename());
	}

	private static List<String> missing(RuntimeHints hints, Stream<String> resources) {
		return resources.filter((name) -> !RuntimeHintsPredicates.resource().forResource(name).test(hints)).toList();
	}

	@Test
	void fieldsOfAllHandlesAreKnown() {
		RuntimeHints hints = jdbc();
		List<String> owners = classesIn("io.github.lockspring").stream()
			.filter((type) -> type.getFields()
				.stream()
				.anyMatch((field) -> field.getRawType().isEquivalentTo(VarHandle.class)))
			.map(JavaClass::getName)
			.toList();
		assertThat(owners).isNotEmpty()
			.allSatisfy((owner) -> assertThat(hints).as(owner)
				.matches(RuntimeHintsPredicates.reflection()
					.onType(TypeReference.of(owner))
					.withMemberCategory(MemberCategory.ACCESS_DECLARED_FIELDS)));
	}

	@Test
	void whatExpressionsAskTheRootForIsKnown() {
		RuntimeHints hints = jdbc();
		Method[] methods = LockExpressionRootObject.class.getDeclaredMethods();
		// without those of the coverage agent
		assertThat(methods).filteredOn((method) -> !method.isSynthetic())
			.isNotEmpty()
			.allSatisfy((method) -> assertThat(hints).as(method.getName())
				.matches(RuntimeHintsPredicates.reflection().onMethodInvocation(method)));
	}

	@Test
	void librariesThatMakeCallsSpecialAreKnownToBeThere() {
		assertThat(jdbc())
			.matches(RuntimeHintsPredicates.reflection()
				.onType(TypeReference.of("org.springframework.transaction.support.TransactionSynchronizationManager")))
			.matches(RuntimeHintsPredicates.reflection().onType(TypeReference.of("reactor.core.publisher.Flux")));
	}

	@Test
	void schemasAreInTheImage() throws IOException {
		assertThat(missing(jdbc(), resources("jdbc", ".sql"))).isEmpty();
	}

	@Test
	void scriptsAreInTheImage() throws IOException {
		assertThat(missing(redis(), resources("redis", ".lua"))).isEmpty();
	}

	@Test
	void scriptsOfRedlockAreInTheImage() throws IOException {
		RuntimeHints hints = process(DataRedisAutoConfiguration.class, "lock.backend=redlock",
				"lock.redis.redlock.nodes=redis://a,redis://b,redis://c");
		assertThat(missing(hints, resources("redis", ".lua"))).isEmpty();
	}

	@Test
	void configurationOfLettuceIsReadable() throws Exception {
		assertThat(redis()).matches(RuntimeHintsPredicates.reflection()
			.onFieldAccess(Class.forName(LETTUCE_FACTORY).getDeclaredField("configuration")));
	}

	@Test
	void clientsOfRedisAreKnownToBeThere() {
		assertThat(redis())
			.matches(RuntimeHintsPredicates.reflection().onType(TypeReference.of("io.lettuce.core.RedisClient")))
			.matches(RuntimeHintsPredicates.reflection().onType(TypeReference.of("redis.clients.jedis.Connection")));
	}

	@Test
	void connectionsOfZooKeeperAreMadeByTheirNames() {
		List<JavaClass> connections = classesIn("org.apache.zookeeper", ZOOKEEPER_ITSELF).stream()
			.filter((type) -> type.isAssignableTo("org.apache.zookeeper.ClientCnxnSocket")
					&& !type.getModifiers().contains(JavaModifier.ABSTRACT))
			.toList();
		RuntimeHints hints = zooKeeper();
		assertThat(connections).hasSize(2)
			.allSatisfy((type) -> assertThat(hints).as(type.getName())
				.matches(RuntimeHintsPredicates.reflection()
					.onType(TypeReference.of(type.getName()))
					.withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS)));
	}

	@Test
	void versionOfZooKeeperIsKnown() throws Exception {
		assertThat(zooKeeper())
			.matches(RuntimeHintsPredicates.reflection().onType(TypeReference.of("org.apache.zookeeper.AddWatchMode")))
			.matches(RuntimeHintsPredicates.reflection()
				.onMethodInvocation(Class.forName("org.apache.zookeeper.server.quorum.MultipleAddresses")
					.getMethod("getReachableOrOne")));
	}

	@Test
	void backendsThatAreNotUsedAreLeftOut() throws IOException {
		assertThat(missing(jdbc(), resources("redis", ".lua"))).hasSameSizeAs(resources("redis", ".lua").toList());
		assertThat(missing(redis(), resources("jdbc", ".sql"))).hasSameSizeAs(resources("jdbc", ".sql").toList());
		assertThat(redis()).matches(RuntimeHintsPredicates.reflection()
			.onType(TypeReference.of("org.apache.zookeeper.ClientCnxnSocketNIO"))
			.negate());
	}

	@Test
	void propertiesAreBound() {
		RuntimeHints hints = jdbc();
		assertThat(Stream.of(LockProperties.class.getMethods())
			.filter((method) -> method.getDeclaringClass() == LockProperties.class)
			.filter((method) -> StringUtils.startsWithIgnoreCase(method.getName(), "set"))).isNotEmpty()
			.allSatisfy((setter) -> assertThat(hints)
				.matches(RuntimeHintsPredicates.reflection().onMethodInvocation(setter)));
		assertThat(hints)
			.matches(RuntimeHintsPredicates.reflection().onMethodInvocation(DurationLimit.class, "valueOf"));
	}

	private static JavaClasses classesIn(String name, ImportOption... options) {
		return new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
			.withImportOptions(List.of(options))
			.importPackages(name);
	}

	@Test
	void classesThatAreLookedUpByNameAreKnown() throws IOException {
		List<RuntimeHints> hints = List.of(jdbc(), redis(), zooKeeper());
		assertThat(namesLookedUp()).hasSizeGreaterThan(7)
			.contains("com.zaxxer.hikari.HikariDataSource", "kotlinx.coroutines.reactor.MonoKt")
			.filteredOn((name) -> ClassUtils.isPresent(name, null))
			.allSatisfy((name) -> assertThat(hints).as(name)
				.anyMatch(RuntimeHintsPredicates.reflection().onType(TypeReference.of(name))));
	}

	private static Set<String> namesLookedUp() throws IOException {
		try (Stream<Path> sources = Files.walk(Path.of("src", "main", "java"))) {
			return sources.filter(Files::isRegularFile)
				.map(LockRuntimeHintsTests::read)
				.flatMap((code) -> LOOK_UP.matcher(code).results())
				.map((result) -> result.group(1))
				.collect(Collectors.toSet());
		}
	}

	private static String read(Path source) {
		try {
			return Files.readString(source);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Test
	void poolIsRead() {
		assertThat(jdbc()).matches(RuntimeHintsPredicates.reflection()
			.onMethodInvocation(ReflectionUtils.findMethod(HikariDataSource.class, "getJdbcUrl"))
			.and(RuntimeHintsPredicates.reflection()
				.onMethodInvocation(ReflectionUtils.findMethod(UnpooledHikariDataSource.class, "getJdbcUrl"))));
	}

	@Test
	void socketFactoryIsCreatedByTheDriver() throws NoSuchMethodException {
		assertThat(jdbc()).matches(RuntimeHintsPredicates.reflection()
			.onConstructorInvocation(PromptSocketFactory.class.getConstructor()));
	}

	@Test
	void argumentsThatExpressionsReadAreKnown() {
		assertThat(process(WithArguments.class, "lock.backend=local", "spring.aop.proxy-target-class=false"))
			.matches(invocation(Purchase.class, "buyer"))
			.matches(invocation(Purchase.class, "total"))
			.matches(invocation(Buyer.class, "getName"))
			.matches(invocation(Discount.class, "getPercent"))
			.matches(RuntimeHintsPredicates.reflection().onType(Unread.class).negate());
	}

	private static Predicate<RuntimeHints> invocation(Class<?> type, String name) {
		return RuntimeHintsPredicates.reflection().onMethodInvocation(ReflectionUtils.findMethod(type, name));
	}

	/**
	 * With proxies of interfaces, because those of classes make all methods known.
	 */
	private static RuntimeHints processFallbacks() {
		return process(Fallbacks.class, "lock.backend=local", "spring.aop.proxy-target-class=false");
	}

	@Test
	void fallbacksAreCalledByTheirNames() {
		assertThat(processFallbacks()).matches(fallback(OfMethod.class, "later"))
			.matches(fallback(OfMethod.class, "rejected", LockException.class))
			.matches(fallback(OfMethod.class, "full"))
			.matches(fallback(OfClass.class, "later", long.class))
			.matches(fallback(OfInterface.class, "later", String.class))
			.matches(fallback(OfSubclass.class, "later"));
	}

	@Test
	void methodsThatAreNoFallbacksAreNotRegistered() {
		assertThat(processFallbacks()).matches(fallback(OfMethod.class, "unrelated").negate());
	}

	@Test
	void whatPropertiesSayIsLeftToTheStart() {
		System.setProperty(AbstractAotProcessor.AOT_PROCESSING, "true");
		try {
			assertThat(process(Unknown.class, "lock.backend=local"))
				.matches(fallback(Unknown.class, "later", String.class));
		}
		finally {
			System.clearProperty(AbstractAotProcessor.AOT_PROCESSING);
		}
	}

	private static Predicate<RuntimeHints> fallback(Class<?> type, String name, Class<?>... parameters) {
		return RuntimeHintsPredicates.reflection()
			.onMethodInvocation(ReflectionUtils.findMethod(type, name, parameters));
	}

	@Import({ OfMethod.class, OfClass.class, OfInterface.class, OfSubclass.class })
	static class Fallbacks {

	}

	static class OfMethod implements Runnable {

		@Override
		@DistributedLock(name = "one", onFailure = OnFailure.FALLBACK, fallback = "later")
		@DistributedLock(name = "two", onFailure = OnFailure.FALLBACK, fallback = "rejected")
		public void run() {
		}

		@DistributedSemaphore(permits = "2", onFailure = OnFailure.FALLBACK, fallback = "full")
		void enter() {
		}

		void later() {
		}

		private void rejected(LockException reason) {
		}

		void full() {
		}

		void unrelated() {
		}

	}

	interface Payer {

		void pay(long id);

	}

	@DistributedLock(onFailure = OnFailure.FALLBACK, fallback = "later")
	static class OfClass implements Payer {

		@Override
		public void pay(long id) {
		}

		private void later(long id) {
		}

	}

	interface Sender<T> {

		@DistributedLock(onFailure = OnFailure.FALLBACK, fallback = "later")
		void send(T id);

	}

	static class OfInterface implements Sender<String> {

		@Override
		public void send(String id) {
		}

		void later(String id) {
		}

	}

	static class OfSubclass extends OfMethod {

		@Override
		void later() {
		}

	}

	static class Unknown extends OfInterface {

		@DistributedLock(name = "${not.known.yet}")
		void pay() {
		}

		@DistributedLock(onFailure = OnFailure.FALLBACK, fallback = "missing")
		void refund() {
		}

	}

	static class WithArguments {

		@DistributedLock(key = "#purchase.buyer.name")
		void buy(Purchase purchase) {
		}

		@DistributedLock(condition = "#p0?.percent > 10")
		void reduce(Discount discount) {
		}

		@DistributedLock(key = "'a.b' + #id")
		void ignore(long id, Unread unread) {
		}

	}

	record Purchase(Buyer buyer) {

		public long total() {
			return 1;
		}

	}

	static class Buyer {

		public String getName() {
			return "a";
		}

	}

	static class Discount {

		public int getPercent() {
			return 20;
		}

	}

	static class Unread {

	}

}
