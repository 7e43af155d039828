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

package io.github.lockspring.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * Node of a queue: its state, its waiter, and what that is notified of. The state is a
 * single number, so that reentrant acquisition, release and loss are mutually exclusive
 * without a lock: positive while held, which is then the hold count, negative once lost,
 * zero at the end.
 * <p>
 * Thread-safe.
 *
 * @param <N> the type of the nodes
 */
abstract class QueueNode<N extends QueueNode<N>> {

	static final int WAITING = Integer.MIN_VALUE;

	static final int TRYING = Integer.MIN_VALUE + 1;

	static final int LEADING = Integer.MIN_VALUE + 2;

	static final int ENDED = 0;

	private static final int MAX_COUNT = -(LEADING + 1);

	private static final VarHandle STATE = Fields.varHandle(MethodHandles.lookup(), "state", int.class);

	private static final VarHandle ATTACHED = Fields.varHandle(MethodHandles.lookup(), "attached", Object.class);

	/**
	 * The waiter: a {@link Thread}, which needs no object of its own to be woken, or a
	 * {@link Waiter}.
	 */
	final Object waiter;

	/**
	 * The next node in the list of waiting or of granted ones. Belongs to the queue and
	 * is written under its monitor.
	 */
	@Nullable N next;

	/**
	 * Written by the methods of this class.
	 */
	volatile int state;

	/**
	 * The last {@link Notification}, which only the leader gets; once this is held, what
	 * is to be done after its loss.
	 */
	volatile @Nullable Object attached;

	QueueNode(Object waiter) {
		this.waiter = waiter;
	}

	/**
	 * Decrement the hold count.
	 * @return the former state
	 */
	int decrement() {
		while (true) {
			int current = this.state;
			if (current == ENDED || current <= LEADING) {
				throw new IllegalStateException("The hold was already released");
			}
			if (STATE.compareAndSet(this, current, (current > ENDED) ? current - 1 : current + 1)) {
				return current;
			}
		}
	}

	/**
	 * End this if it is held once.
	 * @return {@code false} if it has ended, or was lost
	 */
	boolean endIfHeld() {
		return STATE.compareAndSet(this, 1, ENDED);
	}

	/**
	 * Increment the hold count.
	 * @return {@code false} if this is no longer held
	 */
	boolean countUp() {
		while (true) {
			int current = this.state;
			if (current <= ENDED) {
				return false;
			}
			if (current == MAX_COUNT) {
				throw new IllegalStateException("Maximum number of reentrant acquisitions exceeded");
			}
			if (STATE.compareAndSet(this, current, current + 1)) {
				return true;
			}
		}
	}

	/**
	 * Return the number of acquisitions that were not released, held or lost.
	 */
	int acquisitions() {
		int state = this.state;
		return (state > LEADING) ? Math.abs(state) : 0;
	}

	/**
	 * Mark this as lost.
	 * @return {@code true} for exactly one caller, if it was held until now
	 */
	boolean markLost() {
		while (true) {
			int current = this.state;
			if (current <= ENDED) {
				return false;
			}
			if (STATE.compareAndSet(this, current, -current)) {
				return true;
			}
		}
	}

	/**
	 * Write the state without a change, after which other threads see what was written
	 * before.
	 * @return {@code false} if this is no longer held
	 */
	boolean publish() {
		int current = this.state;
		while (current > ENDED && !STATE.compareAndSet(this, current, current)) {
			current = this.state;
		}
		return current >= ENDED;
	}

	/**
	 * Become the leader. The caller owns the queue's monitor.
	 */
	void lead() {
		setState(LEADING);
	}

	/**
	 * Leave the queue without having been granted. The caller owns the queue's monitor.
	 */
	void end() {
		setState(ENDED);
	}

	void setState(int state) {
		STATE.setRelease(this, state);
	}

	/**
	 * Return whether this is still to be acquired.
	 */
	boolean isPending() {
		return this.state <= LEADING;
	}

	/**
	 * Return whether this waits behind the leader.
	 */
	boolean isWaiting() {
		return this.state == WAITING;
	}

	/**
	 * Return whether this is the leader, which contends in the store.
	 */
	boolean isLeader() {
		return this.state == LEADING;
	}

	/**
	 * Return whether this contends in the store, as the leader or once beside it.
	 */
	boolean isContending() {
		int state = this.state;
		return state == LEADING || state == TRYING;
	}

	/**
	 * Return whether this is held according to its hold count.
	 */
	boolean isActive() {
		return this.state > ENDED;
	}

	/**
	 * Return whether this was released completely, or left the queue.
	 */
	boolean isEnded() {
		return this.state == ENDED;
	}

	/**
	 * Return whether this is held, or its lease is just being handed off or released.
	 */
	boolean mayHaveLease() {
		return this.state >= ENDED;
	}

	/**
	 * Return whether the lease was lost, and not all acquisitions are released yet.
	 */
	boolean isLost() {
		int state = this.state;
		return state < ENDED && state > LEADING;
	}

	/**
	 * Signal the waiter, which must then be woken.
	 */
	void signal(Notification notification) {
		this.attached = notification;
	}

	@Nullable Notification pollNotification() {
		while (this.attached instanceof Notification notification) {
			if (ATTACHED.compareAndSet(this, notification, null)) {
				return notification;
			}
		}
		return null;
	}

	boolean hasNotification() {
		return this.attached instanceof Notification;
	}

	/**
	 * Wake the waiter. Not to be called under a monitor, because an asynchronous
	 * acquisition calls an executor.
	 */
	void wakeUp() {
		wake(this.waiter);
	}

	static void wake(Object waiter) {
		if (waiter instanceof Thread thread) {
			LockSupport.unpark(thread);
		}
		else {
			((Waiter) waiter).wakeUp();
		}
	}

}
