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
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.DecoratingProxy;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.InvalidLockDeclarationException;

/**
 * Source of the lock attributes of methods. All annotations of a class are read on the
 * first access to the class, so that an invalid one is detected before a method of the
 * class is called. The annotations of a method are searched in this order:
 * <ol>
 * <li>on the implementing method;</li>
 * <li>on the nearest method that it overrides or implements;</li>
 * <li>on its class, or on the nearest annotated superclass or interface.</li>
 * </ol>
 */
final class LockAttributesSource {

	private final LockAttributesReader reader;

	private final DeclarationChecks checks;

	private final Predicate<Class<?>> subclassed;

	private final LockAnnotationScan scan = new LockAnnotationScan();

	private final ConcurrentMap<Class<?>, Boolean> classes = new ConcurrentHashMap<>();

	private final Queue<LockAttributes> known = new ConcurrentLinkedQueue<>();

	/**
	 * Create a source.
	 * @param reader the reader of the annotations
	 * @param checks the handling of invalid annotations
	 * @param subclassed the test whether calls of a bean are intercepted by a subclass of
	 * its class
	 */
	LockAttributesSource(LockAttributesReader reader, DeclarationChecks checks, Predicate<Class<?>> subclassed) {
		this.reader = reader;
		this.checks = checks;
		this.subclassed = subclassed;
	}

	/**
	 * Return whether any method of a class is to be locked.
	 * @param targetClass the class of a bean, or of a proxy that is its subclass
	 * @return {@code true} if there is an annotation
	 * @throws InvalidLockDeclarationException if one of the annotations is invalid
	 */
	public boolean hasLocks(Class<?> targetClass) {
		Class<?> type = ClassUtils.getUserClass(targetClass);
		if (!isCandidate(type) || !this.scan.mayHaveLocks(type)) {
			return false;
		}
		boolean canBeProxied = MethodCheck.canBeExtended(type) || !this.subclassed.test(type);
		Boolean known = this.classes.get(type);
		if (known == null) {
			known = read(type);
			this.classes.put(type, known);
		}
		if (known && !canBeProxied) {
			throw rejection(type);
		}
		return known;
	}

	private static boolean isCandidate(Class<?> targetClass) {
		return AnnotationUtils.isCandidateClass(targetClass, LockAnnotationScan.ANNOTATIONS);
	}

	/**
	 * Create the exception for a class that cannot be proxied. A warning would not be
	 * sufficient, because all of its methods would run without their locks.
	 */
	private InvalidLockDeclarationException rejection(Class<?> targetClass) {
		return siteIn(targetClass).rejection(targetClass + " is final or sealed, so that it cannot be proxied",
				"Use a class that is neither final nor sealed nor a record, or implement an interface and set the"
						+ " property spring.aop.proxy-target-class to false.",
				null);
	}

	private boolean read(Class<?> targetClass) {
		Collection<List<LockDeclaration>> methods = lockedMethodsOf(targetClass);
		methods.forEach((declarations) -> this.checks
			.run(() -> this.known.addAll(this.reader.read(declarations, targetClass).locks())));
		return !methods.isEmpty();
	}

	private static Collection<List<LockDeclaration>> lockedMethodsOf(Class<?> targetClass) {
		return MethodIntrospector.selectMethods(targetClass, (MetadataLookup<List<LockDeclaration>>) (method) -> {
			List<LockDeclaration> declarations = declarationsOf(method, targetClass);
			return declarations.isEmpty() ? null : declarations;
		}).values();
	}

	/**
	 * Return whether a method is to be locked.
	 * @param method the method, which may be declared by an interface
	 * @param targetClass the class of the bean
	 * @return {@code true} if there is an annotation
	 */
	public boolean isLocked(Method method, Class<?> targetClass) {
		return !declarationsOf(method, targetClass).isEmpty();
	}

	/**
	 * Read the annotations of a method.
	 * @param method the method, which may be declared by an interface
	 * @param targetClass the class of the bean
	 * @return the attributes, or {@code null} if there are no annotations
	 * @throws InvalidLockDeclarationException if one of the annotations is invalid
	 */
	public @Nullable MethodAttributes attributesOf(Method method, Class<?> targetClass) {
		List<LockDeclaration> declarations = declarationsOf(method, targetClass);
		return declarations.isEmpty() ? null : this.reader.read(declarations, targetClass);
	}

	/**
	 * Return one of the annotated methods of a class that has locks.
	 */
	public AnnotatedMethod siteIn(Class<?> targetClass) {
		return sitesIn(targetClass).iterator().next();
	}

	/**
	 * Return the annotated methods of a class.
	 */
	public Collection<AnnotatedMethod> sitesIn(Class<?> targetClass) {
		return declarationsIn(targetClass).stream().map(LockDeclaration::site).distinct().toList();
	}

