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

package io.github.lockspring.zookeeper;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Supplier;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.BackgroundCallback;
import org.apache.curator.framework.api.CreateBuilder;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.ErrorListenerPathAndBytesable;
import org.apache.curator.framework.api.ProtectACLCreateModeStatPathAndBytesable;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * Creation of a persistent node, in the background and without a repetition. Its parent
 * must exist.
 */
final class ModelCreation implements InvocationHandler {

	private final Supplier<? extends ZooKeeper> client;

	private final CuratorFramework framework;

	private @Nullable BackgroundCallback callback;

	private ModelCreation(Supplier<? extends ZooKeeper> client, CuratorFramework framework) {
		this.client = client;
		this.framework = framework;
	}

	static CreateBuilder begin(Supplier<? extends ZooKeeper> client, CuratorFramework framework) {
		return (CreateBuilder) Proxy.newProxyInstance(
				ModelCreation.class.getClassLoader(), new Class<?>[] { CreateBuilder.class,
						ProtectACLCreateModeStatPathAndBytesable.class, ErrorListenerPathAndBytesable.class },
				new ModelCreation(client, framework));
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, Object[] arguments) {
		return switch (method.getName()) {
			case "creatingParentsIfNeeded" -> proxy;
			case "inBackground" -> {
				this.callback = (BackgroundCallback) arguments[0];
				yield proxy;
			}
			case "forPath" -> {
				create((String) arguments[0]);
				yield null;
			}
			default -> throw new UnsupportedOperationException(method.toString());
		};
	}

	private void create(String path) {
		BackgroundCallback callback = this.callback;
		if (callback == null) {
			throw new UnsupportedOperationException("Only in the background");
		}
		this.client.get()
			.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT,
					(code, asked, context, name, stat) -> callback(callback, code), null);
	}

	private void callback(BackgroundCallback callback, int code) {
		CuratorEvent event = (CuratorEvent) Proxy.newProxyInstance(ModelCreation.class.getClassLoader(),
				new Class<?>[] { CuratorEvent.class }, (proxy, method, arguments) -> code);
		try {
			callback.processResult(this.framework, event);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
