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

package io.github.lockspring.sample.lesson;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.lockspring.server.FaultProxy;

/**
 * Counts the round trips to H2, by a proxy: a statement can be several of them.
 */
final class H2RequestCount implements RequestCount {

	private static final Pattern SERVER = Pattern.compile("//([^:/]+):(\\d+)/");

	private final FaultProxy proxy;

	private final String address;

	H2RequestCount(String url) {
		Matcher server = SERVER.matcher(url);
		if (!server.find()) {
			throw new IllegalArgumentException("Not the URL of a server");
		}
		this.proxy = new FaultProxy(server.group(1), Integer.parseInt(server.group(2)));
		this.address = server.replaceFirst("//" + this.proxy.host() + ':' + this.proxy.port() + '/');
	}

	@Override
	public String address() {
		return this.address;
	}

	@Override
	public long soFar() {
		return this.proxy.roundTrips();
	}

	@Override
	public void close() {
		this.proxy.close();
	}

}
