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

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import io.github.lockspring.sample.instance.InstanceClient;

/**
 * Shows the locks of all instances, from the endpoint of each. Thread-safe.
 */
@Component
@Profile(PageLauncher.PROFILE)
class LockExplorer {

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private final Cluster cluster;

	private final InstanceClient client = new InstanceClient(() -> "");

	LockExplorer(Cluster cluster) {
		this.cluster = cluster;
	}

	/**
	 * Return the locks that the instances hold and wait for; one that does not answer is
	 * left out.
	 */
	List<InstanceLocks> locks() throws InterruptedException {
		List<InstanceLocks> locks = new ArrayList<>();
		for (Member member : serving()) {
			try {
				String body = InstanceClient
					.requireOk(this.client.send("GET", member.address(), "/actuator/locks", TIMEOUT));
				JsonNode backends = JsonMapper.shared().readTree(body).get("backends");
				locks.add(new InstanceLocks(member.name(), all(backends, "held"), all(backends, "waiting")));
			}
			catch (IOException | IllegalStateException ex) {
				// paused or killed in this moment
			}
		}
		return locks;
	}

	private static List<JsonNode> all(JsonNode backends, String name) {
		return backends.valueStream().flatMap((backend) -> backend.get(name).valueStream()).toList();
	}

	/**
	 * Release a lock by force. This process does not offer that over HTTP, as others may
	 * reach it; the instances that it has started do.
	 * @return whether it was held
	 * @throws RefusedException if no instance can do that
	 */
	boolean release(String key) throws IOException, InterruptedException {
		Member member = serving().stream()
			.filter(Member::isBreakable)
			.findFirst()
			.orElseThrow(() -> new RefusedException(Refusal.NO_INSTANCE));
		int status = this.client
			.send("DELETE", member.address(), "/actuator/locks?key=" + URLEncoder.encode(key, StandardCharsets.UTF_8),
					TIMEOUT)
			.statusCode();
		return status / 100 == 2;
	}

	private List<Member> serving() {
		return this.cluster.members().stream().filter((member) -> member.state() == Member.State.SERVING).toList();
	}

	/**
	 * The locks of one instance.
	 *
	 * @param instance the name of the instance
	 * @param held the locks that it holds
	 * @param waiting the locks that it waits for
	 */
	record InstanceLocks(String instance, List<JsonNode> held, List<JsonNode> waiting) {

	}

}
