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

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import io.github.lockspring.sample.lesson.Experiment;
import io.github.lockspring.server.Torture;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what the page asks of the first instance, with real instances.
 */
class PageServerTests {

	private static final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	private static final Queue<String> events = new ConcurrentLinkedQueue<>();

	private static CompletableFuture<Void> page;

	private static ConfigurableApplicationContext context;

	private static String host;

	private static String address;

	@BeforeAll
	static void start() {
		context = PageLauncher.run("--server.port=0", "--sample.instances=2");
		host = "http://localhost:" + context.getEnvironment().getRequiredProperty("local.server.port");
		address = host + "/demo";
		HttpRequest stream = HttpRequest.newBuilder(URI.create(address + "/stream")).build();
		page = http.sendAsync(stream, BodyHandlers.ofLines())
			.thenAccept((response) -> response.body().forEach(events::add));
	}

	@AfterAll
	static void stop() {
		List<ProcessHandle> instances = ProcessHandle.current().children().toList();
		context.close();
		assertThat(page).as("stream that is ended, not cut off").succeedsWithin(Duration.ofMinutes(1));
		assertThat(instances).isNotEmpty();
		await().untilAsserted(() -> assertThat(instances).noneMatch(ProcessHandle::isAlive));
	}

	/**
	 * Also ends the run of a test that failed.
	 */
	@BeforeEach
	void awaitInstances() {
		send("DELETE", "/runs/current", "");
		await().until(() -> state().get("run").isNull());
		await().untilAsserted(() -> assertThat(states()).containsExactly("serving", "serving"));
		events.clear();
	}

	@Test
	void withoutLockTheStockIsOversoldAndSectionsOverlap() {
		JsonNode result = run("stock", "no-lock", 20, 10);
		assertThat(result.get("verdict").asString()).isEqualTo("wrong");
		assertThat(result.get("lostUpdates").asInt()).isPositive();
		assertThat(result.get("overlaps").asInt()).isPositive();
		assertThat(result.get("samples").asInt()).isEqualTo(200);
		await().untilAsserted(() -> assertThat(received("progress")).isNotEmpty());
		await().untilAsserted(() -> assertThat(received("sections")).isNotEmpty());
	}

	@Test
	void withLockTheStockIsExactAndNoSectionsOverlap() {
		JsonNode result = run("stock", "distributed-lock", 20, 10);
		assertThat(result.get("verdict").asString()).isEqualTo("exact");
		assertThat(result.get("remaining").asInt()).isZero();
		assertThat(result.get("overlaps").asInt()).isZero();
		assertThat(result.get("handOffsInside").asInt() + result.get("handOffsBetween").asInt()).isEqualTo(199);
	}

	@Test
	void processThatIsPausedWhileItHoldsTheLockLosesIt() {
		assertThat(post("/runs", run("distributed-lock", 20, 25)).statusCode()).isEqualTo(201);
		await().until(() -> !received("sections").isEmpty());
		assertThat(post("/breaks", "{\"kind\":\"pause\"}").statusCode()).isEqualTo(202);
		JsonNode result = awaitResult();
		assertThat(result.get("verdict").asString()).isEqualTo("exact");
		await().untilAsserted(() -> assertThat(incidents()).contains("paused", "resumed", "lost", "refused"));
	}

	@Test
	void processThatIsKilledIsReplacedAndTheStockIsExact() {
		assertThat(post("/runs", run("distributed-lock", 20, 25)).statusCode()).isEqualTo(201);
		await().until(() -> !received("sections").isEmpty());
		assertThat(post("/breaks", "{\"kind\":\"kill\",\"instance\":\"2\"}").statusCode()).isEqualTo(202);
		JsonNode result = awaitResult();
		assertThat(result.get("verdict").asString()).isEqualTo("exact");
		assertThat(result.get("overlaps").asInt()).isZero();
		await().untilAsserted(() -> assertThat(incidents()).containsSubsequence("killed", "started"));
	}

	@Test
	void storeThatIsStoppedForThreeSecondsDelaysTheRunOnly() {
		assertThat(post("/runs", run("distributed-lock", 20, 25)).statusCode()).isEqualTo(201);
		await().until(() -> !received("sections").isEmpty());
		assertThat(post("/breaks", "{\"kind\":\"stop-store\"}").statusCode()).isEqualTo(202);
		assertThat(awaitResult().get("verdict").asString()).isEqualTo("exact");
		await().untilAsserted(() -> assertThat(incidents()).containsSubsequence("store-stopped", "store-resumed"));
	}

