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

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.support.Deadline;

/**
 * Calls that wait for the answers of the servers, with a deadline. Failures are thrown as
 * a {@link BackendException}. Thread-safe.
 */
final class Calls {

	private final Connection connection;

	Calls(Connection connection) {
		this.connection = connection;
	}

	/**
	 * Send a request in the current session, and wait for the answer.
	 */
	<T> T call(Duration timeout, Function<Session, CompletableFuture<T>> request) {
		long deadline = Deadline.after(timeout);
		Session session = session(Deadline.remainingNanos(deadline));
		return await(request.apply(session), deadline);
	}

	/**
	 * Return the session to send a request in.
	 * @param nanos the maximum time to wait until there is one
	 */
	Session session(long nanos) {
		try {
			return this.connection.session(nanos);
		}
		catch (ZooKeeperLockSetupException ex) {
			throw new BackendUnavailableException(String.valueOf(ex.getMessage()), ex);
		}
	}

	/**
	 * Wait for an answer.
	 */
	static <T> T await(CompletableFuture<T> answer, long deadline) {
		try {
			return Deadline.await(answer, deadline);
		}
		catch (ExecutionException ex) {
			throw translate(ex.getCause());
		}
		catch (TimeoutException ex) {
			throw translate(ex);
		}
	}

	/**
	 * Return the exception to throw for a failure.
	 */
	static RuntimeException translate(@Nullable Throwable failure) {
		Throwable cause = (failure != null) ? Answers.cause(failure) : null;
		if (cause instanceof BackendException || cause instanceof IllegalArgumentException) {
			return (RuntimeException) cause;
		}
		if (cause instanceof KeeperException rejection && isCertain(rejection.code())) {
			String hint = (rejection.code() == Code.UNIMPLEMENTED) ? " (the server must be 3.5.1 or later)" : "";
			return new BackendUnavailableException("ZooKeeper rejected the request: " + rejection.getMessage() + hint,
					rejection);
		}
		String reason = (cause instanceof TimeoutException) ? "no response within the timeout" : String.valueOf(cause);
		return new OutcomeUnknownException("ZooKeeper did not respond: " + reason, cause);
	}

	private static boolean isCertain(Code code) {
		return switch (code) {
			case CONNECTIONLOSS, OPERATIONTIMEOUT, SESSIONEXPIRED, SYSTEMERROR, RUNTIMEINCONSISTENCY, DATAINCONSISTENCY,
					MARSHALLINGERROR, REQUESTTIMEOUT ->
				false;
			default -> true;
		};
	}

}
