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

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Preconditions;
import org.openrewrite.Recipe;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.search.UsesType;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.TypeUtils;
import org.openrewrite.marker.Markers;

/**
 * Replaces an annotation of another library by one of this library, or adds that one
 * after it. An annotation beside one of this library has been migrated: it is only
 * removed.
 */
abstract class AnnotationMigration extends Recipe {

	private static final String PACKAGE = "io.github.lockspring.";

	private static final List<String> REPLACEMENTS = List.of(PACKAGE + "DistributedLock", PACKAGE + "ClusterJob");

	/**
	 * Return whether the annotation of the other library is kept.
	 * @return whether to add an annotation after it
	 */
	abstract boolean isKept();

	/**
	 * Return the name of the annotation of the other library.
	 * @return the fully qualified name
	 */
	abstract String oldType();

	/**
	 * Return the name of the annotation of this library.
	 * @return the simple name
	 */
	abstract String newName();

	/**
	 * Translate an attribute.
	 * @param attribute the attribute of the other library
	 * @param untranslated receives its name if it has no translation
	 * @return the attribute of this library, or {@code null} if there is to be none
	 */
	abstract J.@Nullable Assignment translate(J.Assignment attribute, List<String> untranslated);

	/**
	 * Return whether an annotation is replaced although not all of its attributes can be
	 * translated.
	 * @return whether to replace it, instead of leaving it
	 */
	abstract boolean isReplacedAnyway();

	@Override
	public TreeVisitor<?, ExecutionContext> getVisitor() {
		return Preconditions.check(new UsesType<>(oldType(), false), new Visitor());
	}

	private List<Expression> translate(@Nullable List<Expression> attributes, List<String> untranslated) {
		if (attributes == null || attributes.isEmpty()) {
			return List.of();
		}
		List<Expression> translated = ListUtils.map(attributes,
				(attribute) -> (attribute instanceof J.Assignment assignment) ? translate(assignment, untranslated)
						: attribute);
		return Space.formatFirstPrefix(translated, attributes.get(0).getPrefix());
	}

	/**
	 * Visits what can be annotated: methods, and the annotations that compose others.
	 */
	private final class Visitor extends JavaIsoVisitor<ExecutionContext> {

		@Override
		public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration method, ExecutionContext context) {
			J.MethodDeclaration visited = super.visitMethodDeclaration(method, context);
			return visited.withLeadingAnnotations(migrate(visited.getLeadingAnnotations(), visited.getPrefix()));
		}

		@Override
		public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration type, ExecutionContext context) {
			J.ClassDeclaration visited = super.visitClassDeclaration(type, context);
			return visited.withLeadingAnnotations(migrate(visited.getLeadingAnnotations(), visited.getPrefix()));
		}

		private List<J.Annotation> migrate(List<J.Annotation> annotations, Space space) {
			if (annotations.stream().noneMatch((annotation) -> isOfType(annotation, oldType()))) {
				return annotations;
			}
			if (annotations.stream().noneMatch(this::isReplacement)) {
				return ListUtils.flatMap(annotations,
						(annotation) -> isOfType(annotation, oldType()) ? migrate(annotation, space) : annotation);
			}
			return isKept() ? annotations : remove(annotations);
		}

		private List<J.Annotation> remove(List<J.Annotation> annotations) {
			maybeRemoveImport(oldType());
			List<J.Annotation> remaining = ListUtils.map(annotations,
					(annotation) -> isOfType(annotation, oldType()) ? null : annotation);
			return Space.formatFirstPrefix(remaining, annotations.get(0).getPrefix());
		}

		private Object migrate(J.Annotation annotation, Space space) {
			List<String> untranslated = new ArrayList<>();
			List<Expression> attributes = translate(annotation.getArguments(), untranslated);
			J.Annotation marked = Todo.mark(annotation, untranslated, space);
			if (!untranslated.isEmpty() && !isReplacedAnyway()) {
				return marked;
			}
			maybeAddImport(PACKAGE + newName());
			if (isKept()) {
				return List.of(marked,
						replacement(annotation, attributes).withPrefix(Space.format("\n" + space.getIndent())));
			}
			maybeRemoveImport(oldType());
			return replacement(marked, attributes);
		}

		private J.Annotation replacement(J.Annotation annotation, List<Expression> attributes) {
			J.Identifier type = new J.Identifier(Tree.randomId(), Space.EMPTY, Markers.EMPTY, List.of(), newName(),
					JavaType.ShallowClass.build(PACKAGE + newName()), null);
			return annotation.withId(Tree.randomId())
				.withAnnotationType(type)
				.withArguments(attributes.isEmpty() ? null : attributes);
		}

		private boolean isReplacement(J.Annotation annotation) {
			return REPLACEMENTS.stream().anyMatch((type) -> isOfType(annotation, type));
		}

		private static boolean isOfType(J.Annotation annotation, String type) {
			return TypeUtils.isOfClassType(annotation.getType(), type);
		}

	}

}
