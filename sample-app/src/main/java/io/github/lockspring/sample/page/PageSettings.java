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

package io.github.lockspring.sample.page;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the page.
 *
 * @param instances the number of instances, this process included
 * @param allowRemote whether visitors from other machines may break things
 */
@ConfigurationProperties("sample")
record PageSettings(@DefaultValue("3") int instances, boolean allowRemote) {

	PageSettings {
		if (instances < 1 || instances > 5) {
			throw new IllegalArgumentException("sample.instances must be from 1 to 5, not " + instances);
		}
	}

}
