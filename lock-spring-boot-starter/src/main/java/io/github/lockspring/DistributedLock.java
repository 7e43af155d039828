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
 * Annotation indicating that a method, or each method of a type, runs under a distributed
 * lock: while a call holds the lock, no other call with the same key runs, in this
 * process or in any other process that uses the same store.
 *
 * <pre class="code">
 * &#064;DistributedLock(name = "order", key = "#orderId", waitTime = "2s")
 * public void ship(long orderId) {
 * 	// runs once at a time for each order
 * }
 * </pre>
 * <p>
 * On a class or an interface, the annotation applies to each method that can be
 * intercepted and is not annotated itself. If the annotation is repeated, or combined
 * with {@link DistributedSemaphore @DistributedSemaphore}, a call acquires all of the
 * locks, in an order that is the same for all callers. The annotation can be used as a
 * meta-annotation whose attributes are aliased.
 * <p>
 * The lock is acquired before a transaction of the same method begins and released after
 * the transaction has completed. If the method is called inside an existing transaction,
 * the lock is held until that transaction has completed, or the call is rejected,
 * depending on the property {@code lock.inside-transaction}. The lease is renewed while
 * the method runs. The method may declare a parameter of type {@link LockHandle}, for
 * which callers pass {@code null}; it receives the held lock, which is also available
 * from {@link LockContext#current()}.
 * <ul>
 * <li><b>Lock held by another owner</b> for the whole wait time: handled as specified by
 * {@link #onFailure()}.</li>
 * <li><b>Interrupted</b> while waiting: {@link LockInterruptedException} is thrown with
 * the interrupt status set, and the method does not run.</li>
 * <li><b>Lease lost</b> while the method runs: handled as specified by {@link #onLost()}.
 * By default the method continues, and its caller receives {@link LockLostException}, or
 * the exception thrown by the method with the loss added to its suppressed
 * exceptions.</li>
 * <li><b>Store unavailable</b>: {@link LockUnavailableException} is thrown at the end of
 * the wait time, and the method does not run.</li>
 * <li><b>Application shutting down</b>: {@link LockShutdownException} is thrown
 * immediately, unless the method is to be {@linkplain OnFailure#SKIP skipped}; the method
 * does not run.</li>
 * <li><b>Invalid key</b>: {@link InvalidLockKeyException} is thrown, and the method does
 * not run.</li>
 * </ul>
 * <b>Asynchronous methods</b>, which are methods that return a
 * {@link java.util.concurrent.CompletionStage}, a
 * {@link java.util.concurrent.CompletableFuture} or a reactive type, and suspending
 * functions of Kotlin, are called once the lock is held, without blocking the calling
 * thread. The lock is released when the returned result has completed, failed or been
 * cancelled. It is owned by that one call, not by a thread.
 * <p>
 * Durations are strings with a unit, such as {@code 500ms}, {@code 10s} or {@code PT10S},
 * placeholders such as {@code ${orders.lock.wait}}, or expressions on the arguments such
 * as {@code #timeout} that return a {@link java.time.Duration} or such a string. The
 * properties {@code lock.names.<name>.*} override the attributes of all locks with that
 * name.
 * <p>
 * Invalid declarations are rejected when the bean is created: an attribute that cannot be
 * parsed, and a method that returns before its work is done without signalling
 * completion, that is, one that returns another {@link java.util.concurrent.Future}, a
 * {@link java.util.stream.Stream}, an {@link java.util.Iterator} or a function, or any
 * asynchronous type within another type, and a {@code @Bean} method. Proxies cannot
 * intercept private, static or final methods, which are rejected, nor calls from another
 * method of the same object, as with {@code @Transactional}: {@link LockAssert} detects
 * the latter, and the property {@code lock.aop.mode} enables weaving instead.
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
	 * Name of the lock, a logical group of keys; used in the store key, in settings and
	 * in metrics. Text or a placeholder such as {@code ${orders.lock.name}}, without
	 * colons. Methods with the same name and key are mutually exclusive.
	 * @return the name; defaults to the fully qualified class name followed by the method
	 * name
	 */
	@AliasFor("value")
	String name() default "";

	/**
	 * Expression in the Spring Expression Language (SpEL) for the key to lock, as in
	 * {@code @Cacheable}: {@code #id}, {@code #order.id}, {@code #p0},
	 * {@code @beanName.keyOf(#order)}. The result must be a string, a number, a UUID, an
	 * enum constant or a boolean, or a value that a {@link LockKeyConverter} bean
	 * converts. A collection or an array of these, as in {@code {#from, #to}}, locks all
	 * of its elements together. Numbers are compared by value: {@code 1}, {@code 1.0} and
	 * {@code 1.00} are the same key.
	 * <p>
	 * The expression may call methods of arguments and beans, and is evaluated before the
	 * lock is requested. It must not refer to types with {@code T(…)}, call constructors
	 * or assign values. Arguments are never evaluated as expressions; their content is a
	 * value.
	 * @return the expression; empty by default, so that all calls are mutually exclusive
	 */
	String key() default "";

	/**
	 * Type of the lock.
	 * @return the type; defaults to one holder at a time, reentrant
	 */
	LockType type() default LockType.REENTRANT;

	/**
	 * Maximum time to wait for a lock that is held by another owner. {@code 0s} tries
	 * once.
	 * @return a duration; defaults to the property {@code lock.wait-time}
	 */
	String waitTime() default "";

	/**
	 * Time after the last renewal at which the lease expires: the time after which others
	 * can acquire the lock if this process crashes. At least 100 milliseconds, at most
	 * one day.
	 * @return a duration; defaults to the property {@code lock.lease-time}
	 */
	String leaseTime() default "";

	/**
	 * Minimum time for which the lock cannot be acquired by others, even if the method
	 * takes less time: for scheduled jobs that must run in one process per execution
	 * although the clocks of the processes differ. Also applies if this process
	 * terminates; on ZooKeeper, if it is killed, only until its session ends. At most one
	 * day; the lease lasts at least as long.
	 * @return a duration; none by default
	 */
	String lockAtLeastFor() default "";

	/**
	 * Time for which this process retains the lease after its last use, to acquire the
	 * lock again without a call to the store. Another process that wants the lock gets
	 * the lease as soon as it is not in use. Only for a type other than
	 * {@link LockType#FAIR} and {@link LockType#READ}, with renewal and without a minimum
	 * time, and without effect on several keys; not supported by every backend. At most
	 * one day.
	 * @return a duration; none by default
	 * @see LockOptions#withRetain(java.time.Duration)
	 */
	String retain() default "";

	/**
	 * Whether the lease is renewed while the method runs: {@code true} or {@code false},
	 * or a placeholder. Without renewal, a method that runs longer than the lease loses
	 * the lock.
	 * @return whether to renew; defaults to the property {@code lock.auto-renew}
	 */
	String autoRenew() default "";

	/**
	 * Action to take if the lock could not be acquired because another owner held it.
	 * @return the action; throws an exception by default
	 */
	OnFailure onFailure() default OnFailure.THROW;

	/**
	 * Name of the method of the same class to call instead, for
	 * {@link OnFailure#FALLBACK}. It has the same parameters, optionally followed by a
	 * {@link LockException} that receives the failure, and a compatible return type. It
	 * runs without the lock and may be private.
	 * @return the name of the method
	 */
	String fallback() default "";

	/**
	 * Name of the {@link LockFailureHandler} bean that provides the result, for
	 * {@link OnFailure#HANDLE}.
	 * @return the name of the bean
	 */
	String handler() default "";

	/**
	 * Action to take if the lease is lost while the method runs.
	 * @return the action; throws an exception after the method has returned by default
	 */
	OnLost onLost() default OnLost.THROW;

	/**
	 * Expression, like that of {@link #key()}, that returns a boolean and determines
	 * whether to acquire the lock. If it evaluates to {@code false}, the method runs
	 * without this lock.
	 * @return the expression; empty by default, so that the lock is always acquired
	 */
	String condition() default "";

	/**
	 * Name of the backend that stores the lock, such as {@code redis}, or a placeholder.
	 * @return the name; defaults to the property {@code lock.backend}
	 */
	String backend() default "";

}
