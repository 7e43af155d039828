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

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A block of code on a page of the documentation.
 *
 * @param page the file
 * @param before the text of the page before the block
 * @param language the language, empty if it has none
 * @param text the code
 */
public record PageBlock(Path page, String before, String language, String text) {

	private static final Path ROOT = Path.of("..");

	private static final Pattern BLOCK = Pattern.compile("(?ms)^[ \\t]*```(\\w*)[^\\n]*\\n(.*?)^[ \\t]*```[ \\t]*$");

	private static final Pattern NOT_COMPILED = Pattern.compile("(?s).*<!-- not compiled: [^>]+ -->\\s*");

	/**
	 * Returns the blocks of all pages, in their order.
	 * @return the blocks
	 */
	public static List<PageBlock> all() {
		return MarkdownPage.all(ROOT).stream().flatMap((page) -> of(page.file()).stream()).toList();
	}

	/**
	 * Returns the blocks of a page, in their order.
	 * @param page the file
	 * @return the blocks
	 */
	public static List<PageBlock> of(Path page) {
		String text = MarkdownPage.read(page).text();
		return BLOCK.matcher(text)
			.results()
			.map((block) -> new PageBlock(page, text.substring(0, block.start()), block.group(1), block.group(2)))
			.toList();
	}

	/**
	 * Returns the blocks in a language on all pages, without those that a comment before
	 * them exempts.
	 * @param language the language
	 * @return the blocks
	 */
	public static List<PageBlock> in(String language) {
		return all().stream().filter((block) -> block.language().equals(language) && !block.isExempt()).toList();
	}

	/**
	 * Returns whether a comment {@code <!-- not compiled: reason -->} precedes the block.
	 * @return whether the block is not to be treated
	 */
	public boolean isExempt() {
		return NOT_COMPILED.matcher(this.before).matches();
	}

	/**
	 * Returns the line on which the block begins.
	 * @return the number of the line before the code
	 */
	public int line() {
		return (int) this.before.lines().count() + 1;
	}

	@Override
	public String toString() {
		return ROOT.relativize(this.page) + ":" + line();
	}

}
