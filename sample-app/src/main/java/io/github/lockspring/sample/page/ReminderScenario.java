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
import java.util.List;

import org.springframework.context.annotation.Profile;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import io.github.lockspring.sample.instance.InstanceClient;
import io.github.lockspring.sample.stock.Strategy;

/**
 * The same scheduled job in all instances: how many text messages does a customer get?
 */
@Component
@Profile(PageLauncher.PROFILE)
@Order(2)
class ReminderScenario implements Scenario {

	private static final int HOURS = 5;

	private static final long POLL_MILLIS = 200;

	private final Cluster cluster;

	ReminderScenario(Cluster cluster) {
		this.cluster = cluster;
	}

	@Override
	public String id() {
		return "reminder";
	}

	@Override
	public List<Strategy> strategies() {
		return WITH_AND_WITHOUT;
	}

	@Override
	public String key(Run run) {
		return "reminder:" + run.id();
	}

	@Override
	public boolean hasCustomers() {
		return false;
	}

	@Override
	public long steps(RunRequest request) {
		return HOURS;
	}

	@Override
	public Findings run(Run run, InstanceClient instances, Meter meter) throws IOException, InterruptedException {
		InstanceClient.requireOk(instances.send("POST", "/reminders/reset?customer=" + run.id()));
		try {
			switchOff(instances);
			switchOn(run, instances);
			JsonNode hours = sent(run, instances);
			while (hours.size() < HOURS + 2) {
				meter.setDone(Math.max(0, hours.size() - 1));
				Thread.sleep(POLL_MILLIS);
				hours = sent(run, instances);
			}
		}
		finally {
			switchOff(instances);
		}
		meter.setDone(HOURS);
		return findings(sent(run, instances));
	}

	private static JsonNode sent(Run run, InstanceClient instances) throws IOException, InterruptedException {
		String body = InstanceClient.requireOk(instances.send("GET", "/reminders?customer=" + run.id()));
		return JsonMapper.shared().readTree(body).get("hours");
	}

	/**
	 * The first and the last hour may not be whole: they are not counted.
	 */
	private static Findings findings(JsonNode hours) {
		int messages = 0;
		boolean wrong = false;
		for (int hour = 1; hour <= HOURS; hour++) {
			int count = hours.get(hour).get("count").asInt();
			messages += count;
			wrong |= count != 1;
		}
		return new Findings(null, RunResult.Figures.ofReminders(messages, HOURS, wrong, true));
	}

	private void switchOn(Run run, InstanceClient instances) throws IOException, InterruptedException {
		String path = "/reminders?strategy=%s&customer=%d".formatted(run.strategy(), run.id());
		switchAll(this.cluster.members().subList(0, run.instances()), instances, "PUT", path);
	}

	/**
	 * Switch the job off in all instances: one that was paused may have missed it before.
	 */
	private void switchOff(InstanceClient instances) throws IOException, InterruptedException {
		switchAll(this.cluster.members(), instances, "DELETE", "/reminders");
	}

	private static void switchAll(List<Member> members, InstanceClient instances, String method, String path)
			throws IOException, InterruptedException {
		for (Member member : members) {
			if (member.state() == Member.State.SERVING) {
				InstanceClient.requireOk(instances.send(method, member.address(), path, InstanceClient.TIMEOUT));
			}
		}
	}

}
