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
 * Annotation that limits the number of concurrent calls of a method across all processes
 * that use the same store: each call acquires one of {@link #permits()} permits and
 * releases it when it ends.
 * <p>
 * The rules of {@link DistributedLock @DistributedLock} apply, with one exception:
 * permits are not reentrant. A nested call acquires a permit of its own; if its callers
 * hold all of them, so that it would wait for itself, it fails at once with
 * {@link IllegalStateException}, unless it is asynchronous. All users of one name and key
 * must agree on the number of permits: while permits are in use, a call with a different
 * number fails with {@link IllegalArgumentException}.
 */
@Target({ ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
@Repeatable(DistributedSemaphores.class)
public @interface DistributedSemaphore {

	/**
	 * Alias of {@link #name()}, for {@code @DistributedSemaphore("report")}.
	 * @return the name
	 */
	@AliasFor("name")
	String value() default "";

	/**
	 * Name of the semaphore, a logical group of keys; used in the store key, in settings
	 * and in metrics. Text or a placeholder, without colons.
	 * @return the name; defaults to the fully qualified class name followed by the method
	 * name
	 * @see DistributedLock#name()
	 */
	@AliasFor("value")
	String name() default "";

	/**
	 * Expression for the key whose concurrency is limited, as in
	 * {@link DistributedLock#key()}.
	 * @return the expression; empty by default, so that all calls share the permits
	 */
	String key() default "";

	/**
	 * Maximum number of concurrent calls: a number, at least 1, or a placeholder such as
	 * {@code ${reports.at-once}}.
	 * @return the number of permits
	 */
	String permits();

	/**
	 * Maximum time to wait for a permit. {@code 0s} tries once.
	 * @return a duration; defaults to the property {@code lock.wait-time}
	 */
	String waitTime() default "";

	/**
	 * Time after the last renewal at which the lease on the permit expires if this
	 * process crashes. At least 100 milliseconds, at most one day.
	 * @return a duration; defaults to the property {@code lock.lease-time}
	 */
	String leaseTime() default "";

	/**
	 * Whether the lease on the permit is renewed while the method runs: {@code true} or
	 * {@code false}, or a placeholder.
	 * @return whether to renew; defaults to the property {@code lock.auto-renew}
	 */
	String autoRenew() default "";

	/**
	 * Action to take if no permit could be acquired.
	 * @return the action; throws an exception by default
	 */
	OnFailure onFailure() default OnFailure.THROW;

	/**
	 * Name of the method to call instead, as in {@link DistributedLock#fallback()}.
	 * @return the name of the method
	 */
	String fallback() default "";

	/**
	 * Name of the bean that provides the result, as in {@link DistributedLock#handler()}.
	 * @return the name of the bean
	 */
	String handler() default "";

	/**
	 * Action to take if the permit is lost while the method runs.
	 * @return the action; throws an exception after the method has returned by default
	 */
	OnLost onLost() default OnLost.THROW;

	/**
	 * Expression that determines whether to acquire a permit, as in
	 * {@link DistributedLock#condition()}.
	 * @return the expression; empty by default, so that a permit is always acquired
	 */
	String condition() default "";

	/**
	 * Name of the backend that stores the permits, as in
	 * {@link DistributedLock#backend()}.
	 * @return the name; defaults to the property {@code lock.backend}
	 */
	String backend() default "";

}
