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

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.common.PathUtils;
import org.junit.jupiter.api.Test;

import io.github.lockspring.server.ZooKeeperServer;
import io.github.lockspring.spi.LeaseRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockPaths}.
 */
class LockPathsServerTests {

	private static final List<String> TEXTS = List.of("key", "Key", "..", ".", "...", "..a", ".a", "a.", "a..", "%2E",
			"%2E.", "/", "//", "a/b", "a//b", "a/./b", "a/../b", "../../zookeeper", "/zookeeper", "zookeeper", "lock",
			"%2F", "%252F", "%", "%%", "a%2Fb", "a%2fb", "\0", "a\0", "\0a", "%00", "\t", "\n", "\r\n", "\u001f",
			"\u007f", "\u0080", "\u009f", "\u00a0", "\ufff0", "\uffff", "\ufeff", "\u2028", "\u00e9", "e\u0301",
			"\u30ac", "\u30ab\u3099", "\ud83d\ude00", "\ud83d\ude01", "\ud83d\udc68\u200d\ud83d\udc69", "\udbff\udffd",
			" ", "a ", " a", "+", "a+b", "a b", "0123456789abcdef0123456789abcdef-1-x1_0000000000", "_", "-", "~", "*",
			"?", "\\", "\ud83d\ude00".repeat(128), "\ud83d\ude00".repeat(127) + "\ud83d\ude01", "a".repeat(512));

	private final LockPaths paths = paths("lock");

	private static LockPaths paths(String namespace) {
		return new LockPaths(Clients.create("localhost:1"), namespace);
	}

	@Test
	void everyTextIsOneNodeDirectlyBelowTheRoot() {
		for (String text : TEXTS) {
			String path = this.paths.of(text);
			PathUtils.validatePath(path);
			assertThat(path).startsWith("/lock/").matches("/lock/[\\x21-\\x7e&&[^/]]+");
			assertThat(decode(path.substring("/lock/".length()))).isEqualTo(text);
		}
		assertThat(TEXTS).doesNotHaveDuplicates();
	}

	@Test
	void everyCharacterIsDistinguished() {
		Set<String> paths = new HashSet<>();
		for (int character = 0; character <= 0x1_ffff; character++) {
			if (character < Character.MIN_SURROGATE || character > Character.MAX_SURROGATE) {
				assertThat(paths.add(this.paths.of(Character.toString(character)))).isTrue();
				assertThat(paths.add(this.paths.of("a" + Character.toString(character)))).isTrue();
			}
		}
	}

	@Test
	void rootMayBeBelowOtherNodes() {
		assertThat(paths("a/b").root()).isEqualTo("/a/b");
		assertThat(paths("a/b").of("..")).isEqualTo("/a/b/%2E.");
		LockPaths inNamespace = new LockPaths(Clients.inNamespace("localhost:1", "app"), "a/b");
		assertThat(inNamespace.root()).isEqualTo("/app/a/b");
		assertThat(inNamespace.relativeRoot()).isEqualTo("/a/b");
		assertThat(inNamespace.of("/")).isEqualTo("/app/a/b/%2F");
	}

	@Test
	void nothingIsCreatedOutsideTheRoot() throws Exception {
		try (ZooKeeperServer server = ZooKeeperServer.start();
				ZooKeeperProcess process = ZooKeeperProcess.on(server.connectString())) {
			Set<String> outside = nodes(process.client);
			List<LeaseRequest> leases = new ArrayList<>();
			TEXTS.forEach((text) -> leases.add(process.acquire(text)));
			assertThat(process.client.getChildren().forPath("/lock")).hasSameSizeAs(TEXTS);
			for (String text : TEXTS) {
				assertThat(process.client.getChildren().forPath(this.paths.of(text))).hasSize(1);
			}
			Set<String> present = nodes(process.client);
			present.removeIf((path) -> path.startsWith("/lock/"));
			assertThat(present).isEqualTo(outside);
			assertThat(leases).allMatch(process::release);
		}
	}

	private static Set<String> nodes(CuratorFramework client) throws Exception {
		return new TreeSet<>(ZKUtil.listSubTreeBFS(client.getZookeeperClient().getZooKeeper(), "/"));
	}

	private static String decode(String name) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		for (int i = 0; i < name.length(); i++) {
			if (name.charAt(i) == '%') {
				bytes.write(Integer.parseInt(name.substring(i + 1, i + 3), 16));
				i += 2;
			}
			else {
				bytes.write(name.charAt(i));
			}
		}
		return bytes.toString(StandardCharsets.UTF_8);
	}

}
