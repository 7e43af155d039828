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

import org.springframework.stereotype.Service;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockAssert;
import io.github.lockspring.LockHandle;

/**
 * Service whose methods are locked.
 */
@Service
public class Orders {

	@DistributedLock(name = "order", key = "#id", waitTime = "30s")
	public void pay(long id, Runnable work) {
		LockAssert.assertLocked("order");
		work.run();
	}

	@DistributedLock(name = "order", key = "#id", waitTime = "0s", leaseTime = "10s", autoRenew = "false")
	public void payQuickly(long id, LockHandle lock, Runnable work) {
		work.run();
		lock.checkpoint();
	}

	@DistributedLock(name = "stock", key = "#id", backend = "jdbc")
	public void count(long id, Runnable work) {
		work.run();
	}

}
