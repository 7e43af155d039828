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
import java.lang.reflect.Proxy;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

import io.github.lockspring.DistributedLock;

/**
 * Finds the annotations of classes. All annotations of a class are read when it is first
 * asked for, so that a wrong one is found before any method of the class can be called.
 */
final class LockAttributesSource {

	private final LockAttributesReader reader;

	private final ConcurrentMap<Class<?>, Boolean> classes = new ConcurrentHashMap<>();

	LockAttributesSource(LockAttributesReader reader) {
		this.reader = reader;
	}

	/**
	 * Whether any method of a class is to be locked.
	 * @param targetClass the class of a bean
	 * @return whether there is an annotation
	 * @throws InvalidLockDeclarationException if one of the annotations is wrong
	 */
	boolean hasLocks(Class<?> targetClass) {
		if (!AnnotationUtils.isCandidateClass(targetClass, DistributedLock.class)) {
			return false;
		}
		Boolean known = this.classes.get(targetClass);
		if (known == null) {
			known = !MethodIntrospector
				.selectMethods(targetClass,
						(MetadataLookup<LockAttributes>) (method) -> attributesOf(method, targetClass))
				.isEmpty();
			this.classes.put(targetClass, known);
		}
		return known;
	}

	/**
	 * Whether a method is to be locked.
	 * @param method the method, which may be that of an interface
	 * @param targetClass the class of the bean
	 * @return whether there is an annotation
	 */
	boolean isLocked(Method method, Class<?> targetClass) {
		return annotationOf(method, mostSpecific(method, targetClass)) != null;
	}

	/**
	 * Reads the annotation of a method.
	 * @param method the method, which may be that of an interface
	 * @param targetClass the class of the bean
	 * @return what it says, or {@code null} if there is none
	 * @throws InvalidLockDeclarationException if the annotation is wrong
	 */
	@Nullable LockAttributes attributesOf(Method method, Class<?> targetClass) {
		Method specific = mostSpecific(method, targetClass);
		DistributedLock annotation = annotationOf(method, specific);
		return (annotation != null) ? this.reader.read(specific, annotation) : null;
	}

	/**
	 * The methods of JDK proxies say nothing that those of their interfaces do not.
	 */
	private static Method mostSpecific(Method method, Class<?> targetClass) {
		return Proxy.isProxyClass(targetClass) ? method : AopUtils.getMostSpecificMethod(method, targetClass);
	}

	private static @Nullable DistributedLock annotationOf(Method method, Method specific) {
		DistributedLock annotation = AnnotatedElementUtils.findMergedAnnotation(specific, DistributedLock.class);
		if (annotation == null && specific != method) {
			annotation = AnnotatedElementUtils.findMergedAnnotation(method, DistributedLock.class);
		}
		return annotation;
	}

}
