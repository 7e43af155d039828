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
package io.github.lockspring.server;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Properties;

import org.apache.zookeeper.metrics.MetricsContext;
import org.apache.zookeeper.metrics.Summary;
import org.apache.zookeeper.metrics.impl.DefaultMetricsProvider;

/**
 * Runs within a {@link ZooKeeperServer} and makes its disk slow. ZooKeeper reports each
 * fsync of its log to the metrics provider before it continues: this one keeps it
 * waiting, as long as a file says. Otherwise it is the provider that ZooKeeper has by
 * default.
 */
public final class SlowDiskMetrics extends DefaultMetricsProvider {

	private Path delayFile = Path.of("fsync-delay");

	@Override
	public void configure(Properties configuration) {
		this.delayFile = Path.of(configuration.getProperty("delayFile"));
	}

	@Override
	public MetricsContext getRootContext() {
		MetricsContext context = super.getRootContext();
		return (MetricsContext) Proxy.newProxyInstance(MetricsContext.class.getClassLoader(),
				new Class<?>[] { MetricsContext.class }, (proxy, method, arguments) -> {
					Object result = method.invoke(context, arguments);
					return (result instanceof Summary summary && arguments[0].equals("fsynctime")) ? slow(summary)
							: result;
				});
	}

	private Summary slow(Summary summary) {
		return (millis) -> {
			long start = System.nanoTime();
			while (millisSince(start) < delayMillis()) {
				pause();
			}
			summary.add(millis + millisSince(start));
		};
	}

	private static long millisSince(long start) {
		return (System.nanoTime() - start) / 1_000_000;
	}

	private long delayMillis() {
		try {
			return Long.parseLong(Files.readString(this.delayFile));
		}
		catch (NoSuchFileException ex) {
			return 0;
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void pause() {
		try {
			Thread.sleep(5);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
