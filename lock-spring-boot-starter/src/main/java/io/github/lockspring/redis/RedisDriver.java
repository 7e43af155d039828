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

package io.github.lockspring.redis;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisNode;

/**
 * Client library, which opens connections that are configured like those of the
 * application.
 */
interface RedisDriver extends AutoCloseable {

	/**
	 * Return the address of the servers, for messages.
	 */
	String address();

	/**
	 * Return whether the keys are distributed over several servers.
	 */
	boolean isCluster();

	/**
	 * Return the maximum number of connections for calls.
	 */
	int maxLinks();

	/**
	 * Return the sentinels that monitor the primary, empty if there are none.
	 */
	List<RedisNode> sentinels();

	/**
	 * Return the name of the primary for the sentinels, empty if there are none.
	 */
	String primaryName();

	/**
	 * Start to detect changes of the primaries of a cluster.
	 * @param failedOver called after each
	 */
	void start(Runnable failedOver);

	/**
	 * Connect to a server.
	 * @param server the server, or {@code null} for that of the configuration, or the
	 * cluster
	 * @param forMessages whether it is used for messages only
	 */
	RedisLink connect(@Nullable RedisNode server, boolean forMessages);

	/**
	 * Connect to a sentinel.
	 * @param forMessages whether it is used for messages only
	 */
	RedisLink connectSentinel(RedisNode sentinel, boolean forMessages);

	/**
	 * Follow the messages of a connection.
	 * @param lost called when the connection is lost
	 */
	void follow(RedisLink link, Runnable lost);

	/**
	 * Run a task that sends calls, without blocking the delivery of messages.
	 */
	void execute(Runnable task);

	/**
	 * Return whether a failure is an error returned by a server.
	 */
	boolean isError(Throwable failure);

	/**
	 * Return whether a failure means that a call was not sent.
	 */
	boolean isUnsent(Throwable failure);

	@Override
	void close();

}
