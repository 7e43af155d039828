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

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.aspectj.lang.JoinPoint;

/**
 * Tells which methods were woven with the {@link DistributedLockAspect}. The weaver moves
 * the body of such a method to another, which is static and has the join point as its
 * last parameter. Advice that does not ask for the join point, as that of the
 * transactions of Spring, leaves it out. Other advice that does is taken for ours.
 */
final class WovenMethods {

	private static final String BODY = "_aroundBody";

	private WovenMethods() {
	}

	/**
	 * Whether calls of a method are intercepted.
	 * @param method the method that does the work
	 * @return whether it was woven
	 */
	static boolean isWoven(Method method) {
		return Arrays.stream(method.getDeclaringClass().getDeclaredMethods())
			.anyMatch((body) -> isBodyOf(method, body));
	}

	private static boolean isBodyOf(Method method, Method body) {
		return body.getName().startsWith(method.getName() + BODY)
				&& Arrays.equals(body.getParameterTypes(), parametersOfBody(method));
	}

	private static Class<?>[] parametersOfBody(Method method) {
		List<Class<?>> types = new ArrayList<>(Arrays.asList(method.getParameterTypes()));
		if (!Modifier.isStatic(method.getModifiers())) {
			types.add(0, method.getDeclaringClass());
		}
		types.add(JoinPoint.class);
		return types.toArray(Class<?>[]::new);
	}

}
