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

import java.beans.Introspector;
import java.beans.PropertyDescriptor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.springframework.beans.BeanUtils;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.core.io.ClassPathResource;
import org.springframework.util.ClassUtils;

/**
 * The page of all configuration properties, made of the metadata that the annotation
 * processor has written: one table for each group.
 */
final class ConfigurationPage {

	private static final String HEAD = """
			# Configuration properties

			[//]: # (Generated from the metadata of the properties. LockPropertiesDocumentationTests writes and checks it.)

			Durations are written with their unit: `ms`, `s`, `m`, `h` or `d`, as in `500ms`, or in the format of ISO 8601, as in `PT0.5S`.
			A number without a unit, other than zero, is rejected at startup.
			Numbers have no unit; what they count is in their description.
			Values that are out of range are rejected at startup, and unknown properties below `lock` are logged.
			""";

	private static final Map<String, String> GROUPS = groups();

	private final Map<String, Map<?, ?>> properties = new TreeMap<>();

	private final Map<String, Map<?, ?>> hints = new TreeMap<>();

	ConfigurationPage() throws IOException {
		ClassPathResource metadata = new ClassPathResource("META-INF/spring-configuration-metadata.json",
				LockAutoConfiguration.class.getClassLoader());
		String json = metadata.getContentAsString(StandardCharsets.UTF_8);
		Map<String, Object> content = JsonParserFactory.getJsonParser().parseMap(json);
		read(content.get("properties"), this.properties);
		read(content.get("hints"), this.hints);
	}

	private static void read(Object list, Map<String, Map<?, ?>> byName) {
		for (Object each : (Iterable<?>) list) {
			Map<?, ?> entry = (Map<?, ?>) each;
			byName.put((String) entry.get("name"), entry);
		}
	}

	private static Map<String, String> groups() {
		Map<String, String> groups = new LinkedHashMap<>();
		groups.put("lock",
				"General properties.\nSee [Backends](backends/README.md), [The annotations](annotation.md) and"
						+ " [Transactions](transactions.md).");
		groups.put("lock.names", "Properties of the locks of one name, which override their annotations.\nSee"
				+ " [Settings of single names](backends/README.md#settings-of-single-names).");
		groups.put("lock.hand-off",
				"Hand-off of leases between the threads of a process.\nSee [How it works](how-it-works.md).");
		groups.put("lock.retain",
				"Leases that the process retains after their last use.\nSee [Retained leases](retained-leases.md).");
		groups.put("lock.aop", "Interception of annotated methods.\nSee"
				+ " [Order of advice](order-of-advice.md) and [Weaving](aspectj.md).");
		groups.put("lock.redis", "Locks stored in Redis.\nSee [Redis](backends/redis.md).");
		groups.put("lock.redis.redlock",
				"Locks stored on a majority of independent Redis servers.\nSee [Redlock](backends/redlock.md).");
		groups.put("lock.zookeeper", "Locks stored in ZooKeeper.\nSee [ZooKeeper](backends/zookeeper.md).");
		groups.put("lock.zookeeper.retry", "Retries of the few calls that the dedicated client makes through Curator.");
		groups.put("lock.jdbc", "Locks stored in a SQL database.\nSee [JDBC](backends/jdbc.md).");
		groups.put("lock.jdbc.cleanup", "Removal of unused rows.\nSee [The tables](backends/jdbc-tables.md).");
		groups.put("management.endpoint.locks",
				"Endpoint of Actuator.\nSee [The endpoint `locks`](operations/endpoint.md).");
		groups.put("management.endpoint.locks.cache", "Cache of the snapshot of this process.");
		groups.put("management.health.lock", "Health.");
		return groups;
	}

	/**
	 * Return the names of all properties.
	 */
	List<String> names() {
		return List.copyOf(this.properties.keySet());
	}

	/**
	 * Return the description of a property.
	 */
	String descriptionOf(String name) {
		return Objects.toString(this.properties.get(name).get("description"), "");
	}

