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

package io.github.lockspring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.lang.reflect.Constructor;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.LockUtils.WorkPart;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.TimeSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Threads of a container outlive the applications that they serve, and must keep nothing
 * of them: each application has the library in a class loader of its own.
 */
class ClassLoaderTests {

	private final ExecutorService container = Executors.newSingleThreadExecutor();

	@AfterEach
	void close() {
		this.container.shutdown();
	}

	@Test
	void threadOfAContainerKeepsNothingOfAnApplicationThatIsClosed() throws Exception {
		WeakReference<ClassLoader> application = this.container.submit(() -> run(Application.class)).get();
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
			System.gc();
			return application.get() == null;
		});
	}

	private static WeakReference<ClassLoader> run(Class<? extends Runnable> application) {
		URL[] urls = { locationOf(LockTemplate.class), locationOf(application) };
		try (URLClassLoader loader = new ApplicationClassLoader(urls)) {
			Class<?> copy = loader.loadClass(application.getName());
			assertThat(copy).isNotSameAs(application);
			Constructor<?> constructor = copy.getDeclaredConstructor();
			constructor.setAccessible(true);
			((Runnable) constructor.newInstance()).run();
			return new WeakReference<>(loader);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static URL locationOf(Class<?> type) {
		return type.getProtectionDomain().getCodeSource().getLocation();
	}

	/**
	 * An application that locks in every way that leaves something in a thread.
	 */
	static final class Application implements Runnable {

		Application() {
		}

		@Override
		public void run() {
			try (LockEngine engine = new LockEngine(new LocalLockBackend(new LocalStore()), EngineSettings.defaults(),
					EngineListener.NONE, TimeSource.SYSTEM)) {
				LockTemplate locks = new LockTemplate(engine, "lock:", LockOptions.defaults());
				try (LockHandle lock = locks.acquire("42", LockOptions.defaults())) {
					LockUtils.enter("order", lock);
					try (WorkPart part = LockUtils.begin(LockContext.get())) {
						locks.acquire("43", LockOptions.defaults()).close();
					}
					LockUtils.leave();
				}
				locks.acquireAsync("42", LockOptions.defaults()).join().closeAsync().join();
			}
		}

	}

	/**
	 * Has a copy of each class of the library.
	 */
	private static final class ApplicationClassLoader extends URLClassLoader {

		ApplicationClassLoader(URL[] urls) {
			super(urls, ClassLoaderTests.class.getClassLoader());
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			synchronized (getClassLoadingLock(name)) {
				Class<?> loaded = findLoadedClass(name);
				boolean ours = name.startsWith("io.github.lockspring.");
				return (loaded != null) ? loaded : ours ? findClass(name) : super.loadClass(name, resolve);
			}
		}

	}

}
