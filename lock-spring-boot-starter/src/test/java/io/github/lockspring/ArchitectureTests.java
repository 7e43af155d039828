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

package io.github.lockspring;

import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import org.jspecify.annotations.NullMarked;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The arrows between the packages.
 */
@AnalyzeClasses(packages = "io.github.lockspring", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

	private static final String ROOT = "io.github.lockspring";

	private static final String ENGINE = ROOT + ".engine";

	private static final String SPI = ROOT + ".spi";

	private static final String STATE = SPI + ".state";

	private static final String SUPPORT = ROOT + ".support";

	private static final String EVENT = ROOT + ".event";

	private static final String FENCING = ROOT + ".fencing";

	private static final String AOP = ROOT + ".aop";

	private static final String TEST = ROOT + ".test";

	private static final String AUTO_CONFIGURATION = ROOT + ".autoconfigure";

	private static final String[] PUBLIC_API = { ROOT, EVENT, FENCING, SPI, STATE, ROOT + ".concurrent",
			ROOT + ".bridge", TEST, ROOT + ".local", ROOT + ".jdbc", ROOT + ".redis", ROOT + ".redlock",
			ROOT + ".zookeeper", AUTO_CONFIGURATION };

	private static final String[] BACKENDS = { ROOT + ".local..", ROOT + ".jdbc..", ROOT + ".redis..",
			ROOT + ".redlock..", ROOT + ".zookeeper.." };

	private static final String[] SQL_TYPES = { "java.sql..", "javax.sql..", "org.springframework.jdbc..",
			"com.zaxxer.hikari.." };

	private static final String[] REDIS_TYPES = { "io.lettuce..", "redis.clients..",
			"org.springframework.data.redis.." };

	private static final String[] ZOOKEEPER_TYPES = { "org.apache.curator..", "org.apache.zookeeper.." };

	@ArchTest
	static final ArchRule supportKnowsNoOtherPackage = packageKnowsOnly(SUPPORT);

	@ArchTest
	static final ArchRule spiKnowsNoOtherPackage = packageKnowsOnly(SPI);

	@ArchTest
	static final ArchRule stateKnowsTheSpi = packageKnowsOnly(STATE, SPI);

	/**
	 * Authors of backends need no Spring.
	 */
	@ArchTest
	static final ArchRule spiKnowsNoSpring = noClasses().that()
		.resideInAnyPackage(SPI, STATE, SUPPORT)
		.should()
		.dependOnClassesThat()
		.resideInAPackage("org.springframework..");

	@ArchTest
	static final ArchRule engineKnowsTheSpi = packageKnowsOnly(ENGINE, SPI);

	@ArchTest
	static final ArchRule rootKnowsTheEngine = packageKnowsOnly(ROOT, ENGINE, SPI, EVENT);

	@ArchTest
	static final ArchRule eventKnowsTheSpi = packageKnowsOnly(EVENT, SPI);

	@ArchTest
	static final ArchRule localKnowsTheSpi = packageKnowsOnly(ROOT + ".local", SPI, STATE);

	@ArchTest
	static final ArchRule jdbcKnowsTheSpi = packageKnowsOnly(ROOT + ".jdbc", SPI, STATE);

	@ArchTest
	static final ArchRule redisKnowsTheSpi = packageKnowsOnly(ROOT + ".redis", SPI);

	@ArchTest
	static final ArchRule redlockKnowsTheSpiAndRedis = packageKnowsOnly(ROOT + ".redlock", SPI, ROOT + ".redis");

	@ArchTest
	static final ArchRule zooKeeperKnowsTheSpi = packageKnowsOnly(ROOT + ".zookeeper", SPI, STATE);

	@ArchTest
	static final ArchRule concurrentKnowsRootAndEngine = packageKnowsOnly(ROOT + ".concurrent", ROOT, ENGINE, SPI);

	@ArchTest
	static final ArchRule aopKnowsExpressions = packageKnowsOnly(AOP, ROOT, ENGINE, AOP + ".expression");

	@ArchTest
	static final ArchRule expressionKnowsRootAndEngine = packageKnowsOnly(AOP + ".expression", ROOT, ENGINE);

	@ArchTest
	static final ArchRule aspectjKnowsAop = packageKnowsOnly(AOP + ".aspectj", AOP);

	@ArchTest
	static final ArchRule actuateKnowsRootAndEngine = packageKnowsOnly(ROOT + ".actuate", ROOT, ENGINE, SPI, EVENT);

	@ArchTest
	static final ArchRule testKnowsTheLocalBackend = packageKnowsOnly(TEST, ROOT, SPI, ENGINE, ROOT + ".local", AOP,
			AUTO_CONFIGURATION);

	@ArchTest
	static final ArchRule noPackageKnowsTest = noClasses().that()
		.resideOutsideOfPackage(TEST)
		.should()
		.dependOnClassesThat()
		.resideInAPackage(TEST);

	@ArchTest
	static final ArchRule testLibrariesStayInTheirPackage = typesStayIn(
			new String[] { "org.springframework.test..", "org.springframework.boot.test..", "org.assertj.." }, TEST);

	@ArchTest
	static final ArchRule assertionsAreOptional = noClasses().that()
		.haveSimpleNameNotEndingWith("Assert")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("org.assertj..");

	@ArchTest
	static final ArchRule springTestIsKnownToItsListener = noClasses().that()
		.haveSimpleNameNotEndingWith("TestExecutionListener")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.test..", "org.springframework.boot.test..");

	/**
	 * What applications and authors of backends see. {@code LockUtils} is for the other
	 * packages of the library, which cannot see what is package-private.
	 */
	@ArchTest
	static final ArchRule publicApiMentionsPublicApiOnly = classes().that()
		.resideInAnyPackage(PUBLIC_API)
		.and()
		.arePublic()
		.and(DescribedPredicate.not(belongToAnyOf(LockUtils.class)))
		.should(new MentionNothingInternal());

	@ArchTest
	static final ArchRule noPackageKnowsTheAutoConfiguration = noClasses().that()
		.resideOutsideOfPackages(AUTO_CONFIGURATION, TEST)
		.should()
		.dependOnClassesThat()
		.resideInAPackage(AUTO_CONFIGURATION);

	@ArchTest
	static final ArchRule onlyTheAutoConfigurationKnowsBackends = noClasses().that()
		.resideOutsideOfPackages(AUTO_CONFIGURATION, TEST)
		.and()
		.resideOutsideOfPackages(BACKENDS)
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(BACKENDS);

	/**
	 * Fenced updates write to the tables of the application. No other class knows them,
	 * so that the starter can be used without Spring JDBC.
	 */
	@ArchTest
	static final ArchRule fencingIsUsedByApplicationsOnly = noClasses().that()
		.resideOutsideOfPackage(FENCING)
		.should()
		.dependOnClassesThat()
		.resideInAPackage(FENCING);

	@ArchTest
	static final ArchRule fencingKnowsRootAndEngine = packageKnowsOnly(FENCING, ROOT, ENGINE);

	@ArchTest
	static final ArchRule sqlStaysInTheJdbcBackend = typesStayIn(SQL_TYPES, ROOT + ".jdbc..", AUTO_CONFIGURATION,
			FENCING);

	@ArchTest
	static final ArchRule driverOfPostgresStaysInTheJdbcBackend = typesStayIn(new String[] { "org.postgresql.." },
			ROOT + ".jdbc");

	@ArchTest
	static final ArchRule redisClientsStayInTheRedisBackend = typesStayIn(REDIS_TYPES, ROOT + ".redis..",
			ROOT + ".redlock", AUTO_CONFIGURATION);

	@ArchTest
	static final ArchRule lettuceAndJedisStayWithTheirConnections = noClasses().that()
		.resideOutsideOfPackage(AUTO_CONFIGURATION)
		.and()
		.haveNameNotMatching(Pattern.quote(ROOT) + "\\.redis\\.(Lettuce.*|Jedis.*|RedisClientAdapters)")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("io.lettuce..", "redis.clients..", "org.springframework.data.redis.connection.lettuce",
				"org.springframework.data.redis.connection.jedis");

	@ArchTest
	static final ArchRule zooKeeperClientsStayInTheZooKeeperBackend = typesStayIn(ZOOKEEPER_TYPES,
			ROOT + ".zookeeper..", AUTO_CONFIGURATION);

	@ArchTest
	static final ArchRule sqlIsConfiguredByItsConfiguration = typesAreConfiguredBy(
			"(JdbcLock|RoutingDataSources|UnpooledHikariDataSource|CredentialFailures).*", SQL_TYPES);

	@ArchTest
	static final ArchRule redisClientsAreConfiguredByTheirConfiguration = typesAreConfiguredBy("(RedisLock|Redlock).*",
			REDIS_TYPES);

	@ArchTest
	static final ArchRule zooKeeperClientsAreConfiguredByTheirConfiguration = typesAreConfiguredBy("ZooKeeper.*",
			ZOOKEEPER_TYPES);

	@ArchTest
	static final ArchRule aspectJStaysInItsPackage = typesStayIn(new String[] { "org.aspectj.." }, AOP + ".aspectj");

	@ArchTest
	static final ArchRule expressionLanguageStaysInItsPackage = typesStayIn(
			new String[] { "org.springframework.expression.." }, AOP + ".expression");

	@ArchTest
	static final ArchRule kotlinStaysInTheAdvice = typesStayIn(new String[] { "kotlin..", "kotlinx.." }, AOP);

	@ArchTest
	static final ArchRule transactionsStayInTheAdvice = typesStayIn(
			new String[] { "org.springframework.transaction.." }, AOP, AUTO_CONFIGURATION);

	@ArchTest
	static final ArchRule persistenceStaysInTheAdvice = typesStayIn(
			new String[] { "org.springframework.orm..", "jakarta.persistence.." }, AOP);

	@ArchTest
	static final ArchRule dataAccessExceptionsStayInFencing = typesStayIn(new String[] { "org.springframework.dao.." },
			FENCING);

	/**
	 * Lettuce reports changes of a cluster by a stream.
	 */
	@ArchTest
	static final ArchRule reactorStaysInTheAdviceAndLettuce = noClasses().that()
		.resideOutsideOfPackage(AOP)
		.and()
		.haveNameNotMatching(Pattern.quote(ROOT) + "\\.redis\\.Lettuce.*")
		.and(DescribedPredicate.not(belongToAnyOf(ReactiveLockContext.class)))
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("reactor..", "org.reactivestreams..");

	@ArchTest
	static final ArchRule bridgeKnowsRootAndEngine = packageKnowsOnly(ROOT + ".bridge", ROOT, ENGINE);

	@ArchTest
	static final ArchRule otherLibrariesOfLocksStayInTheBridge = typesStayIn(
			new String[] { "org.springframework.integration..", "net.javacrumbs.." }, ROOT + ".bridge");

	@ArchTest
	static final ArchRule noPackageKnowsTheBridge = noClasses().that()
		.resideOutsideOfPackage(ROOT + ".bridge")
		.should()
		.dependOnClassesThat()
		.resideInAPackage(ROOT + ".bridge");

	@ArchTest
	static final ArchRule actuatorAndMetersStayInTheirPackage = typesStayIn(
			new String[] { "io.micrometer..", "org.springframework.boot.health.." }, ROOT + ".actuate",
			AUTO_CONFIGURATION);

	@ArchTest
	static final ArchRule packagesDoNotGoRoundInCircles = slices().assignedFrom(new Packages())
		.should()
		.beFreeOfCycles();

	/**
	 * The number of public types that are neither for applications nor for authors of
	 * backends: it may shrink, and is to be lowered then.
	 */
	@ArchTest
	static void fewInternalTypesArePublic(JavaClasses classes) {
		List<String> internals = classes.stream()
			.filter((type) -> type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC))
			.filter((type) -> !Set.of(PUBLIC_API).contains(type.getPackageName()))
			.map(JavaClass::getName)
			.sorted()
			.toList();
		assertThat(internals).hasSizeLessThanOrEqualTo(47);
	}

	/**
	 * In all packages but the root, where {@code LockUtils} is the door to templates and
	 * lock contexts, which use it themselves, and in that for tests, where two classes
	 * make one thing: the locks that tests hold elsewhere.
	 */
	@ArchTest
	static final ArchRule classesOfAPackageDoNotGoRoundInCircles = slices().assignedFrom(new TopLevelClasses())
		.should()
		.beFreeOfCycles();

	@ArchTest
	static final ArchRule everyPackageIsNullMarked = classes().that(areNotPackageInfo())
		.should()
		.resideInAnyPackage(ROOT + "..")
		.andShould(new BeInNullMarkedPackage());

	private static ArchRule typesStayIn(String[] types, String... packages) {
		return noClasses().that()
			.resideOutsideOfPackages(packages)
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(types);
	}

	/**
	 * The types of a client are in the class path if its configuration is in use. Other
	 * configuration classes must be loadable without them.
	 */
	private static ArchRule typesAreConfiguredBy(String classes, String... types) {
		return noClasses().that()
			.resideInAPackage(AUTO_CONFIGURATION)
			.and()
			.haveNameNotMatching(Pattern.quote(AUTO_CONFIGURATION) + "\\." + classes)
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(types);
	}

	private static ArchRule packageKnowsOnly(String name, String... others) {
		return classes().that()
			.resideInAPackage(name)
			.should()
			.onlyDependOnClassesThat(resideInAnyPackage(others).or(resideInAnyPackage(name, SUPPORT))
				.or(DescribedPredicate.not(resideInAnyPackage(ROOT + ".."))))
			.allowEmptyShould(true);
	}

	private static DescribedPredicate<JavaClass> areNotPackageInfo() {
		return DescribedPredicate.not(simpleName("package-info"));
	}

	/**
	 * Assigns each top-level class to a slice of its own, except for those that count as
	 * one, like a list and its nodes.
	 */
	private static final class TopLevelClasses implements SliceAssignment {

		private static final List<Set<String>> ONE = List.of(Set.of("Hold", "LocalQueue"),
				Set.of("LockedMethod", "LockedInvoker"), Set.of("LeaseLockRegistry", "RegistryLock"),
				Set.of("ConditionalOnLockBackend", "OnLockBackendCondition"));

		private static final Set<String> EXEMPT = Set.of(ROOT, TEST);

		@Override
		public SliceIdentifier getIdentifierOf(JavaClass type) {
			if (EXEMPT.contains(type.getPackageName())) {
				return SliceIdentifier.ignore();
			}
			String name = type.getName().split("[$]")[0];
			String simpleName = name.substring(name.lastIndexOf('.') + 1);
			return ONE.stream()
				.filter((classes) -> classes.contains(simpleName))
				.findFirst()
				.map((classes) -> SliceIdentifier.of(String.join("+", classes)))
				.orElseGet(() -> SliceIdentifier.of(name));
		}

		@Override
		public String getDescription() {
			return "top-level classes";
		}

	}

	/**
	 * Assigns each package to a slice of its own.
	 */
	private static final class Packages implements SliceAssignment {

		@Override
		public SliceIdentifier getIdentifierOf(JavaClass type) {
			String name = type.getPackageName();
			return (name.equals(ROOT) || name.startsWith(ROOT + '.')) ? SliceIdentifier.of(name)
					: SliceIdentifier.ignore();
		}

		@Override
		public String getDescription() {
			return "packages";
		}

	}

	/**
	 * Checks supertypes and the public and protected members of a class for types that
	 * are neither public API nor those of another library.
	 */
	private static final class MentionNothingInternal extends ArchCondition<JavaClass> {

		private static final DescribedPredicate<JavaClass> INTERNALS = resideInAnyPackage(ROOT + "..")
			.and(DescribedPredicate.not(resideInAnyPackage(PUBLIC_API)));

		MentionNothingInternal() {
			super("mention public API only");
		}

		@Override
		public void check(JavaClass type, ConditionEvents events) {
			Stream
				.concat(Stream.of(type.getRawSuperclass().stream(), type.getRawInterfaces().stream())
					.flatMap(Function.identity()),
						type.getMembers().stream().filter(this::isVisible).flatMap(this::types))
				.filter(INTERNALS)
				.forEach((internal) -> events.add(SimpleConditionEvent.violated(type,
						type.getName() + " mentions " + internal.getName() + ", which is internal")));
		}

		private boolean isVisible(JavaMember member) {
			return member.getModifiers().contains(JavaModifier.PUBLIC)
					|| member.getModifiers().contains(JavaModifier.PROTECTED);
		}

		private Stream<JavaClass> types(JavaMember member) {
			return member.getAllInvolvedRawTypes().stream();
		}

	}

	/**
	 * Checks the package of a class for {@link NullMarked}.
	 */
	private static final class BeInNullMarkedPackage extends ArchCondition<JavaClass> {

		BeInNullMarkedPackage() {
			super("be in a package that is @NullMarked");
		}

		@Override
		public void check(JavaClass type, ConditionEvents events) {
			boolean marked = type.getPackage().isAnnotatedWith(NullMarked.class);
			events.add(new SimpleConditionEvent(type, marked, type.getName() + " is in a package without @NullMarked"));
		}

	}

}
