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

package com.example.shop;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockAssert;
import io.github.lockspring.LockOperations;

/**
 * Controller with a locked method, and with locks in code.
 */
@RestController
class OrderController {

	private final LockOperations locks;

	OrderController(LockOperations locks) {
		this.locks = locks;
	}

	@GetMapping("/annotated/{id}")
	@DistributedLock(name = "order", key = "#id", waitTime = "30s")
	String annotated(@PathVariable long id) {
		LockAssert.assertLocked();
		return "annotated";
	}

	@GetMapping("/in-code/{id}")
	String inCode(@PathVariable long id) {
		return this.locks.execute("order:" + id, (lock) -> lock.storeKey());
	}

}
