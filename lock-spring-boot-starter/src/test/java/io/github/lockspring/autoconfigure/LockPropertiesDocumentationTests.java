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
import java.util.LinkedHashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;

import org.springframework.boot.json.JsonParserFactory;
import org.springframework.core.io.ClassPathResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each property is explained where people look for it: in the editor and in the README.
 */
class LockPropertiesDocumentationTests {

	private static final Path README = Path.of("..", "README.md");

	@Test
	void eachPropertyHasADescription() throws IOException {
		assertThat(descriptions()).hasSizeGreaterThan(25)
			.allSatisfy((name, description) -> assertThat(description).as(name).isNotBlank().endsWith("."));
	}

	@Test
	void eachPropertyIsInTheReadme() throws IOException {
		String readme = Files.readString(README);
		assertThat(descriptions().keySet()).filteredOn((name) -> name.startsWith("lock."))
			.allMatch((name) -> readme.contains('`' + name) || readme.contains("`" + lastPartOf(name) + '`'));
	}

	private static String lastPartOf(String name) {
		return name.substring(name.lastIndexOf('.'));
	}

	/**
	 * What the annotation processor has made of the Javadoc.
	 */
	private static Map<String, String> descriptions() throws IOException {
		ClassPathResource metadata = new ClassPathResource("META-INF/spring-configuration-metadata.json",
				LockAutoConfiguration.class.getClassLoader());
		String json = Files.readString(metadata.getFile().toPath());
		Map<String, String> descriptions = new LinkedHashMap<>();
		for (Object each : (Iterable<?>) JsonParserFactory.getJsonParser().parseMap(json).get("properties")) {
			Map<?, ?> property = (Map<?, ?>) each;
			descriptions.put((String) property.get("name"), (String) property.get("description"));
		}
		return descriptions;
	}

}
