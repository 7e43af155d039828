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

package io.github.lockspring.sample.fault;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Pauses this instance over HTTP, for instances that another process can resume.
 */
@RestController
@ConditionalOnBooleanProperty("sample.pausable")
@RequestMapping("/fault/holder-pause")
class HolderPauseController {

	private final HolderPause pause;

	HolderPauseController(HolderPause pause) {
		this.pause = pause;
	}

	@PutMapping
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void arm() {
		this.pause.arm();
	}

	@DeleteMapping
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void disarm() {
		this.pause.disarm();
	}

}
