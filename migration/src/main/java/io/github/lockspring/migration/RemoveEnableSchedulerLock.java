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

package io.github.lockspring.migration;

import java.util.List;
import java.util.Set;

import org.openrewrite.ExecutionContext;
import org.openrewrite.Preconditions;
import org.openrewrite.Recipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.AnnotationMatcher;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.RemoveAnnotationVisitor;
import org.openrewrite.java.search.UsesType;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

/**
 * Removes ShedLock's {@code @EnableSchedulerLock}, unless it has attributes that change
 * what its locks do, which are marked.
 */
public final class RemoveEnableSchedulerLock extends Recipe {

	private static final String TYPE = "net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock";

	private static final AnnotationMatcher MATCHER = new AnnotationMatcher("@" + TYPE);

	private static final Set<String> WITHOUT_EFFECT = Set.of("defaultLockAtMostFor", "interceptMode",
			"proxyTargetClass");

	@Override
	public String getDisplayName() {
		return "Remove `@EnableSchedulerLock`";
	}

	@Override
	public String getDescription() {
		return "Removes ShedLock's `@EnableSchedulerLock`, unless it has a minimum time or an order.";
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getVisitor() {
		return Preconditions.check(new UsesType<>(TYPE, false), new Visitor());
	}

	/**
	 * Visits the classes that can have the annotation.
	 */
	private static final class Visitor extends JavaIsoVisitor<ExecutionContext> {

		@Override
		public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration type, ExecutionContext context) {
			J.ClassDeclaration visited = super.visitClassDeclaration(type, context);
			return visited.withLeadingAnnotations(ListUtils.map(visited.getLeadingAnnotations(),
					(annotation) -> MATCHER.matches(annotation) ? migrate(annotation, visited) : annotation));
		}

		private J.Annotation migrate(J.Annotation annotation, J.ClassDeclaration type) {
			List<String> effective = effective(annotation);
			if (effective.isEmpty()) {
				doAfterVisit(new RemoveAnnotationVisitor(MATCHER));
			}
			return Todo.mark(annotation, effective, type.getPrefix());
		}

		private static List<String> effective(J.Annotation annotation) {
			List<Expression> attributes = annotation.getArguments();
			return (attributes != null) ? attributes.stream()
				.filter(J.Assignment.class::isInstance)
				.map((attribute) -> Attributes.nameOf((J.Assignment) attribute))
				.filter((name) -> !WITHOUT_EFFECT.contains(name))
				.toList() : List.of();
		}

	}

}
