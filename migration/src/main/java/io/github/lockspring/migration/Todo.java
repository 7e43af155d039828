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
import java.util.stream.Stream;

import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.tree.Comment;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.TextComment;
import org.openrewrite.marker.Markers;

/**
 * Comments on annotations whose attributes are left to the developer.
 */
final class Todo {

	private Todo() {
	}

	/**
	 * Comment an annotation, unless it has the comment already.
	 * @param annotation the annotation
	 * @param attributes the names of its attributes that cannot be translated
	 * @param space the space before what is annotated
	 * @return the annotation, with a comment if there are such attributes
	 */
	static J.Annotation mark(J.Annotation annotation, List<String> attributes, Space space) {
		String text = " TODO migrate " + String.join(", ", attributes)
				+ ": see docs/migrating of lock-spring-boot-starter";
		Space prefix = annotation.getPrefix();
		if (attributes.isEmpty() || hasComment(text, prefix) || hasComment(text, space)) {
			return annotation;
		}
		Comment comment = new TextComment(false, text, "\n" + space.getIndent(), Markers.EMPTY);
		return annotation.withPrefix(prefix.withComments(ListUtils.concat(prefix.getComments(), comment)));
	}

	private static boolean hasComment(String text, Space space) {
		return space.getComments()
			.stream()
			.flatMap((comment) -> (comment instanceof TextComment line) ? Stream.of(line) : Stream.empty())
			.anyMatch((comment) -> comment.getText().equals(text));
	}

}
