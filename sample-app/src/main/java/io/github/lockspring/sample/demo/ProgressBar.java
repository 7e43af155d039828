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

package io.github.lockspring.sample.demo;

import java.io.PrintStream;

/**
 * Shows how far a round is: in a terminal on one line that fills up, elsewhere on a few
 * lines. Safe for use by several threads.
 */
final class ProgressBar {

	private static final int WIDTH = 40;

	private final PrintStream out;

	private final boolean terminal;

	private final String label;

	private final int total;

	private int shown = -1;

	ProgressBar(PrintStream out, boolean terminal, String label, int total) {
		this.out = out;
		this.terminal = terminal;
		this.label = label;
		this.total = total;
	}

	synchronized void update(int done) {
		int step = this.terminal ? 1 : 25;
		int percent = (int) (100L * done / this.total) / step * step;
		if (percent > this.shown) {
			this.shown = percent;
			show(percent);
		}
	}

	private void show(int percent) {
		if (this.terminal) {
			int filled = WIDTH * percent / 100;
			String bar = "#".repeat(filled) + ".".repeat(WIDTH - filled);
			this.out.printf("\r%-18s [%s] %3d %%%s", this.label, bar, percent, (percent == 100) ? "\n" : "");
			this.out.flush();
		}
		else if (percent > 0) {
			this.out.printf("%-18s %3d %%%n", this.label, percent);
		}
	}

}
