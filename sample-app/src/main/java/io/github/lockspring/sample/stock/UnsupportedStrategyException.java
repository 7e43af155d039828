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

package io.github.lockspring.sample.stock;

import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/**
 * The operation exists with and without a lock, but not with this strategy.
 */
public class UnsupportedStrategyException extends ResponseStatusException {

	public UnsupportedStrategyException(Strategy strategy) {
		super(HttpStatus.BAD_REQUEST, "The strategy must be %s or %s here, not %s.".formatted(Strategy.NO_LOCK.id(),
				Strategy.DISTRIBUTED_LOCK.id(), strategy.id()));
	}

}
