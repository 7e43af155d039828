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

package io.github.lockspring.torture;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.Set;

import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.Renewal;

/**
 * Defects that are put into workers, to see that the checker finds them.
 */
enum Defect {

	/**
	 * Nothing is wrong.
	 */
	NONE,

	/**
	 * Renewals are confirmed, and do not reach the store.
	 */
	RENEWS_NOTHING,

	/**
	 * All owners get the same token.
	 */
	SAME_TOKENS;

	/**
	 * Put this defect into a backend.
	 */
	LockBackend into(LockBackend backend) {
		return (this == NONE) ? backend : (LockBackend) Proxy.newProxyInstance(Defect.class.getClassLoader(),
				new Class<?>[] { LockBackend.class }, new Defective(backend, this));
	}

	private record Defective(LockBackend backend, Defect defect) implements InvocationHandler {

		@Override
		@SuppressWarnings("unchecked")
		public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
			if (this.defect == RENEWS_NOTHING && method.getName().equals("renew")) {
				return new Renewal(Set.copyOf((Collection<LeaseRequest>) arguments[0]), Set.of());
			}
			try {
				Object result = method.invoke(this.backend, arguments);
				return (this.defect == SAME_TOKENS && result instanceof Grant grant) ? new Grant(1, grant.validity())
						: result;
			}
			catch (InvocationTargetException ex) {
				throw ex.getCause();
			}
		}

	}

}