	/**
	 * Return the annotations of all methods of a class, unresolved.
	 * @param targetClass the class of a bean
	 * @return the annotations
	 */
	static List<LockDeclaration> declarationsIn(Class<?> targetClass) {
		return isCandidate(targetClass) ? lockedMethodsOf(targetClass).stream().flatMap(List::stream).toList()
				: List.of();
	}

	/**
	 * Return the attributes of all annotations that have been read.
	 */
	public Collection<LockAttributes> known() {
		return this.known;
	}

	private static List<LockDeclaration> declarationsOf(Method method, Class<?> targetClass) {
		Method specific = mostSpecific(method, targetClass);
		List<LockDeclaration> declarations = nearest(specific, specific);
		if (declarations.isEmpty() && specific.getDeclaringClass() != targetClass) {
			declarations = ofInterfaces(specific, targetClass);
		}
		if (declarations.isEmpty() && isCoveredByItsClass(specific, targetClass)) {
			declarations = nearest(targetClass, specific);
			if (declarations.isEmpty() || isInheritedFinal(specific, targetClass, declarations)) {
				declarations = nearest(specific.getDeclaringClass(), specific);
			}
		}
		return declarations;
	}

	/**
	 * Return whether a class inherits a final method from a class without an annotation,
	 * which may be that of a library. An annotated interface applies to the methods that
	 * it declares.
	 */
	private static boolean isInheritedFinal(Method specific, Class<?> targetClass, List<LockDeclaration> declarations) {
		return Modifier.isFinal(specific.getModifiers()) && specific.getDeclaringClass() != targetClass
				&& !declarations.get(0).declared().getDeclaringClass().isInterface()
				&& nearest(specific.getDeclaringClass(), specific).isEmpty();
	}

	/**
	 * Return the most specific method. The methods of JDK proxies have no other
	 * annotations than those of their interfaces.
	 */
	private static Method mostSpecific(Method method, Class<?> targetClass) {
		return Proxy.isProxyClass(targetClass) ? method : AopUtils.getMostSpecificMethod(method, targetClass);
	}

	/**
	 * Return the annotations of an interface method that is implemented by a method
	 * inherited from a superclass without that interface.
	 */
	private static List<LockDeclaration> ofInterfaces(Method specific, Class<?> targetClass) {
		for (Class<?> type : ClassUtils.getAllInterfacesForClassAsSet(targetClass)) {
			for (Method method : type.getMethods()) {
				if (method.getName().equals(specific.getName()) && mostSpecific(method, targetClass).equals(specific)) {
					List<LockDeclaration> declarations = nearest(method, specific);
					if (!declarations.isEmpty()) {
						return declarations;
					}
				}
			}
		}
		return List.of();
	}

	private static boolean isCoveredByItsClass(Method method, Class<?> targetClass) {
		return !Modifier.isStatic(method.getModifiers()) && MethodCheck.isVisible(method, targetClass)
				&& !method.isSynthetic() && !ReflectionUtils.isObjectMethod(method)
				&& !isInfrastructure(method.getDeclaringClass());
	}

	/**
	 * Return whether a type is one that proxies of Spring implement in addition to those
	 * of their target, as those of HTTP clients and repositories do.
	 */
	private static boolean isInfrastructure(Class<?> type) {
		return type.isAssignableFrom(Advised.class) || type == DecoratingProxy.class;
	}

	/**
	 * Return all annotations of the first annotated element of a hierarchy.
	 */
	private static List<LockDeclaration> nearest(AnnotatedElement element, Method method) {
		MergedAnnotations annotations = MergedAnnotations.search(SearchStrategy.TYPE_HIERARCHY)
			.withRepeatableContainers(RepeatableContainers.standardRepeatables())
			.from(element);
		List<MergedAnnotation<? extends Annotation>> found = new ArrayList<>();
		for (Class<? extends Annotation> type : List.of(DistributedLock.class, DistributedSemaphore.class)) {
			try {
				found.addAll(annotations.stream(type).toList());
			}
			catch (AnnotationConfigurationException ex) {
				return List.of(LockDeclaration.contradictory(method, type, ex));
			}
		}
		int nearest = found.stream().map(MergedAnnotation::getAggregateIndex).reduce(Integer.MAX_VALUE, Math::min);
		List<LockDeclaration> declarations = new ArrayList<>(found.size());
		for (MergedAnnotation<? extends Annotation> annotation : found) {
			if (annotation.getAggregateIndex() == nearest) {
				declarations.add(LockDeclaration.of(method, annotation));
			}
		}
		return declarations;
	}

}
