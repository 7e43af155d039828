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

package io.github.lockspring.actuate;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.jmx.annotation.EndpointJmxExtension;

import io.github.lockspring.actuate.LocksDescriptors.Lock;
import io.github.lockspring.actuate.LocksDescriptors.Release;

/**
 * {@link EndpointJmxExtension @EndpointJmxExtension} for the {@link LocksEndpoint}: keys
 * as arguments of operations.
 */
@EndpointJmxExtension(endpoint = LocksEndpoint.class)
public class LocksEndpointJmxExtension {

	private final LocksEndpoint delegate;

	/**
	 * Create an extension.
	 * @param delegate the endpoint
	 */
	public LocksEndpointJmxExtension(LocksEndpoint delegate) {
		this.delegate = delegate;
	}

	/**
	 * Return the holders of a key.
	 * @param key the key, as used in the store
	 * @param backend the name of the only backend to inspect, or {@code null} for all
	 * @return the lock, or {@code null} if it is neither held nor waited for, as far as
	 * known
	 */
	@ReadOperation
	public @Nullable Lock lock(String key, @Nullable String backend) {
		Lock lock = this.delegate.lock(key, backend);
		return (lock.isFound() || lock.isFailed()) ? lock : null;
	}

	/**
	 * Release a key for its holders.
	 * @param key the key, as used in the store
	 * @param backend the name of the only backend, or {@code null} for all
	 * @param owner the only owner to release, or {@code null} for all
	 * @param token the only fencing token to release, or {@code null} for all
	 * @return the released holders, or {@code null} if no owner held the key
	 */
	@DeleteOperation
	public @Nullable Release release(String key, @Nullable String backend, @Nullable String owner,
			@Nullable Long token) {
		Release release = this.delegate.release(key, backend, owner, token, null);
		return (release.isDone() || release.isFailed()) ? release : null;
	}

}
