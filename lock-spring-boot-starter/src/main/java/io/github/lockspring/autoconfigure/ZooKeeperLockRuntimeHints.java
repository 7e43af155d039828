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

package io.github.lockspring.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Tells a native image of the classes that ZooKeeper and Curator look for by their names:
 * the connections, of which a system property chooses one, and what tells the versions of
 * ZooKeeper apart.
 */
final class ZooKeeperLockRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		ReflectionHints reflection = hints.reflection();
		reflection.registerTypeIfPresent(classLoader, "org.apache.zookeeper.ClientCnxnSocketNIO",
				MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
		reflection.registerTypeIfPresent(classLoader, "org.apache.zookeeper.ClientCnxnSocketNetty",
				MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
		reflection.registerTypeIfPresent(classLoader, "org.apache.zookeeper.AddWatchMode");
		reflection.registerTypeIfPresent(classLoader, "org.apache.zookeeper.server.quorum.MultipleAddresses",
				MemberCategory.INVOKE_PUBLIC_METHODS);
		reflection.registerTypeIfPresent(classLoader, "org.apache.zookeeper.server.quorum.QuorumPeer$QuorumServer",
				(type) -> type.withField("addr"));
	}

}
