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

package io.github.lockspring.spi;

/**
 * Hears what the store has to say unasked. Calls may come from any thread and return at
 * once; those about single requests may come in any order, twice or not at all.
 */
public interface BackendListener {

	/**
	 * Hints that a request in the queue may be granted if it is tried now.
	 * @param request the request that waits
	 */
	void onRetryHint(LeaseRequest request);

	/**
	 * Tells that the store made a request in the queue the holder, at some time after it
	 * had denied it. News may come late: a grant that does not follow the last denial of
	 * the request counts as a hint.
	 * @param request the request that waited
	 * @param grant what the store granted; its validity counts from the attempt that was
	 * denied, and may be much shorter than the lease time until the lease is renewed
	 * @param stamp the {@linkplain Denial#stamp() stamp} of that denial
	 * @return {@code true} if the lease was taken over, now or before; {@code false} if
	 * nobody waits for it any more, in which case the caller releases it
	 */
	boolean onGranted(LeaseRequest request, Grant grant, long stamp);

	/**
	 * Tells that the store gave up a lease that was held.
	 * @param lease the request that had been granted
	 */
	void onLost(LeaseRequest lease);

	/**
	 * Tells that the store cannot be asked at present whether what is held is still held:
	 * until {@link #onResumed()} no lease counts as held, not even one that is granted in
	 * the meantime, though none is lost. Leases whose time is over in the meantime are
	 * lost as ever. Does nothing if this was told already. Of this and
	 * {@link #onResumed()} the last call counts; one of them ends before the next begins.
	 */
	void onSuspended();

	/**
	 * Tells that the store can be asked again, and still has all leases of which it did
	 * not tell that they are {@linkplain #onLost lost}. Comes after these losses, and
	 * before the store answers a request again. Does nothing unless it was
	 * {@link #onSuspended()}.
	 */
	void onResumed();

	/**
	 * Tells that another server answers from now on, which may not know all leases: no
	 * lease counts as held that was granted or renewed by an answer to what was sent
	 * before, until the store renews it, which is tried at once. Leases that are not
	 * renewed are held until their time is over. Comes after the last request was sent to
	 * the former server.
	 */
	default void onFailedOver() {
	}

}
