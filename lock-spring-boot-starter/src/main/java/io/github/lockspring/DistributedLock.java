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
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method under a distributed lock: while one call holds the lock, no other call
 * with the same key runs, in this process or another on the same store.
 * <p>
 * On a class or an interface, it holds for each of its methods that can be intercepted
 * and has no such annotation of its own. Repeated, or together with
 * {@link DistributedSemaphore @DistributedSemaphore}, a call takes all of the locks, in
 * one order for all callers. Other annotations may carry it and alias its attributes.
 * <p>
 * The lock is acquired before a transaction of the same method begins and released after
 * it has ended. Called inside a transaction that is open already, the lock is kept until
 * that one has ended, or the call is refused: as the property
 * {@code lock.inside-transaction} says. The lease is renewed while the method runs. The
 * method may declare a parameter of type {@link LockHandle}, for which callers pass
 * {@code null}: it gets the held lock, as does {@link LockContext#current()}.
 * <ul>
 * <li><b>Held by another</b> for the whole wait time: as {@link #onFailure()} says.</li>
 * <li><b>Interrupted</b> while waiting: {@link LockInterruptedException}, the interrupt
 * status is set, the method does not run.</li>
 * <li><b>Lease lost</b> while the method runs: as {@link #onLost()} says. By default the
 * method goes on, but its caller gets {@link LockLostException}, or the exception that
 * the method itself ended with, which then has the loss among its suppressed
 * exceptions.</li>
 * <li><b>Store down</b>: {@link LockUnavailableException} at the end of the wait time,
 * the method does not run.</li>
 * <li><b>Application shutting down</b>: {@link LockShutdownException} at once, unless the
 * method is to be {@linkplain OnFailure#SKIP skipped}; the method does not run.</li>
 * <li><b>Key unusable</b>: {@link InvalidLockKeyException}, the method does not run.</li>
 * </ul>
 * <b>Asynchronous methods</b>, which return a
 * {@link java.util.concurrent.CompletionStage}, a
 * {@link java.util.concurrent.CompletableFuture}, a reactive type or are suspending
 * functions of Kotlin, are called once the lock is held, which does not block the calling
 * thread, and the lock is released when what they returned has completed, failed or was
 * cancelled. The lock belongs to that one call, not to a thread.
 * <p>
 * Durations are text with a unit, {@code 500ms}, {@code 10s} or {@code PT10S}, a
 * placeholder such as {@code ${orders.lock.wait}}, or an expression on the arguments such
 * as {@code #timeout}, which gives a {@link java.time.Duration} or such a text. The
 * properties {@code lock.names.<name>.*} have the last word for the locks of one name.
 * <p>
 * What cannot work is refused when the bean is created: an attribute that cannot be
 * understood, and a method that returns before its work is done without a sign of its
 * end: another {@link java.util.concurrent.Future}, a {@link java.util.stream.Stream} or
 * an {@link java.util.Iterator}. Proxies cannot intercept methods that are private,
 * static or final, which are refused, nor calls of a method of the same object, as with
 * {@code @Transactional}: {@link LockAssert} finds those, and the property
 * {@code lock.aop.mode} offers weaving.
 *
 * @see LockOperations
 */
@Target({ ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
@Repeatable(DistributedLocks.class)
public @interface DistributedLock {

	/**
	 * Alias of {@link #name()}, for {@code @DistributedLock("order")}.
	 * @return the name
	 */
	@AliasFor("name")
	String value() default "";

	/**
	 * Name of the lock, a logical group of keys: used in the store key and in settings.
	 * Text or a placeholder such as {@code ${orders.lock.name}}, without colons. Methods
	 * with the same name and key exclude each other.
	 * @return the name; by default the full name of the class and the method's name
	 */
	@AliasFor("value")
	String name() default "";

	/**
	 * Which one is guarded: an expression in Spring's expression language, as in
	 * {@code @Cacheable}: {@code #id}, {@code #order.id}, {@code #p0},
	 * {@code @beanName.keyOf(#order)}. It must give text, a number, a UUID, an enum
	 * constant or a boolean, or what a {@link LockKeyConverter} bean converts. A
	 * collection or an array of such, as in {@code {#from, #to}}, locks all of its
	 * elements together. Numbers count by their value: {@code 1}, {@code 1.0} and
	 * {@code 1.00} are one key.
	 * <p>
	 * The expression only reads: it must not refer to types with {@code T(…)}, make
	 * objects or assign. It is never made of arguments; what they contain is a value.
	 * @return the expression; by default none: all calls exclude each other
	 */
	String key() default "";

	/**
	 * The kind of lock.
	 * @return the type; by default one holder, reentrant
	 */
	LockType type() default LockType.REENTRANT;

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
	 * How long others do not get the lock, even if the method takes less time: for
	 * scheduled jobs that run in one process each time, though the clocks of the
	 * processes differ. Also holds if this process ends. At most one day; the lease lasts
	 * at least as long.
	 * @return a duration; by default none
	 */
	String lockAtLeastFor() default "";

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
	 * The method of the same class that is called instead, for
	 * {@link OnFailure#FALLBACK}. It has the same parameters, or the same followed by a
	 * {@link LockException}, which tells why, and a return type that fits. It runs
	 * without the lock, and may be private.
	 * @return the name of the method
	 */
	String fallback() default "";

	/**
	 * The name of the {@link LockFailureHandler} bean that is asked for a result, for
	 * {@link OnFailure#HANDLE}.
	 * @return the name of the bean
	 */
	String handler() default "";

	/**
	 * What happens to a call that loses the lease while it runs.
	 * @return what to do; by default an exception at the end
	 */
	OnLost onLost() default OnLost.THROW;

	/**
	 * Whether to lock at all: an expression like that of {@link #key()} that gives a
	 * boolean. If it gives {@code false}, the method runs without this lock.
	 * @return the expression; by default none: always
	 */
	String condition() default "";

	/**
	 * The backend that keeps the lock, by its name, such as {@code redis}, or a
	 * placeholder.
	 * @return the name; by default that of the property {@code lock.backend}
	 */
	String backend() default "";

}
