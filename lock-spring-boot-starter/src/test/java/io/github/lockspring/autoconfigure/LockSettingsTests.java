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

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import io.github.lockspring.LockOperations;
import io.github.lockspring.LockOptions;
import io.github.lockspring.aop.LockDefaults;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.support.Durations;
import io.github.lockspring.zookeeper.ZooKeeperLockSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockSettings}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockSettingsTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class));

	@Test
	void optionsAreThoseOfTheProperties() {
		this.runner
			.withPropertyValues("lock.backend=local", "lock.wait-time=2s", "lock.lease-time=PT1M",
					"lock.auto-renew=false")
			.run((context) -> {
				LockOptions options = context.getBean(LockOperations.class).defaultOptions();
				assertThat(options.waitTime()).isEqualTo(Duration.ofSeconds(2));
				assertThat(options.leaseTime()).isEqualTo(Duration.ofMinutes(1));
				assertThat(options.autoRenew()).isFalse();
			});
	}

	@Test
	void settingsAreThoseOfTheProperties() {
		LockProperties properties = new LockProperties();
		properties.setOperationTimeout(Duration.ofSeconds(3));
		properties.setRenewInterval(Duration.ofSeconds(4));
		properties.setMaxHoldTime(DurationLimit.of(Duration.ofHours(5)));
		properties.setMaxKeys(6);
		properties.getHandOff().setLimit(7);
		properties.getHandOff().setSpan(Duration.ofMillis(8));
		assertThat(LockSettings.of(properties, null).engineSettings()).isEqualTo(EngineSettings.defaults()
			.withOperationTimeout(Duration.ofSeconds(3))
			.withRenewInterval(Duration.ofSeconds(4))
			.withMaxHoldTime(Duration.ofHours(5))
			.withMaxKeys(6)
			.withHandOff(7, Duration.ofMillis(8)));
	}

	@Test
	void settingsOfZooKeeperAreThoseOfTheProperties() {
		LockProperties properties = new LockProperties();
		properties.setOperationTimeout(Duration.ofSeconds(3));
		properties.getZookeeper().setNamespace("my-locks");
		assertThat(LockSettings.of(properties, null).zooKeeperSettings())
			.isEqualTo(new ZooKeeperLockSettings("my-locks", Duration.ofSeconds(3), null, false, false));
		properties.getZookeeper().setConnectString("host:2181");
		assertThat(LockSettings.of(properties, null).zooKeeperSettings()).isEqualTo(
				new ZooKeeperLockSettings("my-locks", Duration.ofSeconds(3), Duration.ofSeconds(10), false, false));
	}

	@Test
	void defaultsOfThePropertiesAreThoseOfTheLibrary() {
		LockSettings settings = LockSettings.of(new LockProperties(), null);
		assertThat(settings.engineSettings()).isEqualTo(EngineSettings.defaults());
		assertThat(settings.options()).hasToString(LockOptions.defaults().toString());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					lock.wait-time=-1s           | zero (try once) or longer
					lock.lease-time=0s           | between 100ms and 1d
					lock.lease-time=-1s          | between 100ms and 1d
					lock.lease-time=99ms         | between 100ms and 1d
					lock.lease-time=25h          | between 100ms and 1d
					lock.renew-interval=30s      | shorter than lock.lease-time, which is 30s
					lock.renew-interval=0s       | 10ms or longer
					lock.renew-interval=1ns      | 10ms or longer
					lock.operation-timeout=0s    | between a millisecond and a day
					lock.operation-timeout=1ns   | between a millisecond and a day
					lock.operation-timeout=25h   | between a millisecond and a day
					lock.redis.wait-timeout=0s   | between a millisecond and a day
					lock.redis.wait-timeout=1ns  | between a millisecond and a day
					lock.redis.redlock.node-timeout=1ns     | between a millisecond and a day
					lock.redis.redlock.node-timeout=200000d | between a millisecond and a day
					lock.max-hold-time=0s        | longer than zero
					lock.max-hold-time=-1d       | longer than zero
					lock.shutdown-timeout=-1s    | zero or longer
					lock.max-keys=0              | at least 1
					lock.names.order.retain=-1s | between zero (not retained) and 1d
					lock.names.order.retain=25h | between zero (not retained) and 1d
					lock.retain.max-keys=-1     | zero (none) or more
					lock.hand-off.limit=-1      | between 0 and 256
					lock.hand-off.limit=257     | between 0 and 256
					lock.hand-off.span=-1s      | zero or longer
					lock.key-prefix=             | must not be blank
					lock.zookeeper.connect-string=                  | must not be blank
					lock.zookeeper.namespace=                       | the name of a node
					lock.zookeeper.namespace=/locks                 | the name of a node
					lock.zookeeper.namespace=a/b                    | the name of a node
					lock.zookeeper.namespace=..                     | the name of a node
					lock.zookeeper.namespace=zookeeper              | the name of a node
					lock.zookeeper.session-timeout=0s               | between a millisecond and a day
					lock.zookeeper.session-timeout=-1s              | between a millisecond and a day
					lock.zookeeper.session-timeout=999us            | between a millisecond and a day
					lock.zookeeper.session-timeout=25h              | between a millisecond and a day
					lock.zookeeper.connection-timeout=0s            | between a millisecond and a day
					lock.zookeeper.connection-timeout=11s           | not be longer than lock.zookeeper.session-timeout, which is 10s
					lock.zookeeper.retry.base-sleep=0s              | between a millisecond and a day
					lock.zookeeper.retry.base-sleep=2s              | not be shorter than lock.zookeeper.retry.base-sleep, which is 2s
					lock.zookeeper.retry.max-sleep=25h              | between a millisecond and a day
					lock.zookeeper.retry.max-retries=-1             | between 0 and 29
					lock.zookeeper.retry.max-retries=30             | between 0 and 29
					lock.names.order.wait-time=-1s             | zero (try once) or longer
					lock.names.order.lease-time=99ms           | between 100ms and 1d
					lock.names.order.backend=                  | must not be blank
					lock.names[com.acme.Orders.pay].wait-time=-1s  | zero (try once) or longer
					lock.names[com.acme.Orders.pay].lease-time=25h | between 100ms and 1d
					""")
	void valueOutOfRangeIsExplained(String property, String reason) {
		this.runner.withPropertyValues("lock.backend=local", property).run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).contains(property.substring(0, property.indexOf('=')), reason);
		});
	}

	@Test
	void prefixThatIsTooLongIsExplained() {
		this.runner.withPropertyValues("lock.backend=local", "lock.key-prefix=" + "ü".repeat(64))
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains("126 bytes"));
	}

	@Test
	void applicationNameThatIsTooLongIsExplained() {
		this.runner.withPropertyValues("lock.backend=local", "spring.application.name=" + "n".repeat(122))
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains("lock.key-prefix",
					"126 bytes", "spring.application.name"));
		this.runner
			.withPropertyValues("lock.backend=local", "spring.application.name=" + "n".repeat(122),
					"lock.key-prefix=shop")
			.run((context) -> assertThat(context).hasNotFailed());
		this.runner.withPropertyValues("lock.backend=local", "spring.application.name=" + "n".repeat(121))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@CsvSource({ "lock.wait-time=abc", "lock.lease-time=99999999999999999999s", "lock.max-keys=many",
			"lock.aop.order=first", "lock.auto-renew=perhaps", "lock.inside-transaction=never", "lock.checks=off",
			"lock.aop.mode=weave", "lock.zookeeper.session-timeout=abc", "lock.zookeeper.retry.max-retries=many",
			"lock.names.order.lease-time=abc", "lock.names.order.auto-renew=perhaps" })
	void valueOfAnotherTypeIsExplained(String property) {
		this.runner.withPropertyValues("lock.backend=local", property)
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription())
				.contains(property.substring(0, property.indexOf('='))));
	}

	@ParameterizedTest
	@CsvSource({ "lock.wait-time", "lock.names.order.wait-time", "lock.max-hold-time", "lock.shutdown-timeout",
			"lock.hand-off.span", "lock.jdbc.cleanup.interval", "lock.jdbc.cleanup.retention" })
	void nanosecondsToEternityAreTaken(String property) {
		for (String value : List.of("3600s", "106751d", "106752d", "200000d", Long.MAX_VALUE + "s")) {
			this.runner
				.withPropertyValues("lock.backend=local", "spring.datasource.url=jdbc:h2:mem:eternity",
						"lock.additional-backends=jdbc", property + "=" + value)
				.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
				.run((context) -> {
					assertThat(context).hasNotFailed();
					context.getBean(LockOperations.class).executeWithoutResult("42", (lock) -> lock.checkpoint());
				});
		}
	}

	@ParameterizedTest
	@CsvSource({ "lock.wait-time=0s", "lock.wait-time=1ns", "lock.max-hold-time=1ns", "lock.shutdown-timeout=0s",
			"lock.shutdown-timeout=1ns", "lock.hand-off.span=0s", "lock.hand-off.span=1ns" })
	void shortestTimesAreTaken(String property) {
		this.runner.withPropertyValues("lock.backend=local", property).run((context) -> {
			assertThat(context).hasNotFailed();
			context.getBean(LockOperations.class).executeWithoutResult("42", (lock) -> lock.checkpoint());
		});
	}

	@ParameterizedTest
	@CsvSource({ "unlimited", "UNLIMITED", "106752d" })
	void leaseMayBeRenewedForEver(String maxHoldTime) {
		LockProperties properties = bind("max-hold-time", maxHoldTime);
		assertThat(properties.getMaxHoldTime().isUnlimited()).isEqualTo(maxHoldTime.equalsIgnoreCase("unlimited"));
		assertThat(LockSettings.of(properties, null).engineSettings().limits().maxHoldTime()).isEqualTo(Durations.MAX);
	}

	@ParameterizedTest
	@CsvSource({ "never", "5", "''" })
	void maxHoldTimeIsUnlimitedOrADuration(String value) {
		this.runner.withPropertyValues("lock.backend=local", "lock.max-hold-time=" + value)
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains("lock.max-hold-time"));
	}

	@Test
	void nameHasSettingsOfItsOwn() {
		LockDefaults defaults = defaults("names.order.wait-time", "2s", "names.order.lease-time", "1m",
				"names.order.auto-renew", "false", "names.order.retain", "5s", "names.order.backend", "JDBC");
		assertThat(defaults.forName("order")).isEqualTo(new LockDefaults.Overrides(Duration.ofSeconds(2),
				Duration.ofMinutes(1), false, Duration.ofSeconds(5), "jdbc"));
		assertThat(defaults.forName("invoice")).isEqualTo(LockDefaults.Overrides.NONE);
		assertThat(defaults.configuredNames()).containsExactly("order");
	}

	@ParameterizedTest
	@CsvSource({ "a:b, not contain a colon", "' ', not be blank" })
	void nameThatNoLockCanHaveIsExplained(String name, String reason) {
		LockProperties properties = new LockProperties();
		properties.getNames().put(name, new LockProperties.Named());
		assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
			.isThrownBy(() -> LockSettings.of(properties, null))
			.withMessageContaining("lock.names[" + name + "]")
			.withMessageContaining(reason);
	}

	@Test
	void nameHasDots() {
		LockDefaults defaults = defaults("names[com.acme.Orders.pay].wait-time", "2s");
		assertThat(defaults.configuredNames()).containsExactly("com.acme.Orders.pay");
		assertThat(defaults.forName("com.acme.Orders.pay").waitTime()).isEqualTo(Duration.ofSeconds(2));
	}

	@Test
	void nameHasCapitalsAndHyphens() {
		assertThat(defaults("names.nightly-Report.wait-time", "2s").configuredNames())
			.containsExactly("nightly-Report");
	}

	/**
	 * What remains of a name in an environment variable.
	 */
	@Test
	void nameInLowerCaseAppliesToNamesWithTheSameLettersAndDigits() {
		LockDefaults defaults = defaults("names.orderpay2.wait-time", "2s", "names.stock-Item.wait-time", "3s",
				"names.stockitem.wait-time", "4s");
		for (String name : List.of("orderpay2", "order-pay2", "orderPay2", "order.pay-2", "ORDER_PAY_2")) {
			assertThat(defaults.forName(name).waitTime()).as(name).isEqualTo(Duration.ofSeconds(2));
		}
		assertThat(defaults.forName("order-pay").waitTime()).isNull();
		assertThat(defaults.forName("stock-Item").waitTime()).isEqualTo(Duration.ofSeconds(3));
		assertThat(defaults.forName("stock-item").waitTime()).isEqualTo(Duration.ofSeconds(4));
		assertThat(defaults.forName("--").waitTime()).isNull();
	}

	@Test
	void variablesAreApplied(CapturedOutput output) {
		withVariables("LOCK_NAMES_ORDERPAY_WAITTIME", "2s", "LOCK_NAMES_ORDERPAY_LEASE_TIME", "3s", "LOCK_WAIT_TIME",
				"1s", "LOCK_FILE", "other")
			.run((context) -> {
				LockDefaults defaults = context.getBean(LockSettings.class).annotationDefaults();
				assertThat(defaults.forName("order-pay").waitTime()).isEqualTo(Duration.ofSeconds(2));
				assertThat(defaults.forName("orderPay").leaseTime()).isEqualTo(Duration.ofSeconds(3));
				assertThat(defaults.options().waitTime()).isEqualTo(Duration.ofSeconds(1));
				assertThat(output).doesNotContain("Environment variables that are not applied");
			});
	}

	@Test
	void variablesThatAreNotAppliedAreNamed(CapturedOutput output) {
		withVariables("LOCK_NAMES_ORDER_PAY_WAITTIME", "2s", "LOCK_NAMES_ORDERPAY_WAITTIME", "3s",
				"LOCK_NAMES_STOCK_LEASE", "3s")
			.run((context) -> assertThat(output).contains("Environment variables that are not applied",
					"[LOCK_NAMES_ORDER_PAY_WAITTIME, LOCK_NAMES_STOCK_LEASE]"));
	}

	private ApplicationContextRunner withVariables(String... variables) {
		Map<String, Object> environment = new LinkedHashMap<>();
		for (int i = 0; i < variables.length; i += 2) {
			environment.put(variables[i], variables[i + 1]);
		}
		return this.runner.withPropertyValues("lock.backend=local")
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.replace(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
						new SystemEnvironmentPropertySource(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
								environment)));
	}

	private static LockDefaults defaults(String... properties) {
		return LockSettings.of(bind(properties), null).annotationDefaults();
	}

	private static LockProperties bind(String... properties) {
		Map<String, String> source = new HashMap<>();
		for (int i = 0; i < properties.length; i += 2) {
			source.put("lock." + properties[i], properties[i + 1]);
		}
		Binder binder = new Binder(new MapConfigurationPropertySource(source));
		return binder.bind("lock", LockProperties.class).get();
	}

	@Test
	void nameWithDotsButWithoutBracketsIsNamedAsUnknown(CapturedOutput output) {
		this.runner.withPropertyValues("lock.backend=local", "lock.names.com.acme.Orders.pay.wait-time=2s")
			.run((context) -> assertThat(output).contains("Unknown properties: [lock.names.com.acme"));
	}

	@Test
	void leaseOfANameIsLongerThanTheIntervalOfItsRenewal() {
		ApplicationContextRunner renewed = this.runner.withPropertyValues("lock.backend=local",
				"lock.renew-interval=5s", "lock.names.order.lease-time=5s");
		renewed.run((context) -> assertThat(FailureAnalyses.of(context).getDescription())
			.contains("lock.names.order.lease-time", "longer than lock.renew-interval, which is 5s"));
		renewed.withPropertyValues("lock.names.order.auto-renew=false")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void backendOfANameIsOneOfThoseThatThereAre() {
		this.runner.withPropertyValues("lock.backend=local", "lock.names.order.backend=jdbc").run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).contains("lock.names.order.backend", "'jdbc'");
			assertThat(analysis.getAction()).contains("local", "lock.additional-backends");
		});
		this.runner.withPropertyValues("lock.backend=local", "lock.names.order.backend=LOCAL")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void annotationsHaveDefaults() {
		LockDefaults defaults = LockSettings.of(new LockProperties(), null).annotationDefaults();
		assertThat(defaults.rejectInsideTransaction()).isFalse();
		assertThat(defaults.failOnInvalid()).isTrue();
		assertThat(defaults.jpa()).isEqualTo(new LockDefaults.Jpa(true, false));
		assertThat(defaults.configuredNames()).isEmpty();
		assertThat(new LockProperties().getAop().getMode()).isEqualTo(LockProperties.AopMode.PROXY);
	}

	@Test
	void defaultsOfAnnotationsAreThoseOfTheProperties() {
		this.runner
			.withPropertyValues("lock.backend=local", "lock.inside-transaction=refuse", "lock.checks=warn",
					"lock.jpa=ignore", "lock.aop.mode=aspectj")
			.run((context) -> {
				LockProperties properties = context.getBean(LockProperties.class);
				LockDefaults defaults = LockSettings.of(properties, null).annotationDefaults();
				assertThat(defaults.rejectInsideTransaction()).isTrue();
				assertThat(defaults.failOnInvalid()).isFalse();
				assertThat(defaults.jpa()).isEqualTo(new LockDefaults.Jpa(false, false));
				assertThat(properties.getAop().getMode()).isEqualTo(LockProperties.AopMode.ASPECTJ);
			});
	}

}
