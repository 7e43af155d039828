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

package io.github.lockspring.sample.web;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import io.github.lockspring.InvalidLockKeyException;
import io.github.lockspring.LockException;
import io.github.lockspring.LockNotAcquiredException;

/**
 * Answers requests without their lock with a {@link ProblemDetail}. The sentences are for
 * clients: those of the exceptions name keys of the store.
 */
@RestControllerAdvice
class LockExceptionHandler {

	/**
	 * The key is null, blank or too long: the same request never succeeds.
	 */
	@ExceptionHandler
	ProblemDetail invalidKey(InvalidLockKeyException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, "The request does not name what it is about");
	}

	/**
	 * Another held the lock for the whole wait time. Not 409, which means that the stock
	 * is empty.
	 */
	@ExceptionHandler
	ProblemDetail busy(LockNotAcquiredException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.LOCKED, "Another request is working on this; try again");
	}

	/**
	 * The store did not answer, the lock was lost, the application shuts down: the same
	 * request can succeed later.
	 */
	@ExceptionHandler
	ResponseEntity<ProblemDetail> unavailable(LockException ex) {
		return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
			.header(HttpHeaders.RETRY_AFTER, "1")
			.body(ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE,
					"Locks are not available; try again"));
	}

}
