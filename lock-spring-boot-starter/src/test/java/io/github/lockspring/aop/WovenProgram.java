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
package io.github.lockspring.aop;

import java.util.function.Predicate;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.TimeSource;
import io.github.lockspring.local.LocalLockBackend;

/**
 * A program whose classes are woven when they are loaded. It tells which of the methods
 * of a plain object were under their locks.
 */
final class WovenProgram {

	private WovenProgram() {
	}

	public static void main(String[] args) {
		System.out.println("early: " + early());
		LockEngine engine = new LockEngine(new LocalLockBackend(), EngineSettings.defaults(), EngineListener.NONE,
				TimeSource.SYSTEM);
		LockTemplate template = new LockTemplate(engine, "lock:", LockOptions.defaults());
		DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();
		beanFactory.registerSingleton("lockTemplate", template);
		WovenLocks.aspectOf()
			.use(new DistributedLockInterceptor(beanFactory, () -> new LockDefaults(LockOptions.defaults(), null),
					false));
		new Plain((key) -> engine.size() == 1).callsAll();
		engine.close();
	}

	private static String early() {
		try {
			new Plain((key) -> false).callsAll();
			return "not locked";
		}
		catch (IllegalStateException ex) {
			return "refused";
		}
	}

	/**
	 * Calls its own methods, which no proxy could intercept.
	 */
	private static final class Plain {

		private final Predicate<String> held;

		private Plain(Predicate<String> held) {
			this.held = held;
		}

		private void callsAll() {
			ofPlainObject(1);
			ofClass(1, this.held);
			unlocked();
		}

		@DistributedLock(name = "private", key = "#id")
		private void ofPlainObject(long id) {
			System.out.println("private: " + this.held.test("private:" + id));
		}

		@DistributedLock(name = "static", key = "#id")
		private static void ofClass(long id, Predicate<String> held) {
			System.out.println("static: " + held.test("static:" + id));
		}

		private void unlocked() {
			System.out.println("unlocked: " + this.held.test("none"));
		}

	}

}
