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

import java.util.Set;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
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

	private static final String JDBC = ROOT + ".jdbc";

	private static final String REDIS_CLIENT = ROOT + ".redis.client";

	private static final String[] BACKENDS = { ROOT + ".local", JDBC + "..", ROOT + ".redis..", ROOT + ".redlock",
			ROOT + ".zookeeper" };

	@ArchTest
	static final ArchRule supportKnowsNobody = packageKnowsOnly(SUPPORT);

	@ArchTest
	static final ArchRule spiKnowsNobody = packageKnowsOnly(SPI);

	@ArchTest
	static final ArchRule engineKnowsTheSpi = packageKnowsOnly(ENGINE, SPI);

	@ArchTest
	static final ArchRule rootKnowsTheEngine = packageKnowsOnly(ROOT, ENGINE);

	@ArchTest
	static final ArchRule localKnowsTheSpi = packageKnowsOnly(ROOT + ".local", SPI);

	@ArchTest
	static final ArchRule jdbcKnowsTheSpi = packageKnowsOnly(JDBC, JDBC + ".dialect", SPI);

	@ArchTest
	static final ArchRule dialectsKnowJdbcOnly = packageKnowsOnly(JDBC + ".dialect");

	@ArchTest
	static final ArchRule redisKnowsTheSpiAndItsClient = packageKnowsOnly(ROOT + ".redis", SPI, REDIS_CLIENT);

	@ArchTest
	static final ArchRule redisClientKnowsTheSpi = packageKnowsOnly(REDIS_CLIENT, SPI);

	@ArchTest
	static final ArchRule redlockKnowsTheSpiAndRedis = packageKnowsOnly(ROOT + ".redlock", SPI, ROOT + ".redis");

	@ArchTest
	static final ArchRule clientsOfRedisStayWithTheirConnections = noClasses().that()
		.resideOutsideOfPackages(REDIS_CLIENT, ROOT + ".autoconfigure")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("io.lettuce..", "redis.clients..", "org.springframework.data.redis.connection.lettuce",
				"org.springframework.data.redis.connection.jedis");

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
	static final ArchRule nobodyKnowsTheAutoConfiguration = noClasses().that()
		.resideOutsideOfPackage(ROOT + ".autoconfigure")
		.should()
		.dependOnClassesThat()
		.resideInAPackage(ROOT + ".autoconfigure");

	@ArchTest
	static final ArchRule onlyTheAutoConfigurationKnowsBackends = noClasses().that()
		.resideOutsideOfPackage(ROOT + ".autoconfigure")
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
		.resideOutsideOfPackages(JDBC + "..", ROOT + ".autoconfigure")
		.and(DescribedPredicate.not(belongToAnyOf(FencedUpdates.class)))
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("java.sql..", "javax.sql..", "org.springframework.jdbc..");

	@ArchTest
	static final ArchRule packagesDoNotGoRoundInCircles = slices().matching(ROOT + ".(**)").should().beFreeOfCycles();

	/**
	 * A queue and the holds in it count as one, like a list and its nodes.
	 */
	@ArchTest
	static final ArchRule classesOfTheEngineDoNotGoRoundInCircles = slices()
		.assignedFrom(new TopLevelClasses(ENGINE, Set.of("Hold", "LocalQueue")))
		.should()
		.beFreeOfCycles();

	@ArchTest
	static final ArchRule everyPackageIsNullMarked = classes().that(areNotPackageInfo())
		.should()
		.resideInAnyPackage(ROOT + "..")
		.andShould(new BeInNullMarkedPackage());

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
	 * Assigns each top-level class of a package to a slice of its own, except for those
	 * that count as one.
	 *
	 * @param root the name of the package
	 * @param one the simple names of the classes that count as one
	 */
	private record TopLevelClasses(String root, Set<String> one) implements SliceAssignment {

		@Override
		public SliceIdentifier getIdentifierOf(JavaClass type) {
			if (!type.getPackageName().equals(this.root)) {
				return SliceIdentifier.ignore();
			}
			String name = type.getName().substring(this.root.length() + 1).split("[$]")[0];
			return SliceIdentifier.of(this.one.contains(name) ? String.join("+", this.one) : name);
		}

		@Override
		public String getDescription() {
			return "top-level classes of " + this.root;
		}

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
