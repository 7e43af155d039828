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

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ReflectionUtils;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedLocks;
import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.DistributedSemaphores;

/**
 * Detects quickly that a class has no lock annotations, which applies to almost all beans
 * of an application. Each type is scanned once, regardless of the number of classes that
 * extend or implement it.
 */
final class LockAnnotationScan {

	static final Set<Class<? extends Annotation>> ANNOTATIONS = Set.of(DistributedLock.class, DistributedLocks.class,
			DistributedSemaphore.class, DistributedSemaphores.class);

	private final Map<Class<?>, Boolean> types = new ConcurrentHashMap<>();

	private final Map<Class<?>, Boolean> annotationTypes = new ConcurrentHashMap<>();

	/**
	 * Return whether a type, one of its supertypes or a method of these may have a lock
	 * annotation. Meta-annotations and container annotations are included.
	 * @param type the class of a bean, or one of its supertypes
	 * @return {@code false} if there is certainly no lock annotation
	 */
	boolean mayHaveLocks(@Nullable Class<?> type) {
		if (type == null || type.getName().startsWith("java.")) {
			return false;
		}
		Boolean known = this.types.get(type);
		if (known == null) {
			known = look(type);
			this.types.put(type, known);
		}
		return known;
	}

	private boolean look(Class<?> type) {
		if (mayHaveLocks(type.getSuperclass())) {
			return true;
		}
		for (Class<?> parent : type.getInterfaces()) {
			if (mayHaveLocks(parent)) {
				return true;
			}
		}
		try {
			return isAnnotated(type) || isAnyMethodAnnotated(type);
		}
		catch (LinkageError | RuntimeException ex) {
			return true; // the reader of the annotations handles that
		}
	}

	private boolean isAnyMethodAnnotated(Class<?> type) {
		for (Method method : ReflectionUtils.getDeclaredMethods(type)) {
			if (isAnnotated(method)) {
				return true;
			}
		}
		return false;
	}

	private boolean isAnnotated(AnnotatedElement element) {
		for (Annotation annotation : element.getDeclaredAnnotations()) {
			if (this.annotationTypes.computeIfAbsent(annotation.annotationType(), LockAnnotationScan::standsForLock)) {
				return true;
			}
		}
		return false;
	}

	private static boolean standsForLock(Class<?> annotationType) {
		Class<?> content = contentOf(annotationType);
		return ANNOTATIONS.contains(content)
				|| MergedAnnotations.from(content).stream().anyMatch((each) -> ANNOTATIONS.contains(each.getType()));
	}

	/**
	 * Return the annotation type contained in a container annotation, or the annotation
	 * type itself.
	 */
	private static Class<?> contentOf(Class<?> annotationType) {
		Method value = ReflectionUtils.findMethod(annotationType, "value");
		Class<?> content = (value != null) ? value.getReturnType().getComponentType() : null;
		return (content != null && content.isAnnotation()) ? content : annotationType;
	}

}
