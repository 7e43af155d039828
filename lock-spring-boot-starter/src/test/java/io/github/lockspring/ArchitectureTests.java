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
import java.util.function.Function;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
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

<<<<<<< HEAD
	private static final String JDBC = ROOT + ".jdbc";

	private static final String REDIS_CLIENT = ROOT + ".redis.client";

	private static final String[] BACKENDS = { ROOT + ".local", JDBC + "..", ROOT + ".redis..", ROOT + ".redlock",
			ROOT + ".zookeeper" };
=======
	private static final String FENCING = ROOT + ".fencing";

	private static final String INTERNAL = ROOT + ".internal";

	private static final String[] PUBLIC_API = { ROOT, FENCING, SPI, ROOT + ".concurrent", ROOT + ".test" };

	private static final String[] BACKENDS = { ROOT + ".local", ROOT + ".jdbc", ROOT + ".redis", ROOT + ".zookeeper" };
>>>>>>> engine

	@ArchTest
	static final ArchRule supportKnowsNoOtherPackage = packageKnowsOnly(SUPPORT);

	@ArchTest
	static final ArchRule spiKnowsNoOtherPackage = packageKnowsOnly(SPI);

	@ArchTest
	static final ArchRule engineKnowsTheSpi = packageKnowsOnly(ENGINE, SPI);

	@ArchTest
	static final ArchRule rootKnowsTheEngine = packageKnowsOnly(ROOT, ENGINE, SPI, INTERNAL);

	@ArchTest
	static final ArchRule internalKnowsRootAndEngine = packageKnowsOnly(INTERNAL, ROOT, ENGINE);

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
	static final ArchRule concurrentKnowsRootAndEngine = packageKnowsOnly(ROOT + ".concurrent", ROOT, ENGINE, INTERNAL);

	@ArchTest
<<<<<<< HEAD
	static final ArchRule aopKnowsRootAndEngine = packageKnowsOnly(ROOT + ".aop", ROOT, ENGINE,
			ROOT + ".aop.expression");

	@ArchTest
	static final ArchRule expressionKnowsRootAndEngine = packageKnowsOnly(ROOT + ".aop.expression", ROOT, ENGINE);

	@ArchTest
	static final ArchRule aspectjKnowsAop = packageKnowsOnly(ROOT + ".aop.aspectj", ROOT + ".aop");
=======
	static final ArchRule aopKnowsRootAndEngine = packageKnowsOnly(ROOT + ".aop", ROOT, ENGINE, INTERNAL);
>>>>>>> engine

	@ArchTest
	static final ArchRule actuateKnowsRootAndEngine = packageKnowsOnly(ROOT + ".actuate", ROOT, ENGINE, SPI);

	@ArchTest
	static final ArchRule testKnowsTheSpi = packageKnowsOnly(ROOT + ".test", ROOT, SPI);

	/**
	 * What applications and authors of backends see. The package {@code internal} is for
	 * the other packages of the library, which cannot see what is package-private.
	 */
	@ArchTest
	static final ArchRule publicApiMentionsPublicApiOnly = classes().that()
		.resideInAnyPackage(PUBLIC_API)
		.and()
		.arePublic()
		.should(new MentionNothingInternal());

	@ArchTest
	static final ArchRule noPackageKnowsTheAutoConfiguration = noClasses().that()
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
	static final ArchRule sqlStaysInTheJdbcBackend = noClasses().that()
<<<<<<< HEAD
		.resideOutsideOfPackages(JDBC + "..", ROOT + ".autoconfigure")
		.and(DescribedPredicate.not(belongToAnyOf(FencedUpdates.class)))
=======
		.resideOutsideOfPackages(ROOT + ".jdbc..", ROOT + ".autoconfigure", FENCING)
>>>>>>> engine
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
	static final ArchRule classesOfTheLocalBackendDoNotGoRoundInCircles = slices()
		.assignedFrom(new TopLevelClasses(ROOT + ".local", Set.of()))
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
