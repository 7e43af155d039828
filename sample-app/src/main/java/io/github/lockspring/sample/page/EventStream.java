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
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

import io.github.lockspring.sample.timeline.Incident;
import io.github.lockspring.sample.timeline.Timeline;

/**
 * Sends events to all pages that are open. Each page has its own thread, so that a slow
 * one delays no other; one that is too slow is cut off, and its browser connects again.
 * Thread-safe.
 */
@Component
@Profile(PageLauncher.PROFILE)
class EventStream {

	private static final int MAX_PAGES = 20;

	private static final int MAX_WAITING = 200;

	private final ObjectProvider<StateReader> state;

	private final History history;

	private final List<OpenPage> pages = new CopyOnWriteArrayList<>();

	EventStream(ObjectProvider<StateReader> state, History history) {
		this.state = state;
		this.history = history;
	}

	/**
	 * Open a page, which receives the state first, and then what has happened before.
	 * @param remote whether the visitor is on another machine
	 * @throws RefusedException if too many are open
	 */
	synchronized SseEmitter open(boolean remote) {
		if (this.pages.size() >= MAX_PAGES) {
			throw new RefusedException(Refusal.TOO_MANY_PAGES, Map.of("most", MAX_PAGES));
		}
		OpenPage page = new OpenPage(() -> this.state.getObject().read(remote));
		this.pages.add(page);
		page.send(new Event("state", page.state));
		// Read when it is sent: what is sent afterwards is not older than this
		page.send(new Event("history", this.history::read));
		page.start();
		return page.emitter;
	}

	boolean hasPages() {
		return !this.pages.isEmpty();
	}

	void send(String name, Object data) {
		this.pages.forEach((page) -> page.send(new Event(name, () -> data)));
	}

	void progress(Meter.Progress progress) {
		this.history.add(progress);
		send("progress", progress);
	}

	void stateChanged() {
		this.pages.forEach((page) -> page.send(new Event("state", page.state)));
	}

	void incident(@Nullable String instance, String kind, @Nullable String detail) {
		incident(new Incident(Timeline.now(), instance, kind, detail));
	}

	void incident(Incident incident) {
		this.history.add(incident);
		send("incident", incident);
	}

	/**
	 * End all streams, for which a graceful shutdown of the server would wait.
	 */
	@EventListener(ContextClosedEvent.class)
	void close() {
		this.pages.forEach(OpenPage::close);
	}

	private record Event(String name, Supplier<?> data) {
	}

	private final class OpenPage extends Thread {

		private final SseEmitter emitter = new SseEmitter(0L);

		private final BlockingQueue<Event> waiting = new ArrayBlockingQueue<>(MAX_WAITING);

		private final Supplier<?> state;

		OpenPage(Supplier<?> state) {
			super("page");
			setDaemon(true);
			this.state = state;
			this.emitter.onCompletion(this::interrupt);
			this.emitter.onError((ex) -> interrupt());
		}

		void send(Event event) {
			if (!this.waiting.offer(event)) {
				close();
			}
		}

		void close() {
			EventStream.this.pages.remove(this);
			interrupt();
		}

		@Override
		public void run() {
			try {
				while (!isInterrupted()) {
					Event event = this.waiting.take();
					this.emitter.send(SseEmitter.event().name(event.name()).data(event.data().get()));
				}
			}
			catch (IOException | IllegalStateException ex) {
				// the visitor has left
			}
			catch (InterruptedException ex) {
				interrupt();
			}
			finally {
				EventStream.this.pages.remove(this);
				complete();
			}
		}

		private void complete() {
			try {
				this.emitter.complete();
			}
			catch (IllegalStateException ex) {
				// the container has ended the request after an error
			}
		}

	}

}
