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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.aot.AotDetector;
import org.springframework.core.SpringProperties;

import io.github.lockspring.sample.instance.Instance;
import io.github.lockspring.sample.instance.InstanceClient;
import io.github.lockspring.sample.instance.InstanceNotStartedException;
import io.github.lockspring.sample.load.Load;
import io.github.lockspring.sample.load.LoadResult;
import io.github.lockspring.sample.load.StockClient;
import io.github.lockspring.sample.stock.Strategy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for instances that start from what the build generated ahead of time.
 */
class AheadOfTimeServerTests {

	@BeforeEach
	void useWhatWasGenerated() {
		SpringProperties.setFlag(AotDetector.AOT_ENABLED);
	}

	@AfterEach
	void goBack() {
		SpringProperties.setProperty(AotDetector.AOT_ENABLED, null);
	}

	@Test
	void instanceStartsFromWhatWasGeneratedAndLocksAnnotatedMethods(@TempDir Path folder) throws Exception {
		Path log = folder.resolve("log");
		Instance instance = Instance.start(List.of("--spring.datasource.url=jdbc:h2:mem:stock"), log);
		try {
			instance.awaitStarted();
			assertThat(Files.readString(log)).contains("Starting AOT-processed SampleApplication");
			assertThat(healthOf(instance)).contains("\"lock\":{", "\"backend\":\"jdbc\"", "\"roundTripTime\"");
			for (Strategy strategy : List.of(Strategy.DISTRIBUTED_LOCK, Strategy.OPTIMISTIC_VERSION)) {
				sellOut(instance, strategy);
			}
		}
		finally {
			instance.kill();
		}
	}

	private static String healthOf(Instance instance) throws IOException, InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(URI.create(instance.address() + "/actuator/health")).build();
		return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
	}

	private static void sellOut(Instance instance, Strategy strategy) throws Exception {
		StockClient client = new StockClient(new InstanceClient(instance::address));
		long product = strategy.ordinal() + 1L;
		client.reset(product, 200);
		LoadResult load = new Load((order) -> client.deduct(product, strategy, order)).run(20, 10, (done, nanos) -> {
		});
		assertThat(load.errors()).isEmpty();
		assertThat(load.sold()).isEqualTo(200);
		assertThat(client.show(product)).as(strategy.label()).isEqualTo(new StockClient.Stock(0, 200));
	}

	@Test
	void backendThatTheBuildDidNotHaveIsRefused(@TempDir Path folder) throws Exception {
		Instance instance = Instance.start(List.of("--spring.datasource.url=jdbc:h2:mem:stock", "--lock.backend=redis"),
				folder.resolve("log"));
		try {
			assertThatExceptionOfType(InstanceNotStartedException.class).isThrownBy(instance::awaitStarted)
				.withMessageContaining("lock.backend is redis")
				.withMessageContaining("with the lock backend jdbc");
		}
		finally {
			instance.kill();
		}
	}

}
