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

package io.github.lockspring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Runs a method under a distributed lock: while one call holds the lock, no other call
 * with the same key runs, in this process or another on the same store.
 * <p>
 * The lock is acquired before a transaction of the same method begins and released after
 * it has ended. The lease is renewed while the method runs. The method may declare a
 * parameter of type {@link LockHandle}, for which callers pass {@code null}: it gets the
 * held lock.
 * <ul>
 * <li><b>Held by another</b> for the whole wait time: as {@link #onFailure()} says.</li>
 * <li><b>Interrupted</b> while waiting: {@link LockInterruptedException}, the interrupt
 * status is set, the method does not run.</li>
 * <li><b>Lease lost</b> while the method runs: the method goes on, but its caller gets
 * {@link LockLostException}, or the exception that the method itself ended with, which
 * then has the loss among its suppressed exceptions.</li>
 * <li><b>Store down</b>: {@link LockUnavailableException} at the end of the wait time,
 * the method does not run.</li>
 * <li><b>Key unusable</b>: {@link InvalidLockKeyException}, the method does not run.</li>
 * </ul>
 * Durations are text with a unit: {@code 500ms}, {@code 10s}, {@code PT10S} or a
 * placeholder such as {@code ${orders.lock.wait}}.
 * <p>
 * What cannot work is refused when the bean is created: an attribute that cannot be
 * understood, a method that cannot be intercepted because it is private, static or final,
 * and one that returns before its work is done: a {@link java.util.concurrent.Future}, a
 * {@link java.util.stream.Stream} or a reactive type. A call of a method of the same
 * object does not pass the proxy and is not locked, as with {@code @Transactional}.
 *
 * @see LockOperations
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface DistributedLock {

	/**
	 * The name of the lock: what is guarded, as people call it. Text or a placeholder
	 * such as {@code ${orders.lock.name}}, without colons. Methods with the same name and
	 * key exclude each other.
	 * @return the name; by default the full name of the class and the method's name
	 */
	String name() default "";

	/**
	 * Which one is guarded: an expression in Spring's expression language, as in
	 * {@code @Cacheable}: {@code #id}, {@code #order.id}, {@code #p0},
	 * {@code @beanName.keyOf(#order)}. It must give text, a number, a UUID, an enum
	 * constant or a boolean, or what a {@link LockKeyConverter} bean converts; a
	 * collection or an array of such locks all of its elements together. Numbers count by
	 * their value: {@code 1}, {@code 1.0} and {@code 1.00} are one key.
	 * <p>
	 * The expression only reads: it must not refer to types with {@code T(…)}, make
	 * objects or assign. It is never made of arguments; what they contain is a value.
	 * @return the expression; by default none: all calls exclude each other
	 */
	String key() default "";

	/**
	 * How long to wait while another holds the lock. {@code 0s} tries once.
	 * @return a duration; by default that of the property {@code lock.wait-time}
	 */
	String waitTime() default "";

	/**
	 * How long the lease lasts after its last renewal: the time after which others get
	 * the lock if this process dies. At least 100 milliseconds, at most one day.
	 * @return a duration; by default that of the property {@code lock.lease-time}
	 */
	String leaseTime() default "";

	/**
	 * Whether the lease is renewed while the method runs: {@code true} or {@code false},
	 * or a placeholder. If it is not, a method that runs longer than the lease loses the
	 * lock.
	 * @return whether to renew; by default that of the property {@code lock.auto-renew}
	 */
	String autoRenew() default "";

	/**
	 * What a call gets that could not acquire the lock because another held it.
	 * @return what to do; by default an exception
	 */
	OnFailure onFailure() default OnFailure.THROW;

	/**
	 * What a call gets that could not acquire the lock because another held it.
	 */
	enum OnFailure {

		/**
		 * {@link LockNotAcquiredException}.
		 */
		THROW,

		/**
		 * The method is skipped; its caller gets {@code null}, or an empty
		 * {@link java.util.Optional}. Not for methods that return a primitive value.
		 */
		SKIP

	}

}
