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

package io.github.lockspring.sample.instance;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Sends requests to the instances, to each in turn. Thread-safe.
 */
public final class InstanceClient {

	/**
	 * Timeout of requests that may wait for a lock.
	 */
	public static final Duration TIMEOUT = Duration.ofMinutes(2);

	private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	private final Supplier<String> addresses;

	/**
	 * Create a client.
	 * @param addresses supplies the address of the instance whose turn it is
	 */
	public InstanceClient(Supplier<String> addresses) {
		this.addresses = addresses;
	}

	/**
	 * Send a request to the instance whose turn it is.
	 * @throws IOException if the connection broke: it is unknown what the instance did
	 */
	public HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
		return send(method, this.addresses.get(), path, TIMEOUT);
	}

	/**
	 * Send a request that may find nothing left, to the instance whose turn it is.
	 * @return the body, empty for a conflict ({@code 409})
	 * @throws IOException if the same request can be sent again: the connection broke, or
	 * the lock was held by another ({@code 423}) or not available ({@code 503})
	 * @throws IllegalStateException for other responses than success
	 */
	public Optional<String> order(String method, String path) throws IOException, InterruptedException {
		HttpResponse<String> response = send(method, path);
		if (response.statusCode() == 423 || response.statusCode() == 503) {
			throw new IOException("Not now: " + response.body());
		}
		return (response.statusCode() != 409) ? Optional.of(requireOk(response)) : Optional.empty();
	}

	/**
	 * Send a request to an instance.
	 * @throws IOException if the connection broke or the instance did not answer in time
	 */
	public HttpResponse<String> send(String method, String address, String path, Duration timeout)
			throws IOException, InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(URI.create(address + path))
			.method(method, HttpRequest.BodyPublishers.noBody())
			.timeout(timeout)
			.build();
		return this.http.send(request, BodyHandlers.ofString());
	}

	/**
	 * Require a response of success.
	 * @throws IllegalStateException with the body if it is another one
	 */
	public static String requireOk(HttpResponse<String> response) {
		if (response.statusCode() / 100 != 2) {
			throw new IllegalStateException(
					"%s %s: %s".formatted(response.statusCode(), response.uri().getPath(), response.body()));
		}
		return response.body();
	}

}
