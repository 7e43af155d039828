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

package io.github.lockspring.sample.printer;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockspring.sample.stock.Strategy;

/**
 * The printer over HTTP.
 */
@RestController
@RequestMapping("/printer")
class PrinterController {

	private final PrinterService printer;

	PrinterController(PrinterService printer) {
		this.printer = printer;
	}

	/**
	 * Shows how many documents can be printed at once.
	 */
	@GetMapping
	PrinterStatus show() {
		return new PrinterStatus(PrinterService.PERMITS);
	}

	/**
	 * Prints a document of an office.
	 */
	@PostMapping("/print")
	void print(@RequestParam Strategy strategy, @RequestParam(defaultValue = "1") long office) {
		if (strategy.isLocked()) {
			this.printer.printWithPermit(office);
		}
		else {
			this.printer.print(office);
		}
	}

	/**
	 * The printer as it is shown.
	 *
	 * @param permits the number of documents that can be printed at once
	 */
	record PrinterStatus(int permits) {

	}

}
