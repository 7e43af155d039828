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

import java.util.List;

import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;

/**
 * State of a node.
 *
 * @param creation how it was created
 * @param acl the ACL
 * @param data the data
 * @param version the number of changes of the data
 * @param changed the transaction that changed the data last
 * @param creations the number of children ever created
 * @param childrenChanged the id of the transaction that created or deleted a child last
 */
record ZNode(Creation creation, List<ACL> acl, byte[] data, int version, Moment changed, int creations,
		long childrenChanged) {

	/**
	 * Return a node without children.
	 */
	static ZNode create(Creation creation, List<ACL> acl, byte[] data) {
		return new ZNode(creation, acl, data, 0, creation.moment(), 0, creation.moment().zxid());
	}

	/**
	 * Return this node as if it had had children before.
	 * @param creations how many
	 */
	ZNode withCreations(int creations) {
		return withChildren(creations, this.childrenChanged);
	}

	ZNode withData(byte[] data, Moment moment) {
		return new ZNode(this.creation, this.acl, data, this.version + 1, moment, this.creations, this.childrenChanged);
	}

	/**
	 * Return this node with one more child. The number of children is not counted beyond
	 * the highest number.
	 */
	ZNode withCreation(long zxid) {
		return (this.creations == Integer.MAX_VALUE) ? this : withChildren(this.creations + 1, zxid);
	}

	/**
	 * Return this node after the deletion of a child.
	 */
	ZNode withDeletion(long zxid) {
		return withChildren(this.creations, zxid);
	}

	private ZNode withChildren(int creations, long zxid) {
		return new ZNode(this.creation, this.acl, this.data, this.version, this.changed, creations, zxid);
	}

	boolean isEphemeral() {
		return this.creation.owner() != 0;
	}

	/**
	 * Return the metadata.
	 * @param children the number of children
	 */
	Stat stat(int children) {
		Moment created = this.creation.moment();
		return new Stat(created.zxid(), this.changed.zxid(), created.millis(), this.changed.millis(), this.version,
				2 * this.creations - children, 0, this.creation.owner(), this.data.length, children,
				this.childrenChanged);
	}

	/**
	 * Transaction and its time.
	 *
	 * @param zxid the id of the transaction
	 * @param millis the wall clock of the leader
	 */
	record Moment(long zxid, long millis) {
	}

	/**
	 * Creation of a node.
	 *
	 * @param moment when it was created
	 * @param owner the session that it ends with, 0 if it is persistent
	 * @param container whether it is deleted when it is no longer used
	 */
	record Creation(Moment moment, long owner, boolean container) {
	}

}
