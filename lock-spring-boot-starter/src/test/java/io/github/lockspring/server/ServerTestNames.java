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
package io.github.lockspring.server;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets no tests but {@code *ServerTests} and {@code *TortureTests} start a server:
 * {@code mvn test} is to be fast.
 */
public class ServerTestNames implements BeforeAllCallback {

	@Override
	public void beforeAll(ExtensionContext context) {
		ExtensionContext top = context;
		while (top.getParent().isPresent() && top.getParent().get() != context.getRoot()) {
			top = top.getParent().get();
		}
		ServerProcess.runsFor(top.getRequiredTestClass().getSimpleName());
	}

}
