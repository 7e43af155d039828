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

package io.github.lockspring.sample.demo;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import io.github.lockspring.sample.stock.Strategy;

/**
 * Speaks to the instances over HTTP, to each in turn. Thread-safe.
 */
final class StockClient {

	private static final Duration TIMEOUT = Duration.ofMinutes(2);

	private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	private final Instances instances;

	StockClient(Instances instances) {
		this.instances = instances;
	}

	/**
	 * Fills up the stock of a product.
	 */
	void reset(long productId, int stock) throws IOException, InterruptedException {
		expectOk(send("PUT", "/products/%d?stock=%d".formatted(productId, stock)));
	}

	/**
	 * Orders one piece.
	 * @return whether it was sold
	 * @throws IOException if the connection broke: it is unknown whether the piece was
	 * sold
	 * @throws IllegalStateException if the answer was neither sold nor sold out
	 */
	boolean deduct(long productId, Strategy strategy, String order) throws IOException, InterruptedException {
		HttpResponse<String> response = send("POST",
				"/products/%d/deduct?strategy=%s&order=%s".formatted(productId, strategy.id(), order));
		return response.statusCode() != 409 && expectOk(response);
	}

	/**
	 * Asks what the shop knows about a product.
	 */
	Stock show(long productId) throws IOException, InterruptedException {
		HttpResponse<String> response = send("GET", "/products/" + productId);
		expectOk(response);
		JsonNode product = JsonMapper.shared().readTree(response.body());
		return new Stock(product.get("stock").asInt(), product.get("sold").asInt());
	}

	private HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(URI.create(this.instances.next() + path))
			.method(method, HttpRequest.BodyPublishers.noBody())
			.timeout(TIMEOUT)
			.build();
		return this.http.send(request, BodyHandlers.ofString());
	}

	private boolean expectOk(HttpResponse<String> response) {
		if (response.statusCode() != 200) {
			throw new IllegalStateException(
					"%s %s: %s".formatted(response.statusCode(), response.uri().getPath(), response.body()));
		}
		return true;
	}

	/**
	 * What the shop knows about a product.
	 *
	 * @param remaining the pieces left, by the stock
	 * @param sold the pieces sold, by the sales recorded
	 */
	record Stock(int remaining, int sold) {

	}

}
