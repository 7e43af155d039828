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

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Option;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

/**
 * Replaces ShedLock's {@code @SchedulerLock} by {@code @ClusterJob}, which has no
 * {@code lockAtMostFor}, because the lease is renewed. Each one is replaced, so that
 * {@code @EnableSchedulerLock} can be removed; a name that cannot be used is marked, and
 * rejected when the application starts.
 */
public final class ReplaceSchedulerLock extends AnnotationMigration {

	@Option(displayName = "Keep `@SchedulerLock`",
			description = "Add `@ClusterJob` after `@SchedulerLock` instead of replacing it.", required = false)
	private final @Nullable Boolean keep;

	@JsonCreator
	public ReplaceSchedulerLock(@JsonProperty("keep") @Nullable Boolean keep) {
		this.keep = keep;
	}

	@Override
	public String getDisplayName() {
		return "Replace `@SchedulerLock` by `@ClusterJob`";
	}

	@Override
	public String getDescription() {
		return "Replaces ShedLock's `@SchedulerLock`, without `lockAtMostFor`, because the lease is renewed.";
	}

	@Override
	boolean isKept() {
		return Boolean.TRUE.equals(this.keep);
	}

	@Override
	String oldType() {
		return "net.javacrumbs.shedlock.spring.annotation.SchedulerLock";
	}

	@Override
	String newName() {
		return "ClusterJob";
	}

	@Override
	boolean isReplacedAnyway() {
		return true;
	}

	@Override
	J.@Nullable Assignment translate(J.Assignment attribute, List<String> untranslated) {
		Expression value = attribute.getAssignment();
		return switch (Attributes.nameOf(attribute)) {
			case "lockAtMostFor" -> null;
			case "lockAtLeastFor" -> withUnit(attribute);
			default -> {
				if (Attributes.isUnusableName(value)) {
					untranslated.add("name");
				}
				yield attribute;
			}
		};
	}

	/**
	 * To ShedLock, a number is one of milliseconds.
	 */
	private static J.Assignment withUnit(J.Assignment attribute) {
		String time = Attributes.text(attribute.getAssignment());
		return (time != null && time.matches("\\d+")) ? Attributes.withText(attribute, time + "ms") : attribute;
	}

}
