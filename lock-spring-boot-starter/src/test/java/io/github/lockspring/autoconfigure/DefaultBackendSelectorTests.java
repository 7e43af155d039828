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
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import javax.sql.DataSource;

import org.aopalliance.intercept.MethodInterceptor;
import org.h2.Driver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationBeanNameGenerator;
import org.springframework.context.annotation.AnnotationConfigUtils;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

import io.github.lockspring.LockTemplate;
import io.github.lockspring.aop.RecordingBackend;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.jdbc.JdbcLockBackend;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.LockConfigurationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link DefaultBackendSelector} and {@link OnLockBackendCondition}.
 */
@ExtendWith(OutputCaptureExtension.class)
class DefaultBackendSelectorTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class));

	private final ApplicationContextRunner withDataSource = this.runner
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class));

	private final ApplicationContextRunner withTwo = this.runner
		.withBean("one", RecordingBackend.class, () -> new RecordingBackend(new LocalStore(), "first"))
		.withBean("two", RecordingBackend.class, () -> new RecordingBackend(new LocalStore(), "second"));

	private final ApplicationContextRunner withPrimary = this.runner
		.withBean("one", RecordingBackend.class, () -> new RecordingBackend(new LocalStore(), "first"))
		.withBean("two", RecordingBackend.class, () -> new RecordingBackend(new LocalStore(), "second"),
				(definition) -> definition.setPrimary(true));

	@Test
	void whenBackendIsLocalThenLocalLockBackendIsConfigured() {
		this.runner.withPropertyValues("lock.backend=local")
			.run((context) -> assertThat(context).hasSingleBean(LocalLockBackend.class));
	}

	@Test
	void whenBackendIsLocalThenItIsAnnounced(CapturedOutput output) {
		this.runner.withPropertyValues("lock.backend=local")
			.run((context) -> assertThat(output).contains("other processes are not excluded"));
	}

	@Test
	void whenThereIsADataSourceThenJdbcLockBackendIsConfigured() {
		this.withDataSource
			.run((context) -> assertThat(context).getBean(LockBackend.class).isInstanceOf(JdbcLockBackend.class));
	}

	@Test
	void whenBackendIsJdbcThenJdbcLockBackendIsConfigured() {
		this.withDataSource.withPropertyValues("lock.backend=JDBC")
			.run((context) -> assertThat(context).getBean(LockBackend.class).isInstanceOf(JdbcLockBackend.class));
	}

	@Test
	void whenBackendIsLocalThenDataSourceIsLeftAlone() {
		this.withDataSource.withPropertyValues("lock.backend=local")
			.run((context) -> assertThat(context).getBean(LockBackend.class).isInstanceOf(LocalLockBackend.class));
	}

	@Test
	void whenApplicationHasABackendThenItIsUsed() {
		this.withDataSource.withUserConfiguration(BackendConfiguration.class)
			.run((context) -> assertThat(context).getBean(LockBackend.class).isInstanceOf(RecordingBackend.class));
	}

	@Test
	void whenApplicationHasABackendThenPropertyDoesNotMatter() {
		this.runner.withUserConfiguration(BackendConfiguration.class)
			.withPropertyValues("lock.backend=local")
			.run((context) -> assertThat(context).getBean(LockBackend.class).isInstanceOf(RecordingBackend.class));
	}

	@Test
	void whenNothingIsConfiguredThenChoicesAreListed() {
		this.runner.run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).contains("'lock.backend' is not set");
			assertThat(analysis.getAction()).contains("- jdbc: ", "- local: ", LockBackend.class.getName());
		});
	}

	@ParameterizedTest
	@MethodSource("withoutUsableClient")
	void whenTheDetectedBackendIsNotUsableThenAnotherCanBeSelected(ApplicationContextRunner application) {
		application.run((context) -> assertThat(FailureAnalyses.of(context).getAction()).contains("lock.backend"));
	}

	static Stream<ApplicationContextRunner> withoutUsableClient() {
		ApplicationContextRunner runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class));
		return Stream.of(
				runner.withBean(DataSource.class, DefaultBackendSelectorTests::inMemory)
					.withPropertyValues("lock.jdbc.initialize-schema=never"),
				runner.withBean("one", DataSource.class, DefaultBackendSelectorTests::inMemory)
					.withBean("two", DataSource.class, DefaultBackendSelectorTests::inMemory),
				runner.withBean(DataSource.class, DefaultBackendSelectorTests::routing),
				runner.withBean(RedisConnectionFactory.class, DefaultBackendSelectorTests::foreign));
	}

	private static DataSource inMemory() {
		return new SimpleDriverDataSource(new Driver(), "jdbc:h2:mem:" + UUID.randomUUID());
	}

	private static DataSource routing() {
		AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {

			@Override
			protected @Nullable Object determineCurrentLookupKey() {
				return null;
			}

		};
		routing.setTargetDataSources(Map.of("only", inMemory()));
		return routing;
	}

	private static RedisConnectionFactory foreign() {
		return ProxyFactory.getProxy(RedisConnectionFactory.class, (MethodInterceptor) (invocation) -> null);
	}

	@Test
	void whenLibraryOfTheBackendIsMissingThenItsCoordinatesAreNamed() {
		this.runner.withPropertyValues("lock.backend=jdbc")
			.withClassLoader(new FilteredClassLoader(EmbeddedDatabaseType.class))
			.run((context) -> {
				FailureAnalysis analysis = FailureAnalyses.of(context);
				assertThat(analysis.getDescription()).contains("lock.backend is jdbc");
				assertThat(analysis.getAction()).contains("org.springframework.boot:spring-boot-starter-jdbc");
			});
	}

	@Test
	void whenLibraryOfABackendIsMissingThenOthersWork() {
		this.runner.withPropertyValues("lock.backend=local")
			.withClassLoader(new FilteredClassLoader("org.springframework.jdbc", "org.springframework.boot.jdbc",
					"org.springframework.boot.sql", "org.springframework.boot.health", "org.springframework.dao"))
			.run((context) -> assertThat(context).hasSingleBean(LockTemplate.class));
	}

	@Test
	void whenBackendIsMisspeltThenValuesAreListed() {
		this.withDataSource.withPropertyValues("lock.backend=zokeeper")
			.run((context) -> assertThat(FailureAnalyses.of(context)).satisfies((analysis) -> {
				assertThat(analysis.getDescription()).contains("lock.backend", "zokeeper");
				assertThat(analysis.getAction()).contains("zookeeper", "jdbc", "local");
			}));
	}

	@Test
	void whenApplicationHasSeveralBackendsThenTheyAreListed() {
		this.runner.withUserConfiguration(BackendConfiguration.class)
			.withBean("other", RecordingBackend.class, () -> new RecordingBackend(new LocalStore()))
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains("Several",
					"recording, recording"));
	}

	@Test
	void whenBackendsAreOfOneNameThenThatIsExplained() {
		this.runner.withUserConfiguration(BackendConfiguration.class)
			.withBean("other", RecordingBackend.class, () -> new RecordingBackend(new LocalStore()))
			.run((context) -> assertThat(FailureAnalyses.of(context).getAction()).contains("a unique name()",
					"autowireCandidate = false"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "a/b" })
	void whenOneOfTwoBackendsHasANameThatIsNoPathOfHealthThenThatIsExplained(String name) {
		this.runner.withUserConfiguration(BackendConfiguration.class)
			.withBean("other", RecordingBackend.class, () -> new RecordingBackend(new LocalStore(), name))
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains('\'' + name + '\''));
	}

	@Test
	void whenOneOfTwoBackendsIsNoCandidateThenTheOtherIsUsed() {
		this.runner.withUserConfiguration(BackendConfiguration.class)
			.withBean("part", RecordingBackend.class, () -> new RecordingBackend(new LocalStore()),
					(definition) -> definition.setAutowireCandidate(false))
			.run((context) -> assertThat(namesIn(context)).containsExactly("recording"));
	}

	@Test
	void whenApplicationHasTwoBackendsThenOneMustBeTheDefault() {
		this.withTwo.run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).contains("Several", "first, second");
			assertThat(analysis.getAction()).contains("lock.backend", "primary");
		});
	}

	@Test
	void whenApplicationHasTwoBackendsThenPropertyNamesTheDefault() {
		this.withTwo.withPropertyValues("lock.backend=second")
			.run((context) -> assertThat(namesIn(context)).containsExactly("second", "first"));
	}

	@Test
	void whenApplicationHasTwoBackendsThenTheAdditionalOneIsNotTheDefault() {
		this.withTwo.withPropertyValues("lock.additional-backends=first")
			.run((context) -> assertThat(namesIn(context)).containsExactly("second", "first"));
	}

	@Test
	void whenApplicationHasTwoBackendsThenThePrimaryOneIsTheDefault() {
		this.withPrimary.run((context) -> assertThat(namesIn(context)).containsExactly("second", "first"));
	}

	@Test
	void whenOneBackendIsPrimaryThenThePropertyWins() {
		this.withPrimary.withPropertyValues("lock.backend=first")
			.run((context) -> assertThat(namesIn(context)).containsExactly("first", "second"));
	}

	@Test
	void whenTheNamedBackendIsNotBesideThoseOfTheApplicationThenThatIsExplained() {
		this.withPrimary.withPropertyValues("lock.backend=local").run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).contains("lock.backend is local", "first, second");
			assertThat(analysis.getAction()).contains("lock.additional-backends");
		});
	}

	@Test
	void backendOfTheApplicationHasAnotherBesideIt() {
		this.withDataSource.withUserConfiguration(BackendConfiguration.class)
			.withPropertyValues("lock.additional-backends=jdbc")
			.run((context) -> assertThat(namesIn(context)).containsExactly("recording", "jdbc"));
	}

	@Test
	void backendBesideThatOfTheApplicationIsTheDefaultIfItIsNamed() {
		this.withDataSource.withUserConfiguration(BackendConfiguration.class)
			.withPropertyValues("lock.additional-backends=jdbc", "lock.backend=JDBC")
			.run((context) -> assertThat(namesIn(context)).containsExactly("jdbc", "recording"));
	}

	@Test
	void whenApplicationMisspellsItsOwnBackendThenThatIsExplained() {
		this.runner.withUserConfiguration(BackendConfiguration.class)
			.withPropertyValues("lock.backend=recordnig")
			.run((context) -> {
				FailureAnalysis analysis = FailureAnalyses.of(context);
				assertThat(analysis.getDescription()).contains("lock.backend", "recordnig");
				assertThat(analysis.getAction()).contains("recording");
			});
	}

	@Test
	void backendThatIsChosenByItselfHasAnotherBesideIt() {
		this.withDataSource.withPropertyValues("lock.additional-backends=local")
			.run((context) -> assertThat(namesIn(context)).containsExactly("jdbc", "local"));
	}

	@Test
	void additionalBackendMayBeTheDefault() {
		this.withDataSource.withPropertyValues("lock.backend=jdbc", "lock.additional-backends=JDBC,local")
			.run((context) -> assertThat(namesIn(context)).containsExactly("jdbc", "local"));
	}

	@Test
	void whenAllBackendsAreAdditionalThenOneMustBeTheDefault() {
		this.runner.withPropertyValues("lock.additional-backends=local").run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).contains("lock.additional-backends contains all configured backends",
					"local");
			assertThat(analysis.getAction()).contains("lock.backend");
		});
	}

	@Test
	void whenAdditionalBackendIsMisspeltThenChoicesAreListed() {
		this.runner.withPropertyValues("lock.backend=local", "lock.additional-backends=jdcb").run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).contains("lock.additional-backends", "jdcb");
			assertThat(analysis.getAction()).contains("jdbc, local, redis, redlock");
		});
	}

	@Test
	void whenAdditionalBackendIsNamedTwiceThenThatIsExplained() {
		this.withDataSource.withPropertyValues("lock.backend=local", "lock.additional-backends=jdbc,jdbc")
			.run((context) -> {
				FailureAnalysis analysis = FailureAnalyses.of(context);
				assertThat(analysis.getDescription()).contains("lock.additional-backends", "'jdbc' more than once");
				assertThat(analysis.getAction()).contains(LockBackend.class.getName());
			});
	}

	@Test
	void whenClientOfAnAdditionalBackendIsMissingThenThatIsExplained() {
		this.runner.withPropertyValues("lock.backend=local", "lock.additional-backends=jdbc").run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).contains("no data source bean was found");
			assertThat(analysis.getAction()).contains("spring.datasource.url", "lock.additional-backends");
		});
	}

	@Test
	void whenLibraryOfAnAdditionalBackendIsMissingThenItsCoordinatesAreNamed() {
		this.runner.withPropertyValues("lock.backend=local", "lock.additional-backends=jdbc")
			.withClassLoader(new FilteredClassLoader(EmbeddedDatabaseType.class))
			.run((context) -> {
				FailureAnalysis analysis = FailureAnalyses.of(context);
				assertThat(analysis.getDescription()).contains("lock.additional-backends contains jdbc");
				assertThat(analysis.getAction()).contains("org.springframework.boot:spring-boot-starter-jdbc");
			});
	}

	@Test
	void backendIsConfiguredWhateverBeansAreCalled() {
		this.runner
			.withInitializer((context) -> context.getBeanFactory()
				.registerSingleton(AnnotationConfigUtils.CONFIGURATION_BEAN_NAME_GENERATOR,
						AnnotationBeanNameGenerator.INSTANCE))
			.withPropertyValues("lock.backend=local")
			.run((context) -> assertThat(namesIn(context)).containsExactly("local"));
	}

	private static Set<String> namesIn(AssertableApplicationContext context) {
		assertThat(context).hasNotFailed();
		assertThat(context.getBean(LockTemplate.class).backendNames())
			.isEqualTo(context.getBean(LockClient.class).backendNames());
		return context.getBean(LockTemplate.class).backendNames();
	}

	@Test
	void whenBackendIsNotThatOfTheProcessingAheadOfTimeThenBothAreNamed() {
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> choose(LockBackendType.REDIS, true, new LocalLockBackend()))
			.withMessageContaining("lock.backend is redis")
			.withMessageContaining("backend local");
	}

	@Test
	void whenBackendIsThatOfTheProcessingAheadOfTimeThenItIsTaken() {
		LockBackend backend = new LocalLockBackend();
		assertThat(choose(LockBackendType.LOCAL, true, backend)).isSameAs(backend);
		assertThat(choose(null, true, backend)).isSameAs(backend);
		assertThat(choose(LockBackendType.REDIS, false, backend)).isSameAs(backend);
	}

	@Test
	void whenApplicationWithABackendWasProcessedAheadOfTimeThenPropertyDoesNotMatter() {
		LockBackend backend = new RecordingBackend(new LocalStore());
		assertThat(choose(LockBackendType.REDIS, true, backend)).isSameAs(backend);
	}

	@Test
	void additionalBackendThatIsNotThatOfTheBuildIsExplained() {
		LockProperties properties = new LockProperties();
		properties.setAdditionalBackends(List.of("redis"));
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> new DefaultBackendSelector(properties, true).requireAdditional(List.of("local")))
			.withMessageContaining("lock.additional-backends contains redis")
			.withMessageContaining("built ahead of time");
	}

	private static LockBackend choose(LockBackendType chosen, boolean aheadOfTime, LockBackend backend) {
		StaticListableBeanFactory beanFactory = new StaticListableBeanFactory(Map.of("backend", backend));
		LockProperties properties = new LockProperties();
		properties.setBackend((chosen != null) ? chosen.toString() : null);
		return new DefaultBackendSelector(properties, aheadOfTime)
			.requireDefault(beanFactory.getBeanProvider(LockBackend.class));
	}

	@Test
	void backendTypesAreListedInOrderOfPrecedence() {
		assertThat(List.of(LockBackendType.values())).containsExactly(LockBackendType.REDIS, LockBackendType.REDLOCK,
				LockBackendType.ZOOKEEPER, LockBackendType.JDBC, LockBackendType.LOCAL);
	}

	@Configuration(proxyBeanMethods = false)
	static class BackendConfiguration {

		@Bean
		RecordingBackend recordingBackend() {
			return new RecordingBackend(new LocalStore());
		}

	}

}
