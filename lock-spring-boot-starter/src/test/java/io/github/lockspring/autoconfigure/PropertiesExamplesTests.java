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
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.core.io.ByteArrayResource;

import io.github.lockspring.support.PageBlock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the properties in examples on pages: those of this library are bound, those of
 * Spring Boot exist. Needs the metadata that the annotation processor writes in a build
 * with Maven.
 */
class PropertiesExamplesTests {

	private static final List<String> CHECKED = List.of("logging", "management", "server", "spring");

	private final Map<ConfigurationPropertyName, String> types = new HashMap<>();

	PropertiesExamplesTests() throws IOException {
		for (URL metadata : Collections
			.list(getClass().getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
			String json = new String(metadata.openStream().readAllBytes(), StandardCharsets.UTF_8);
			List<?> properties = (List<?>) JsonParserFactory.getJsonParser().parseMap(json).get("properties");
			properties.forEach((property) -> addType((Map<?, ?>) property));
		}
	}

	private void addType(Map<?, ?> property) {
		this.types.put(nameOf((String) property.get("name")), "" + property.get("type"));
	}

	static Stream<PageBlock> blocks() {
		return Stream.of("properties", "yaml").flatMap((language) -> PageBlock.in(language).stream());
	}

	@ParameterizedTest
	@MethodSource("blocks")
	void propertiesOfTheLibraryAreBound(PageBlock block) {
		MapConfigurationPropertySource source = new MapConfigurationPropertySource(propertiesIn(block));
		new Binder(source).bind("lock", Bindable.of(LockProperties.class),
				new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
	}

	@ParameterizedTest
	@MethodSource("blocks")
	void propertiesExist(PageBlock block) {
		assertThat(propertiesIn(block).keySet()).isNotEmpty()
			.map((name) -> nameOf((String) name))
			.filteredOn((name) -> CHECKED.contains(name.getElement(0, Form.UNIFORM)))
			.allMatch(this::exists);
	}

	/**
	 * A property, or an element of a map or a list.
	 */
	private boolean exists(ConfigurationPropertyName name) {
		return this.types.containsKey(name) || this.types.entrySet()
			.stream()
			.anyMatch((entry) -> entry.getValue().matches("java\\.util\\..*") && entry.getKey().isAncestorOf(name));
	}

	private static ConfigurationPropertyName nameOf(String text) {
		return ConfigurationPropertyName.adapt(text, '.');
	}

	private static Properties propertiesIn(PageBlock block) {
		if (block.language().equals("yaml")) {
			YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
			yaml.setResources(new ByteArrayResource(block.text().getBytes(StandardCharsets.UTF_8)));
			return yaml.getObject();
		}
		try {
			Properties properties = new Properties();
			properties.load(new StringReader(block.text()));
			return properties;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
