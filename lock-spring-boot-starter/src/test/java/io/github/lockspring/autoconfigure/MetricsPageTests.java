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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.FileSystemResource;

import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.engine.AcquireOutcome;
import io.github.lockspring.engine.LockKind;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page about meters, the dashboard and the alerts name meters and tags that exist.
 */
class MetricsPageTests {

	private static final Path FOLDER = Path.of("").toAbsolutePath().getParent().resolve("docs/operations");

	private static final Pattern METRIC = Pattern.compile("\\block_[a-z_]+");

	private static final Pattern ROW = Pattern.compile("(?m)^\\| `(lock\\.[a-z.]+)` \\| ([a-z]+) \\| ([^|]*) \\|");

	private static final Pattern MATCHERS = Pattern.compile("(lock_[a-z_]+)\\{([^}]*)}");

	private static final Pattern LABEL = Pattern.compile("([a-z]+)=~?\"");

	private static final Pattern GROUPING = Pattern.compile("by \\(([a-z, ]+)\\)");

	private static final Pattern CODE = Pattern.compile("`([^`]+)`");

	/**
	 * Label that Spring Boot adds to all meters with a property, and Prometheus
	 * otherwise.
	 */
	private static final String APPLICATION = "application";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withPropertyValues("lock.backend=local");

	private static String read(String file) throws IOException {
		return Files.readString(FOLDER.resolve(file));
	}

	private static Set<String> metricsIn(String text) {
		return METRIC.matcher(text).results().map(MatchResult::group).collect(Collectors.toCollection(TreeSet::new));
	}

	/**
	 * Return all names that Prometheus scrapes at start, with their labels.
	 */
	private Map<String, Set<String>> scraped() {
		Map<String, Set<String>> scraped = new TreeMap<>();
		PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
		this.runner.withBean(MeterRegistry.class, () -> registry)
			.run((context) -> registry.scrape().lines().filter((line) -> !line.startsWith("#")).forEach((line) -> {
				Set<String> labels = LABEL.matcher(line)
					.results()
					.map((label) -> label.group(1))
					.collect(Collectors.toSet());
				scraped.put(line.substring(0, line.indexOf('{')), labels);
			}));
		assertThat(scraped).isNotEmpty();
		return scraped;
	}

	@Test
	void alertsAndDashboardUseMetricsThatExist() throws IOException {
		Map<String, Set<String>> scraped = scraped();
		for (String file : List.of("prometheus-alerts.yml", "grafana-dashboard.json", "metrics.md")) {
			assertThat(metricsIn(read(file))).as(file).isNotEmpty().isSubsetOf(scraped.keySet());
		}
	}

	@Test
	void alertsAndDashboardUseLabelsThatExist() throws IOException {
		Map<String, Set<String>> scraped = scraped();
		for (String file : List.of("prometheus-alerts.yml", "grafana-dashboard.json")) {
			String text = read(file).replace("\\\"", "\"");
			MATCHERS.matcher(text)
				.results()
				.forEach((use) -> assertThat(scraped.get(use.group(1))).as(use.group())
					.containsAll(LABEL.matcher(use.group(2)).results().map((label) -> label.group(1)).toList()));
			text.lines()
				.forEach((line) -> GROUPING.matcher(line)
					.results()
					.flatMap((grouping) -> Arrays.stream(grouping.group(1).split(", ")))
					.filter((label) -> !label.equals(APPLICATION))
					.forEach((label) -> metricsIn(line)
						.forEach((metric) -> assertThat(scraped.get(metric)).as(line).contains(label))));
		}
	}

	@Test
	void dashboardShowsAllMeters() throws IOException {
		Set<String> shown = metricsIn(read("grafana-dashboard.json"));
		assertThat(scraped().keySet()).allMatch((metric) -> shown.stream()
			.anyMatch((other) -> other.replaceAll("_(count|sum|max)$", "")
				.equals(metric.replaceAll("_(count|sum|max)$", ""))));
	}

	@Test
	void dashboardIsJsonAndHasQueriesOnly() throws IOException {
		Map<String, Object> dashboard = JsonParserFactory.getJsonParser().parseMap(read("grafana-dashboard.json"));
		assertThat((List<?>) dashboard.get("panels")).isNotEmpty()
			.allSatisfy((panel) -> assertThat((List<?>) ((Map<?, ?>) panel).get("targets")).isNotEmpty()
				.allSatisfy((target) -> assertThat((String) ((Map<?, ?>) target).get("expr")).contains("lock_")));
	}

	@Test
	void alertsAreYamlAndListedOnThePage() throws IOException {
		YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
		yaml.setResources(new FileSystemResource(FOLDER.resolve("prometheus-alerts.yml")));
		List<Object> alerts = yaml.getObject()
			.entrySet()
			.stream()
			.filter((entry) -> entry.getKey().toString().endsWith(".alert"))
			.map(Map.Entry::getValue)
			.toList();
		List<String> listed = Pattern.compile("(?m)^\\| `(Lock[A-Za-z]+)` \\|")
			.matcher(read("metrics.md"))
			.results()
			.map((row) -> row.group(1))
			.toList();
		assertThat(alerts).isNotEmpty().containsExactlyInAnyOrderElementsOf(listed);
	}

	@Test
	void tableListsAllMetersWithTheirTags() throws IOException {
		Map<String, String> listed = new TreeMap<>();
		ROW.matcher(read("metrics.md"))
			.results()
			.forEach((row) -> listed.put(row.group(1), row.group(2) + ' ' + codes(row.group(3))));
		Map<String, String> registered = new TreeMap<>();
		this.runner.withBean(MeterRegistry.class, SimpleMeterRegistry::new).run((context) -> {
			context.getBean(LockTemplate.class)
				.acquire("a", LockOptions.defaults().withWaitTime(Duration.ZERO))
				.close();
			for (Meter meter : context.getBean(MeterRegistry.class).getMeters()) {
				Meter.Id id = meter.getId();
				registered.put(id.getName(), id.getType().name().toLowerCase(Locale.ROOT) + ' '
						+ id.getTags().stream().map(Tag::getKey).collect(Collectors.toCollection(TreeSet::new)));
			}
		});
		assertThat(listed).isEqualTo(registered);
	}

	@Test
	void pageListsAllTypesAndOutcomes() throws IOException {
		String page = read("metrics.md");
		Set<String> named = codes(page.substring(page.indexOf("## Tags"), page.indexOf("## Disable")));
		Stream.<Enum<?>[]>of(LockKind.values(), AcquireOutcome.values())
			.flatMap(Arrays::stream)
			.map((value) -> value.name().toLowerCase(Locale.ROOT))
			.forEach((value) -> assertThat(named).contains(value));
	}

	private static Set<String> codes(String text) {
		return CODE.matcher(text).results().map((code) -> code.group(1)).collect(Collectors.toCollection(TreeSet::new));
	}

}
