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

import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;

import io.github.lockspring.spi.LockConfigurationException;

/**
 * Selects the client bean of a store: the named one, or the only or primary bean of its
 * type.
 *
 * @param <T> the type of client
 * @param type the type of client
 * @param noun the noun for a client in messages
 * @param store the noun for the store in messages
 * @param property the property with the name of the bean
 * @param example an example of a property for which a client is auto-configured
 */
record ClientBeanSelector<T>(Class<T> type, String noun, String store, String property, String example) {

	T requireOne(ListableBeanFactory beanFactory, @Nullable String chosen) {
		List<String> names = Arrays.asList(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, this.type));
		if (chosen != null) {
			return named(chosen, names, beanFactory);
		}
		T client = beanFactory.getBeanProvider(this.type).getIfUnique();
		if (client == null) {
			throw names.isEmpty() ? none() : several(names);
		}
		return client;
	}

	private T named(String name, List<String> names, ListableBeanFactory beanFactory) {
		if (!names.contains(name)) {
			throw new LockConfigurationException(
					"The property " + this.property + " is '" + name + "', but no such " + this.noun + " bean exists.",
					"Set it to one of the " + plural() + ": " + String.join(", ", names) + '.');
		}
		return beanFactory.getBean(name, this.type);
	}

	private LockConfigurationException none() {
		return new LockConfigurationException(
				"Locks are configured to be stored in " + this.store + ", but no " + this.noun + " bean was found.",
				"Define a " + this.noun + ", for example with " + this.example
						+ ", or select other backends with lock.backend and lock.additional-backends.");
	}

	private LockConfigurationException several(List<String> names) {
		return new LockConfigurationException(
				"Locks are configured to be stored in " + this.store + ", but several " + plural()
						+ " were found and none of them is primary: " + String.join(", ", names) + '.',
				"Set the property " + this.property
						+ " to the name of one of them, or select another backend with lock.backend.");
	}

	private String plural() {
		return this.noun.endsWith("y") ? this.noun.substring(0, this.noun.length() - 1) + "ies" : this.noun + 's';
	}

}
