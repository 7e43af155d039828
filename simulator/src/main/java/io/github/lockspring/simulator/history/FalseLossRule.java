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

package io.github.lockspring.simulator.history;

import java.util.ArrayList;
import java.util.List;

/**
 * No loss is told without a cause: in the lease time before it, the process was disturbed
 * for half a lease in all, or something happened that ends leases. Leases that are not
 * renewed end without a cause. A reader may lose its lease if anything disturbs the
 * downgrade. No look finds a lease not held, which is not lost, unless anything disturbed
 * the process.
 */
final class FalseLossRule implements Rule {

	@Override
	public List<Finding> check(IndexedHistory history) {
		List<Finding> findings = new ArrayList<>();
		for (Operation operation : history.grants()) {
			if (operation.notHeld >= 0 && operation.lossTold < 0) {
				checkNotHeld(operation, history, findings);
			}
			if (operation.lossTold >= 0 && operation.request.leaseTime() == 0 && !operation.isElection()
					&& !wasDowngradedUnderFault(operation, history)) {
				long told = history.time(operation.lossTold);
				long from = told - history.bounds().afterFault();
				long disturbed = history.disturbances().disturbed(operation.process, from, told);
				if (disturbed < history.bounds().forgiven()) {
					boolean excepted = disturbed > 0 && mayNotBeRenewed(operation, history);
					findings.add(Finding.of("false loss", operation + " is told a loss that has no cause", excepted,
							operation.granted, operation.lossTold));
				}
			}
		}
		return findings;
	}

	/**
	 * Return whether the lease may have been handed off from another process, and not yet
	 * been renewed.
	 */
	private static boolean mayNotBeRenewed(Operation operation, IndexedHistory history) {
		long granted = history.time(operation.granted);
		return granted - history.time(operation.requested) > history.bounds().slackTime()
				&& history.time(operation.lossTold) - granted <= history.bounds().leaseTime();
	}

	private static void checkNotHeld(Operation operation, IndexedHistory history, List<Finding> findings) {
		long looked = history.time(operation.notHeld);
		long from = looked - history.bounds().afterFault();
		if (operation.request.leaseTime() == 0
				&& history.disturbances().disturbed(operation.process, from, looked) == 0) {
			findings.add(Finding.violation("false loss", operation + " is found not held without a cause",
					operation.granted, operation.notHeld));
		}
	}

	private static boolean wasDowngradedUnderFault(Operation operation, IndexedHistory history) {
		int downgraded = operation.downgraded();
		return downgraded >= 0 && history.disturbances()
			.disturbed(operation.process, history.time(downgraded) - 1, history.time(operation.lossTold)) > 0;
	}

}
