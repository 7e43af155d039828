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

import org.springframework.core.annotation.AliasFor;

/**
 * Annotation for a job that is started by each process of a cluster and is to run in one
 * of them: a call is skipped while the job runs in another process, or is being held for
 * the {@linkplain #lockAtLeastFor() minimum time}.
 *
 * <pre class="code">
 * &#064;Scheduled(cron = "0 *&#47;15 * * * *")
 * &#064;ClusterJob(name = "prices", lockAtLeastFor = "1m")
 * public void updatePrices() {
 * 	// runs in one process at a time, and once per minute at most
 * }
 * </pre>
 * <p>
 * Shorthand for {@link DistributedLock @DistributedLock} with {@code waitTime = "0s"} and
 * {@code onFailure = OnFailure.SKIP}, whose rules apply, in particular:
 * <ul>
 * <li><b>Lock held by another owner</b>: the call returns nothing, {@code null} or an
 * empty optional, and the method does not run. It must not return a primitive.</li>
 * <li><b>Interrupted</b> while the lock is requested: {@link LockInterruptedException} is
 * thrown, and the method does not run.</li>
 * <li><b>Lease lost</b> while the method runs: the method continues, and its caller
 * receives {@link LockLostException}.</li>
 * <li><b>Store unavailable</b>: {@link LockUnavailableException} is thrown, and the
 * method does not run.</li>
 * <li><b>Application shutting down</b>: the call is skipped.</li>
 * </ul>
 * The lease is renewed while the job runs, however long it takes.
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@DistributedLock(waitTime = "0s", onFailure = OnFailure.SKIP)
public @interface ClusterJob {

	/**
	 * Alias of {@link #name()}, for {@code @ClusterJob("prices")}.
	 * @return the name
	 */
	@AliasFor(annotation = DistributedLock.class, attribute = "name")
	String value() default "";

	/**
	 * Name of the job, which is the name of its lock: text or a placeholder, without
	 * colons. Jobs with the same name exclude each other.
	 * @return the name; defaults to the fully qualified class name followed by the method
	 * name
	 */
	@AliasFor(annotation = DistributedLock.class, attribute = "name")
	String name() default "";

	/**
	 * Minimum time for which the job does not run again, even if it takes less time, from
	 * the moment at which it began. It must be greater than the difference between the
	 * clocks of the processes, and less than the interval between two runs.
	 * @return a duration such as {@code 1m}, or a placeholder; none by default
	 */
	@AliasFor(annotation = DistributedLock.class, attribute = "lockAtLeastFor")
	String lockAtLeastFor() default "";

}