	@Test
	@Torture(alsoIn = "ReminderTests")
	void oneMessageIsSentAnHourWithLockAndMoreWithout() {
		assertThat(run("reminder", "distributed-lock", 1, 1).get("messages").asInt()).isEqualTo(5);
		assertThat(run("reminder", "no-lock", 1, 1).get("messages").asInt()).isGreaterThan(5);
	}

	@Test
	void noMoreThanThePermitsPrintAtOnce() {
		assertThat(run("printer", "distributed-lock", 10, 10).get("mostAtOnce").asInt()).isEqualTo(2);
		assertThat(run("printer", "no-lock", 10, 10).get("verdict").asString()).isEqualTo("wrong");
	}

	@Test
	void readersDoNotSeeHalfOfAChange() {
		JsonNode result = run("catalogue", "distributed-lock", 10, 30);
		assertThat(result.get("tornReads").asInt()).isZero();
		assertThat(result.get("overlaps").asInt()).isZero();
		assertThat(run("catalogue", "no-lock", 10, 30).get("tornReads").asInt()).isPositive();
	}

	@Test
	void secondRunAndRunBeyondTheLimitsAreRejected() {
		assertThat(post("/runs", run("no-lock", 201, 1)).statusCode()).isEqualTo(400);
		HttpResponse<String> fraction = post("/runs", run("no-lock", 1, 1).replace("\"threads\":1", "\"threads\":1.5"));
		assertThat(fraction.statusCode()).isEqualTo(400);
		assertThat(fraction.body()).contains("\"threads\"").contains("not 1.5");
		assertThat(post("/runs", run("distributed-lock", 20, 200)).statusCode()).isEqualTo(201);
		HttpResponse<String> second = post("/runs", run("no-lock", 1, 1));
		assertThat(second.statusCode()).isEqualTo(409);
		assertThat(second.body()).contains("Another run is under way").contains("\"run-under-way\"");
		assertThat(send("DELETE", "/runs/current", "").statusCode()).isEqualTo(204);
		await().until(() -> state().get("run").isNull());
		assertThat(latestRun().get("state").asString()).isEqualTo("cancelled");
		assertThat(send("DELETE", "/runs/current", "").statusCode()).isEqualTo(404);
	}

	@Test
	void requestOfAnEarlierRunIsNotCountedInTheNext() {
		run("stock", "no-lock", 1, 1);
		String key = "stock:" + latestRun().get("id").asInt();
		// Others may be of a test before
		await().until(() -> keysOfSections().anyMatch(key::equals));
		assertThat(post("/runs", run("distributed-lock", 20, 25)).statusCode()).isEqualTo(201);
		await().until(() -> keysOfSections().anyMatch((other) -> !other.equals(key)));
		events.clear();
		String late = key.replace("stock:", "/products/") + "/deduct?strategy=no-lock&order=late";
		// What was left of the earlier run is removed in the background
		await().until(() -> exchange("POST", host + late, "").statusCode() == 409);
		JsonNode result = awaitResult();
		assertThat(result.get("verdict").asString()).isEqualTo("exact");
		assertThat(result.get("handOffsInside").asInt() + result.get("handOffsBetween").asInt()).isEqualTo(499);
		assertThat(keysOfSections()).doesNotContain(key);
	}

	@Test
	void pageThatIsOpenedAfterARunReceivesItsSections() throws Exception {
		run("stock", "distributed-lock", 5, 10);
		HttpRequest stream = HttpRequest.newBuilder(URI.create(address + "/stream")).build();
		try (Stream<String> lines = http.send(stream, BodyHandlers.ofLines()).body()) {
			String data = lines.dropWhile((line) -> !line.equals("event:history")).skip(1).findFirst().orElseThrow();
			JsonNode history = JsonMapper.shared().readTree(data.substring("data:".length()));
			assertThat(history.get("sections")).hasSize(50)
				.allSatisfy((section) -> assertThat(section.get("outcome").asString()).isEqualTo("done"));
			assertThat(history.get("progress")).isNotEmpty()
				.last()
				.satisfies((progress) -> assertThat(progress.get("stock").asInt(-1)).isZero());
			assertThat(history.get("incidents")).extracting((incident) -> incident.get("kind").asString())
				.contains("started");
		}
	}

	@Test
	void locksAreShownAndReleasedByForce() {
		assertThat(post("/runs", run("distributed-lock", 20, 200)).statusCode()).isEqualTo(201);
		String key = await().until(PageServerTests::lockedKeys, (keys) -> !keys.isEmpty()).get(0);
		assertThat(key).endsWith("stock:" + state().get("run").get("id").asInt());
		await().until(() -> send("DELETE", "/locks?key=" + key, "").statusCode() == 204);
		send("DELETE", "/runs/current", "");
		await().until(() -> state().get("run").isNull());
	}

