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
import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockType;
import io.github.lockspring.OnFailure;
import io.github.lockspring.OnLost;

/**
 * Unresolved annotation that applies to a method: a lock or a semaphore, which have most
 * of their attributes in common.
 *
 * @param site the annotated method
 * @param annotation the annotation, which is missing if its attributes contradict each
 * other
 * @param contradiction the description of the contradiction, if any
 */
record LockDeclaration(AnnotatedMethod site, MergedAnnotation<?> annotation,
		@Nullable AnnotationConfigurationException contradiction) {

	static LockDeclaration of(Method method, MergedAnnotation<? extends Annotation> annotation) {
		return new LockDeclaration(new AnnotatedMethod(annotation.getType().getSimpleName(), method), annotation, null);
	}

	static LockDeclaration contradictory(Method method, Class<? extends Annotation> type,
			AnnotationConfigurationException contradiction) {
		return new LockDeclaration(new AnnotatedMethod(type.getSimpleName(), method), MergedAnnotation.missing(),
				contradiction);
	}

	boolean isConsistent() {
		return this.contradiction == null;
	}

	void requireConsistent() {
		if (this.contradiction != null) {
			throw this.site.rejection(
					"attributes that are aliases of each other differ: " + this.contradiction.getMessage(),
					"Set only one of them.", this.contradiction);
		}
	}

	/**
	 * Return the method that has the annotation, or that the annotated type declares: the
	 * method itself, or one that it implements. Expressions are written for its
	 * parameters.
	 */
	Method declared() {
		Object source = this.annotation.getRoot().getSource();
		if (source instanceof Class<?> type) {
			Method declared = ClassUtils.getMethodIfAvailable(type, method().getName(), method().getParameterTypes());
			return (declared != null) ? declared : method();
		}
		return (source instanceof Method declared) ? declared : method();
	}

	boolean isSemaphore() {
		return this.annotation.getType() != DistributedLock.class;
	}

	Method method() {
		return this.site.method();
	}

	/**
	 * Return the value of an attribute, which is empty if the annotation has no such
	 * attribute.
	 */
	AnnotationText text(String attribute) {
		return new AnnotationText(this.site, attribute, this.annotation.getValue(attribute, String.class).orElse(""));
	}

	LockType type() {
		return this.annotation.getValue("type", LockType.class).orElse(LockType.REENTRANT);
	}

	OnFailure onFailure() {
		return this.annotation.getEnum("onFailure", OnFailure.class);
	}

	OnLost onLost() {
		return this.annotation.getEnum("onLost", OnLost.class);
	}

}
