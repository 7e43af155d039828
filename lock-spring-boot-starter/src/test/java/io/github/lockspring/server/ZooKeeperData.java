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
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;

/**
 * The data of a ZooKeeper server that has ended.
 */
final class ZooKeeperData {

	private ZooKeeperData() {
	}

	/**
	 * Set the number of the next sequential node below each node.
	 * @param folder the folder of the data
	 * @param next the number
	 */
	static void setSequenceNumbers(Path folder, int next) {
		try {
			FileTxnSnapLog files = new FileTxnSnapLog(folder.toFile(), folder.toFile());
			try {
				DataTree tree = new DataTree();
				ConcurrentHashMap<Long, Integer> sessions = new ConcurrentHashMap<>();
				files.restore(tree, sessions, (header, record, digest) -> {
				});
				set(tree, "/", next);
				files.save(tree, sessions, true);
			}
			finally {
				files.close();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void set(DataTree tree, String path, int next) {
		DataNode node = tree.getNode(path);
		node.stat.setCversion(next);
		for (String child : node.getChildren()) {
			set(tree, (path.equals("/") ? "" : path) + "/" + child, next);
		}
	}

}