	@Test
	void unknownThingsAreRejected() {
		HttpResponse<String> refusal = post("/breaks", "{\"kind\":\"explode\"}");
		assertThat(refusal.statusCode()).isEqualTo(400);
		JsonNode problem = JsonMapper.shared().readTree(refusal.body());
		assertThat(problem.get("detail").asString()).isEqualTo("pause, kill or stop-store, not 'explode'");
		assertThat(problem.get("code").asString()).isEqualTo("unknown-break");
		assertThat(problem.get("arguments").get("kind").asString()).isEqualTo("explode");
		assertThat(post("/breaks", "{\"kind\":\"kill\",\"instance\":\"9\"}").statusCode()).isEqualTo(400);
		assertThat(post("/breaks", "{\"kind\":\"kill\",\"instance\":\"1\"}").statusCode()).isEqualTo(409);
		assertThat(post("/runs", "{\"scenario\":\"x\"}").statusCode()).isEqualTo(400);
	}

	@Test
	void experimentsAreListedAndUnknownOnesRejected() {
		JsonNode experiments = JsonMapper.shared().readTree(send("GET", "/lesson", "").body());
		assertThat(experiments).hasSameSizeAs(Experiment.values())
			.extracting((experiment) -> experiment.get("code").asString())
			.contains("SetNxLock", "SequentialNodeLock");
		HttpResponse<String> refusal = post("/lesson/hope", "");
		assertThat(refusal.statusCode()).isEqualTo(404);
		assertThat(refusal.body()).contains("There is no experiment 'hope'");
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofMinutes(2));
	}

	private static List<String> states() {
		return state().get("instances").valueStream().map((instance) -> instance.get("state").asString()).toList();
	}

	private static List<String> lockedKeys() {
		return JsonMapper.shared()
			.readTree(send("GET", "/locks", "").body())
			.valueStream()
			.flatMap((instance) -> instance.get("held").valueStream())
			.map((lock) -> lock.get("key").asString())
			.toList();
	}

	private static JsonNode run(String scenario, String strategy, int threads, int requests) {
		HttpResponse<String> response = post("/runs", json(scenario, strategy, threads, requests));
		assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
		return awaitResult();
	}

	private static String run(String strategy, int threads, int requests) {
		return json("stock", strategy, threads, requests);
	}

	private static String json(String scenario, String strategy, int threads, int requests) {
		return """
				{"scenario":"%s","strategy":"%s","threads":%d,"requests":%d,"instances":2}""".formatted(scenario,
				strategy, threads, requests);
	}

	private static JsonNode awaitResult() {
		await().until(() -> state().get("run").isNull());
		JsonNode run = latestRun();
		assertThat(run.get("state").asString()).as(run.toString()).isEqualTo("finished");
		return run.get("result");
	}

	private static JsonNode latestRun() {
		JsonNode runs = state().get("runs");
		return runs.get(runs.size() - 1);
	}

	private static JsonNode state() {
		return JsonMapper.shared().readTree(send("GET", "", "").body());
	}

	private static List<String> received(String name) {
		return data(name).toList();
	}

	private static Stream<String> keysOfSections() {
		return data("sections").flatMap((data) -> JsonMapper.shared().readTree(data).valueStream())
			.map((section) -> section.get("key").asString());
	}

	private static List<String> incidents() {
		return data("incident").map((data) -> JsonMapper.shared().readTree(data).get("kind").asString()).toList();
	}

	/**
	 * The data of the events with this name: the line after that of the name.
	 */
	private static Stream<String> data(String name) {
		List<String> lines = List.copyOf(events);
		return Stream.iterate(0, (i) -> i < lines.size() - 1, (i) -> i + 1)
			.filter((i) -> lines.get(i).equals("event:" + name))
			.map((i) -> lines.get(i + 1).substring("data:".length()));
	}

	private static HttpResponse<String> post(String path, String body) {
		return send("POST", path, body);
	}

	private static HttpResponse<String> send(String method, String path, String body) {
		return exchange(method, address + path, body);
	}

	private static HttpResponse<String> exchange(String method, String uri, String body) {
		try {
			return http.send(HttpRequest.newBuilder(URI.create(uri))
				.method(method, BodyPublishers.ofString(body))
				.header("Content-Type", "application/json")
				.build(), BodyHandlers.ofString());
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
