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

import java.security.Principal;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

import io.github.lockspring.actuate.LocksDescriptors.Lock;
import io.github.lockspring.actuate.LocksDescriptors.Release;

/**
 * {@link EndpointWebExtension @EndpointWebExtension} for the {@link LocksEndpoint}: keys
 * in the path of a request, or in a parameter, and the status of responses.
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
public class LocksEndpointWebExtension {

	private final LocksEndpoint delegate;

	/**
	 * Create an extension.
	 * @param delegate the endpoint
	 */
	public LocksEndpointWebExtension(LocksEndpoint delegate) {
		this.delegate = delegate;
	}

	/**
	 * Return the locks that this process holds and waits for, or a single lock.
	 * @param key the key of the lock, for keys that cannot be part of a path: those with
	 * an empty segment, or with a slash at the end
	 * @param backend the name of the backend of the lock
	 * @return the locks, or the response of {@link #lock(String[], String)}
	 */
	@ReadOperation
	public WebEndpointResponse<?> locks(@Nullable String key, @Nullable String backend) {
		return (key != null) ? response(this.delegate.lock(key, backend))
				: new WebEndpointResponse<>(this.delegate.locks());
	}

	/**
	 * Return the holders of a key.
	 * @param path the segments of the key
	 * @param backend the name of the only backend to inspect
	 * @return the lock; status 404 if it is neither held nor waited for, and 503 if that
	 * is unknown because a store failed
	 */
	@ReadOperation
	public WebEndpointResponse<Lock> lock(@Selector(match = Match.ALL_REMAINING) String[] path,
			@Nullable String backend) {
		return response(this.delegate.lock(String.join("/", path), backend));
	}

	/**
	 * Release a key for its holders.
	 * @param context the context with the operator
	 * @param key the key, for keys that cannot be part of a path
	 * @param backend the name of the only backend
	 * @param owner the only owner to release
	 * @param token the only fencing token to release
	 * @return the response of {@link #release}
	 */
	@DeleteOperation
	public WebEndpointResponse<Release> releaseByParameter(SecurityContext context, String key,
			@Nullable String backend, @Nullable String owner, @Nullable Long token) {
		return response(this.delegate.release(key, backend, owner, token, principal(context)));
	}

	/**
	 * Release a key for its holders.
	 * @param context the context with the operator
	 * @param path the segments of the key
	 * @param backend the name of the only backend
	 * @param owner the only owner to release
	 * @param token the only fencing token to release
	 * @return the released holders; status 404 if no owner held the key, and 503 if
	 * nothing was released because a store failed
	 */
	@DeleteOperation
	public WebEndpointResponse<Release> release(SecurityContext context,
			@Selector(match = Match.ALL_REMAINING) String[] path, @Nullable String backend, @Nullable String owner,
			@Nullable Long token) {
		return response(this.delegate.release(String.join("/", path), backend, owner, token, principal(context)));
	}

	private static @Nullable String principal(SecurityContext context) {
		Principal principal = context.getPrincipal();
		return (principal != null) ? principal.getName() : null;
	}

	private static WebEndpointResponse<Release> response(Release release) {
		if (release.isDone()) {
			return new WebEndpointResponse<>(release);
		}
		return release.isFailed() ? new WebEndpointResponse<>(release, WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE)
				: new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
	}

	private static WebEndpointResponse<Lock> response(Lock lock) {
		if (lock.isFound()) {
			return new WebEndpointResponse<>(lock);
		}
		return lock.isFailed() ? new WebEndpointResponse<>(lock, WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE)
				: new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
	}

}
