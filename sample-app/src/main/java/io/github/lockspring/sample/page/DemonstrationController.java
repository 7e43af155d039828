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

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Profile;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * What the page asks for.
 */
@RestController
@RequestMapping("/demo")
@Profile(PageLauncher.PROFILE)
class DemonstrationController {

	private final StateReader state;

	private final Runs runs;

	private final Breaks breaks;

	private final LockExplorer explorer;

	private final EventStream events;

	private final Visitors visitors;

	DemonstrationController(StateReader state, Runs runs, Breaks breaks, LockExplorer explorer, EventStream events,
			Visitors visitors) {
		this.state = state;
		this.runs = runs;
		this.breaks = breaks;
		this.explorer = explorer;
		this.events = events;
		this.visitors = visitors;
	}

	@GetMapping
	State state(HttpServletRequest request) {
		return this.state.read(this.visitors.isRemote(request));
	}

	@GetMapping("/stream")
	SseEmitter stream(HttpServletRequest request) {
		return this.events.open(this.visitors.isRemote(request));
	}

	@PostMapping("/runs")
	@ResponseStatus(HttpStatus.CREATED)
	Run start(@RequestBody RunRequest request) {
		return this.runs.start(request);
	}

	@DeleteMapping("/runs/current")
	ResponseEntity<Void> cancel() {
		return ResponseEntity.status(this.runs.cancel() ? HttpStatus.NO_CONTENT : HttpStatus.NOT_FOUND).build();
	}

	@PostMapping("/breaks")
	@ResponseStatus(HttpStatus.ACCEPTED)
	void breakSomething(@RequestBody Break wanted, HttpServletRequest request) {
		this.visitors.requireAllowed(request);
		this.breaks.start(wanted.kind(), wanted.instance());
	}

	@GetMapping("/locks")
	List<LockExplorer.InstanceLocks> locks() throws InterruptedException {
		return this.explorer.locks();
	}

	@DeleteMapping("/locks")
	ResponseEntity<Void> release(@RequestParam String key, HttpServletRequest request)
			throws IOException, InterruptedException {
		this.visitors.requireAllowed(request);
		return ResponseEntity.status(this.explorer.release(key) ? HttpStatus.NO_CONTENT : HttpStatus.NOT_FOUND).build();
	}

	/**
	 * What to break.
	 *
	 * @param kind {@code pause}, {@code kill} or {@code stop-store}
	 * @param instance the name of the instance, {@code null} for any
	 */
	record Break(String kind, @Nullable String instance) {

	}

}
