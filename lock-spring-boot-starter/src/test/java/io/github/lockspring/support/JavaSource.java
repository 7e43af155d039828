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
package io.github.lockspring.support;

import java.net.URI;

import javax.tools.SimpleJavaFileObject;

/**
 * A source file in memory, whose classes may have any names.
 */
final class JavaSource extends SimpleJavaFileObject {

	private final String text;

	JavaSource(String name, String text) {
		super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
		this.text = text;
	}

	@Override
	public boolean isNameCompatible(String simpleName, Kind kind) {
		return true;
	}

	@Override
	public CharSequence getCharContent(boolean ignoreEncodingErrors) {
		return this.text;
	}

}
