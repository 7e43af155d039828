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
 * Limits how many calls of a method run at once in all processes on the same store: each
 * call takes one of {@link #permits()} permits and gives it back at its end.
 * <p>
 * All that is said of {@link DistributedLock @DistributedLock} holds, but for one thing:
 * permits are not reentrant. A call inside another takes a permit of its own, and waits
 * for itself if there is none left. All that take permits of one name and key must agree
 * on their number: while permits are in use, a call with another number ends with
 * {@link IllegalArgumentException}.
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
	 * Name of the semaphore, a logical group of keys. Text or a placeholder, without
	 * colons.
	 * @return the name; by default the full name of the class and the method's name
	 * @see DistributedLock#name()
	 */
	@AliasFor("value")
	String name() default "";

	/**
	 * Which one is limited, as in {@link DistributedLock#key()}.
	 * @return the expression; by default none: all calls share the permits
	 */
	String key() default "";

	/**
	 * How many calls may run at once: a number, at least 1, or a placeholder such as
	 * {@code ${reports.at-once}}.
	 * @return the number of permits
	 */
	String permits();

	/**
	 * How long to wait for a permit. {@code 0s} tries once.
	 * @return a duration; by default that of the property {@code lock.wait-time}
	 */
	String waitTime() default "";

	/**
	 * How long a permit is kept after its last renewal, if this process dies. At least
	 * 100 milliseconds, at most one day.
	 * @return a duration; by default that of the property {@code lock.lease-time}
	 */
	String leaseTime() default "";

	/**
	 * Whether the permit is renewed while the method runs: {@code true} or {@code false},
	 * or a placeholder.
	 * @return whether to renew; by default that of the property {@code lock.auto-renew}
	 */
	String autoRenew() default "";

	/**
	 * What a call gets for which there was no permit.
	 * @return what to do; by default an exception
	 */
	OnFailure onFailure() default OnFailure.THROW;

	/**
	 * The method that is called instead, as in {@link DistributedLock#fallback()}.
	 * @return the name of the method
	 */
	String fallback() default "";

	/**
	 * The bean that is asked instead, as in {@link DistributedLock#handler()}.
	 * @return the name of the bean
	 */
	String handler() default "";

	/**
	 * What happens to a call that loses its permit while it runs.
	 * @return what to do; by default an exception at the end
	 */
	OnLost onLost() default OnLost.THROW;

	/**
	 * Whether to take a permit at all, as in {@link DistributedLock#condition()}.
	 * @return the expression; by default none: always
	 */
	String condition() default "";

	/**
	 * The backend that keeps the permits, as in {@link DistributedLock#backend()}.
	 * @return the name; by default that of the property {@code lock.backend}
	 */
	String backend() default "";

}