	/**
	 * Return the default value of a property as text, empty if there is none.
	 */
	String defaultOf(String name) {
		Object value = Objects.requireNonNull(this.properties.get(name), name).get("defaultValue");
		if (value == null || (value instanceof List<?> list && list.isEmpty())) {
			return "";
		}
		return typeOf(name).isEnum() ? value.toString().replace('_', '-') : value.toString();
	}

	/**
	 * Return the type of a property.
	 */
	Class<?> typeOf(String name) {
		String type = (String) this.properties.get(name).get("type");
		return ClassUtils.resolveClassName(type.replaceAll("<.*", ""), null);
	}

	/**
	 * Return the names of all hints.
	 */
	List<String> hints() {
		return List.copyOf(this.hints.keySet());
	}

	/**
	 * Return the values that a hint suggests.
	 */
	List<String> suggestionsFor(String name) {
		Object values = this.hints.get(name).get("values");
		return (values != null)
				? ((List<?>) values).stream().map((each) -> ((Map<?, ?>) each).get("value").toString()).toList()
				: List.of();
	}

	/**
	 * Return the type of the bean whose name a property is, empty if it is none.
	 */
	List<String> beanTypesOf(String name) {
		Object providers = this.hints.get(name).get("providers");
		return ((List<?>) providers).stream()
			.map((each) -> ((Map<?, ?>) each).get("parameters"))
			.filter(Objects::nonNull)
			.map((parameters) -> ((Map<?, ?>) parameters).get("target").toString())
			.toList();
	}

	/**
	 * Return the page.
	 */
	String text() {
		StringBuilder page = new StringBuilder(HEAD);
		GROUPS.forEach((group, introduction) -> {
			page.append("\n## `").append(group.equals("lock.names") ? "lock.names.<name>" : group).append("`\n\n");
			page.append(introduction).append("\n\n");
			page.append("| Property | Type | Default | Description |\n|---|---|---|---|\n");
			page.append(group.equals("lock.names") ? rowsOfNames() : rowsOf(group));
		});
		return page.toString();
	}

	private String rowsOf(String group) {
		return this.properties.keySet()
			.stream()
			.filter((name) -> group.equals(groupOf(name)) && !name.equals("lock.names"))
			.map((name) -> row(name, nameOf(typeOf(name)), code(defaultOf(name)), descriptionOf(name)))
			.collect(Collectors.joining());
	}

	private static String groupOf(String name) {
		return name.substring(0, name.lastIndexOf('.'));
	}

	/**
	 * The processor does not look into the values of a map.
	 */
	private String rowsOfNames() {
		return Arrays.stream(BeanUtils.getPropertyDescriptors(LockProperties.Named.class))
			.filter((property) -> property.getWriteMethod() != null)
			.map(this::rowOfName)
			.sorted()
			.collect(Collectors.joining());
	}

	private String rowOfName(PropertyDescriptor property) {
		String name = DataObjectPropertyName.toDashedForm(Introspector.decapitalize(property.getName()));
		String description = name.equals("retain")
				? "Time for which a lease is [retained](retained-leases.md) after its last use. Overrides the annotation. "
						+ "At least 0s, which retains none, at most 1d."
				: "Overrides `lock." + name + "`, whose limits apply, and the annotation.";
		return row("lock.names.<name>." + name, nameOf(property.getPropertyType()), "",
				description + " Not set by default.");
	}

	private static String nameOf(Class<?> type) {
		if (type == Duration.class) {
			return "duration";
		}
		if (type == DurationLimit.class) {
			return "duration, `unlimited`";
		}
		if (type == List.class) {
			return "list";
		}
		return type.isEnum() ? Arrays.stream(type.getEnumConstants())
			.map((constant) -> code(((Enum<?>) constant).name().toLowerCase(Locale.ROOT).replace('_', '-')))
			.collect(Collectors.joining(", ")) : type.getSimpleName().toLowerCase(Locale.ROOT);
	}

	private static String code(String text) {
		return text.isEmpty() ? "" : '`' + text + '`';
	}

	private static String row(String name, String type, String value, String description) {
		return "| `" + name + "` | " + type + " | " + value + " | " + description.replace("|", "\\|") + " |\n";
	}

}
