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

package io.github.lockspring.simulator.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.CheckVersionRequest;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.SetDataRequest;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.simulator.zookeeper.Transaction.Change;
import io.github.lockspring.simulator.zookeeper.ZNode.Creation;
import io.github.lockspring.simulator.zookeeper.ZNode.Moment;

/**
 * Transaction in the making: changes of the nodes of the leader, which can be undone.
 */
final class Proposal {

	private static final int ANY_VERSION = -1;

	private final NodeTree tree;

	private final Moment moment;

	private final List<Change> changes = new ArrayList<>();

	private final List<Runnable> undo = new ArrayList<>();

	/**
	 * Begin a transaction.
	 * @param tree the nodes of the leader
	 * @param moment its id and time
	 */
	Proposal(NodeTree tree, Moment moment) {
		this.tree = tree;
		this.moment = moment;
	}

	Transaction end() {
		return new Transaction(this.moment.zxid(), this.changes);
	}

	void undo() {
		for (int i = this.undo.size() - 1; i >= 0; i--) {
			this.undo.get(i).run();
		}
		this.changes.clear();
	}

	/**
	 * Make all of several changes or none of them.
	 * @return the results, errors if one failed
	 */
	List<OpResult> applyAll(long session, List<Op> ops) {
		List<OpResult> results = new ArrayList<>();
		for (Op op : ops) {
			try {
				results.add(apply(session, op));
			}
			catch (KeeperException ex) {
				undo();
				return errors(results.size(), ex.code(), ops.size());
			}
		}
		return results;
	}

	private static List<OpResult> errors(int failed, KeeperException.Code code, int size) {
		List<OpResult> errors = new ArrayList<>();
		for (int i = 0; i < size; i++) {
			KeeperException.Code result = (i < failed) ? KeeperException.Code.OK
					: (i == failed) ? code : KeeperException.Code.RUNTIMEINCONSISTENCY;
			errors.add(new OpResult.ErrorResult(result.intValue()));
		}
		return errors;
	}

	/**
	 * Make a change.
	 * @param session the session that makes it
	 */
	OpResult apply(long session, Op op) throws KeeperException {
		return switch (op.getType()) {
			case OpCode.create, OpCode.createContainer ->
				new OpResult.CreateResult(create(session, (CreateRequest) op.toRequestRecord()));
			case OpCode.delete -> {
				DeleteRequest request = (DeleteRequest) op.toRequestRecord();
				delete(request.getPath(), request.getVersion());
				yield new OpResult.DeleteResult();
			}
			case OpCode.setData -> {
				SetDataRequest request = (SetDataRequest) op.toRequestRecord();
				ZNode node = check(request.getPath(), request.getVersion());
				put(request.getPath(), node.withData(request.getData(), this.moment), EventType.NodeDataChanged);
				yield new OpResult.SetDataResult(this.tree.stat(request.getPath()));
			}
			case OpCode.check -> {
				CheckVersionRequest request = (CheckVersionRequest) op.toRequestRecord();
				check(request.getPath(), request.getVersion());
				yield new OpResult.CheckResult();
			}
			default -> throw new KeeperException.UnimplementedException();
		};
	}

	private String create(long session, CreateRequest request) throws KeeperException {
		CreateMode mode = CreateMode.fromFlag(request.getFlags());
		String parentPath = NodeTree.parentOf(request.getPath());
		ZNode parent = this.tree.get(parentPath);
		String path = mode.isSequential()
				? request.getPath() + String.format(Locale.ENGLISH, "%010d", parent.creations()) : request.getPath();
		if (this.tree.find(path) != null) {
			throw new KeeperException.NodeExistsException(path);
		}
		if (parent.isEphemeral()) {
			throw new KeeperException.NoChildrenForEphemeralsException(path);
		}
		Creation creation = new Creation(this.moment, mode.isEphemeral() ? session : 0, mode.isContainer());
		put(path, ZNode.create(creation, request.getAcl(), request.getData())
			.withCreations(mode.isContainer() ? this.tree.firstSequence() : 0), EventType.NodeCreated);
		put(parentPath, parent.withCreation(this.moment.zxid()), EventType.None);
		return path;
	}

	/**
	 * Delete a node.
	 * @param version the version that it must have, -1 for any
	 */
	void delete(String path, int version) throws KeeperException {
		check(path, version);
		if (!this.tree.children(path).isEmpty()) {
			throw new KeeperException.NotEmptyException(path);
		}
		put(path, null, EventType.NodeDeleted);
		String parentPath = NodeTree.parentOf(path);
		put(parentPath, this.tree.get(parentPath).withDeletion(this.moment.zxid()), EventType.None);
	}

	private ZNode check(String path, int version) throws KeeperException {
		ZNode node = this.tree.get(path);
		if (version != ANY_VERSION && version != node.version()) {
			throw new KeeperException.BadVersionException(path);
		}
		return node;
	}

	private void put(String path, @Nullable ZNode node, EventType event) {
		ZNode before = this.tree.find(path);
		this.undo.add(() -> this.tree.put(path, before));
		this.tree.put(path, node);
		this.changes.add(new Change(path, node, event));
	}

}
