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

import java.util.regex.Pattern;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.jspecify.annotations.NullMarked;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/**
 * The arrows between the packages.
 */
@AnalyzeClasses(packages = "io.github.lockspring", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

	private static final String ROOT = "io.github.lockspring";

	private static final String ENGINE = ROOT + ".engine";

	private static final String SPI = ROOT + ".spi";

	private static final String SUPPORT = ROOT + ".support";

	private static final String[] BACKENDS = { ROOT + ".local..", ROOT + ".jdbc..", ROOT + ".redis..",
			ROOT + ".zookeeper.." };

	private static final String AUTO_CONFIGURATION = ROOT + ".autoconfigure";

	private static final String[] SQL_TYPES = { "java.sql..", "javax.sql..", "org.springframework.jdbc..",
			"com.zaxxer.hikari.." };

	private static final String[] REDIS_TYPES = { "io.lettuce..", "redis.clients..",
			"org.springframework.data.redis.." };

	private static final String[] ZOOKEEPER_TYPES = { "org.apache.curator..", "org.apache.zookeeper.." };

	@ArchTest
	static final ArchRule supportKnowsNoOtherPackage = packageKnowsOnly(SUPPORT);

	@ArchTest
	static final ArchRule spiKnowsOnlySupport = packageKnowsOnly(SPI);

	@ArchTest
	static final ArchRule engineKnowsTheSpi = packageKnowsOnly(ENGINE, SPI);

	@ArchTest
	static final ArchRule rootKnowsTheEngine = packageKnowsOnly(ROOT, ENGINE);

	@ArchTest
	static final ArchRule localKnowsTheSpi = backendKnowsOnlyTheSpi("local");

	@ArchTest
	static final ArchRule jdbcKnowsTheSpi = backendKnowsOnlyTheSpi("jdbc");

	@ArchTest
	static final ArchRule redisKnowsTheSpi = backendKnowsOnlyTheSpi("redis");

	@ArchTest
	static final ArchRule zooKeeperKnowsTheSpi = backendKnowsOnlyTheSpi("zookeeper");

	@ArchTest
	static final ArchRule concurrentKnowsRootAndEngine = packageKnowsOnly(ROOT + ".concurrent", ROOT, ENGINE);

	@ArchTest
	static final ArchRule aopKnowsRootAndEngine = packageKnowsOnly(ROOT + ".aop", ROOT, ENGINE,
			ROOT + ".aop.expression");

	@ArchTest
	static final ArchRule expressionKnowsRootAndEngine = packageKnowsOnly(ROOT + ".aop.expression", ROOT, ENGINE);

	@ArchTest
	static final ArchRule aspectjKnowsAop = packageKnowsOnly(ROOT + ".aop.aspectj", ROOT + ".aop");

	@ArchTest
	static final ArchRule actuateKnowsRootAndEngine = packageKnowsOnly(ROOT + ".actuate", ROOT, ENGINE);

	@ArchTest
	static final ArchRule testKnowsRootAndEngine = packageKnowsOnly(ROOT + ".test", ROOT, ENGINE);

	@ArchTest
	static final ArchRule autoConfigurationIsNotKnownToOthers = noClasses().that()
		.resideOutsideOfPackage(AUTO_CONFIGURATION)
		.should()
		.dependOnClassesThat()
		.resideInAPackage(AUTO_CONFIGURATION);

	@ArchTest
	static final ArchRule onlyTheAutoConfigurationKnowsBackends = noClasses().that()
		.resideOutsideOfPackage(AUTO_CONFIGURATION)
		.and()
		.resideOutsideOfPackages(BACKENDS)
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(BACKENDS);

	/**
	 * Fenced updates write to the tables of the application. No other class of the root
	 * knows them, so that it can be used without the library.
	 */
	@ArchTest
	static final ArchRule fencedUpdatesAreUsedByApplicationsOnly = noClasses()
		.that(DescribedPredicate.not(belongToAnyOf(FencedUpdates.class)))
		.should()
		.dependOnClassesThat(belongToAnyOf(FencedUpdates.class));

	@ArchTest
	static final ArchRule sqlStaysInTheJdbcBackend = noClasses().that()
		.resideOutsideOfPackages(ROOT + ".jdbc..", AUTO_CONFIGURATION)
		.and(DescribedPredicate.not(belongToAnyOf(FencedUpdates.class)))
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(SQL_TYPES);

	@ArchTest
	static final ArchRule redisClientsStayInTheRedisBackend = typesStayIn(REDIS_TYPES, ROOT + ".redis..",
			AUTO_CONFIGURATION);

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
	static final ArchRule aspectJStaysInItsPackage = typesStayIn(new String[] { "org.aspectj.." },
			ROOT + ".aop.aspectj");

	@ArchTest
	static final ArchRule expressionLanguageStaysInItsPackage = typesStayIn(
			new String[] { "org.springframework.expression.." }, ROOT + ".aop.expression");

	@ArchTest
	static final ArchRule coroutinesStayInTheAdvice = typesStayIn(new String[] { "kotlinx.." }, ROOT + ".aop");

	/**
	 * Lettuce reports changes of a cluster by a stream.
	 */
	@ArchTest
	static final ArchRule reactorStaysInTheAdviceAndLettuce = noClasses().that()
		.resideOutsideOfPackages(ROOT + ".aop", ROOT + ".redis..")
		.and(DescribedPredicate.not(belongToAnyOf(ReactiveLockContext.class)))
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("reactor..", "org.reactivestreams..");

	@ArchTest
	static final ArchRule actuatorAndMetersStayInTheirPackage = typesStayIn(
			new String[] { "io.micrometer..", "org.springframework.boot.health.." }, ROOT + ".actuate",
			AUTO_CONFIGURATION);

	@ArchTest
	static final ArchRule packagesDoNotGoRoundInCircles = slices().matching(ROOT + ".(*)..").should().beFreeOfCycles();

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

	private static ArchRule backendKnowsOnlyTheSpi(String name) {
		String[] known = { ROOT + '.' + name + "..", SPI, SUPPORT };
		return classes().that()
			.resideInAPackage(ROOT + '.' + name + "..")
			.should()
			.onlyDependOnClassesThat(
					resideInAnyPackage(known).or(DescribedPredicate.not(resideInAnyPackage(ROOT + ".."))));
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
	 * Checks the package of a class for {@link NullMarked}.
	 */
	private static final class BeInNullMarkedPackage extends com.tngtech.archunit.lang.ArchCondition<JavaClass> {

		BeInNullMarkedPackage() {
			super("be in a package that is @NullMarked");
		}

		@Override
		public void check(JavaClass type, com.tngtech.archunit.lang.ConditionEvents events) {
			boolean marked = type.getPackage().isAnnotatedWith(NullMarked.class);
			events.add(new com.tngtech.archunit.lang.SimpleConditionEvent(type, marked,
					type.getName() + " is in a package without @NullMarked"));
		}

	}

}
