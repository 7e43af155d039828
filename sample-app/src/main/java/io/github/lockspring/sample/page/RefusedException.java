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

package io.github.lockspring.sample.page;

import java.util.Locale;
import java.util.Map;

import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/**
 * The server refuses what a visitor asks for. The response has a sentence, and the code
 * and arguments from which the page makes its own.
 */
final class RefusedException extends ErrorResponseException {

	RefusedException(Refusal refusal) {
		this(refusal, Map.of());
	}

	RefusedException(Refusal refusal, Map<String, ?> arguments) {
		super(refusal.status(), problem(refusal, arguments), null);
	}

	private static ProblemDetail problem(Refusal refusal, Map<String, ?> arguments) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(refusal.status(), sentence(refusal, arguments));
		problem.setProperty("code", refusal.code());
		problem.setProperty("arguments", arguments);
		return problem;
	}

	private static String sentence(Refusal refusal, Map<String, ?> arguments) {
		String sentence = refusal.sentence();
		for (Map.Entry<String, ?> argument : arguments.entrySet()) {
			sentence = sentence.replace("{" + argument.getKey() + "}", text(argument.getValue()));
		}
		return sentence;
	}

	private static String text(Object value) {
		return (value instanceof Integer || value instanceof Long) ? String.format(Locale.ROOT, "%,d", value)
				: String.valueOf(value);
	}

}
