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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import org.springframework.util.FileSystemUtils;

import io.github.lockspring.sample.instance.Instance;

/**
 * The instances of the page: this process, which is the first, and those that it starts.
 * Thread-safe.
 */
@Component
@Profile(PageLauncher.PROFILE)
class Cluster implements DisposableBean {

	private static final Log logger = LogFactory.getLog(Cluster.class);

	private static final List<String> OF_FIRST_ONLY = List.of("--server.port=", "--server.address=",
			"--sample.instance", "--sample.allow-remote", "--spring.sql.init.mode=", "--lock.jdbc.initialize-schema=");

	private final List<String> arguments;

	private final PageSettings settings;

	private final EventStream events;

	private final List<Member> members = new CopyOnWriteArrayList<>();

	private final Path logs;

	Cluster(ApplicationArguments arguments, PageSettings settings, EventStream events) throws IOException {
		this.settings = settings;
		this.events = events;
		this.logs = Files.createTempDirectory("lock-sample-logs");
		this.arguments = new ArrayList<>(Arrays.stream(arguments.getSourceArgs())
			.filter((argument) -> OF_FIRST_ONLY.stream().noneMatch(argument::startsWith))
			.toList());
		this.arguments.addAll(List.of("--server.address=127.0.0.1", "--sample.pausable=true",
				"--management.endpoint.locks.access=unrestricted", "--spring.sql.init.mode=never",
				"--lock.jdbc.initialize-schema=never"));
	}

	@EventListener
	void onStarted(WebServerInitializedEvent event) {
		if (event.getApplicationContext().getServerNamespace() != null) {
			return;
		}
		this.members.add(new Member("1", "http://localhost:" + event.getWebServer().getPort()));
		for (int number = 2; number <= this.settings.instances(); number++) {
			Member member = new Member(String.valueOf(number), null);
			this.members.add(member);
			new Thread(() -> start(member), "start-" + member.name()).start();
		}
	}

	private void start(Member member) {
		List<String> arguments = new ArrayList<>(this.arguments);
		arguments.add("--sample.instance=" + member.name());
		try {
			Path log = Files.createTempFile(this.logs, "instance-" + member.name() + "-", ".log");
			Instance instance = Instance.start(arguments, log);
			member.starting(instance);
			instance.awaitStarted();
			member.setState(Member.State.SERVING);
			this.events.incident(member.name(), "started", null);
		}
		catch (Exception ex) {
			logger.error("Instance " + member.name() + " did not start", ex);
			member.setState(Member.State.KILLED);
		}
		this.events.stateChanged();
	}

	List<Member> members() {
		return this.members;
	}

	/**
	 * Return the member with the given name.
	 * @throws RefusedException if there is none
	 */
	Member member(String name) {
		return this.members.stream()
			.filter((member) -> member.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new RefusedException(Refusal.UNKNOWN_INSTANCE, Map.of("instance", name)));
	}

	/**
	 * Return the addresses of the first instances, in turn, as a load balancer would:
	 * those that do not serve are passed over.
	 * @param count how many instances take requests
	 */
	Supplier<String> addresses(int count) {
		AtomicInteger turn = new AtomicInteger();
		return () -> {
			List<Member> serving = this.members.stream()
				.limit(count)
				.filter((member) -> member.state() == Member.State.SERVING)
				.toList();
			return serving.get(Math.floorMod(turn.getAndIncrement(), serving.size())).address();
		};
	}

	/**
	 * Require that the first instances serve.
	 * @throws RefusedException if one of them does not
	 */
	void requireServing(int count) {
		this.members.stream()
			.limit(count)
			.filter((member) -> member.state() != Member.State.SERVING)
			.findFirst()
			.ifPresent((member) -> {
				throw new RefusedException(Refusal.NOT_SERVING, Map.of("instance", member.name()));
			});
	}

	/**
	 * Kill an instance as a crash would, and start another in its place.
	 */
	void replace(Member member) {
		member.kill();
		this.events.incident(member.name(), "killed", null);
		this.events.stateChanged();
		start(member);
	}

	@Override
	public void destroy() throws IOException {
		this.members.forEach(Member::kill);
		FileSystemUtils.deleteRecursively(this.logs);
	}

}
