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

package io.github.lockspring.aop;

import org.aopalliance.intercept.MethodInvocation;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * Call that can be run later, in another thread, or more than once.
 */
public interface DetachableInvocation extends MethodInvocation {

	/**
	 * Return a copy that continues from here, with its own arguments.
	 * @return the copy
	 */
	MethodInvocation detach();

	/**
	 * Return a copy of a call that continues from here, with its own arguments.
	 */
	static MethodInvocation detach(MethodInvocation invocation) {
		if (invocation instanceof DetachableInvocation call) {
			return call.detach();
		}
		return (invocation instanceof ProxyMethodInvocation call) ? call.invocableClone() : invocation;
	}

}
