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

import java.net.InetAddress;
import java.net.UnknownHostException;

import jakarta.servlet.http.HttpServletRequest;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * Distinguishes visitors on this machine from others, who may only watch.
 */
@Component
@Profile(PageLauncher.PROFILE)
class Visitors {

	private final PageSettings settings;

	Visitors(PageSettings settings) {
		this.settings = settings;
	}

	/**
	 * Require that a visitor may break things.
	 * @throws RefusedException if it is on another machine, and that is not permitted
	 */
	void requireAllowed(HttpServletRequest request) {
		if (isRemote(request) && !this.settings.allowRemote()) {
			throw new RefusedException(Refusal.ONLY_LOCAL);
		}
	}

	boolean isRemote(HttpServletRequest request) {
		try {
			return !InetAddress.getByName(request.getRemoteAddr()).isLoopbackAddress();
		}
		catch (UnknownHostException ex) {
			return true;
		}
	}

}
