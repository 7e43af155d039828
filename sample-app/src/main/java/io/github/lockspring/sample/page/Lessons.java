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

package io.github.lockspring.sample.page;

import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

import io.github.lockspring.sample.lesson.Experiment;
import io.github.lockspring.sample.lesson.Lesson;

/**
 * Runs experiments for the page, one at a time. Their stores are started by the first one
 * that needs them, and end with the page.
 */
@Component
@Profile(PageLauncher.PROFILE)
class Lessons implements DisposableBean {

	private static final Log logger = LogFactory.getLog(Lessons.class);

	private final ReentrantLock busy = new ReentrantLock();

	private final Lesson lesson = new Lesson();

	/**
	 * Run an experiment and wait for its end.
	 * @throws RefusedException if there is no such experiment, another is under way, or
	 * it failed, such as for want of a store for this system
	 */
	Lesson.Result run(String id) {
		Experiment experiment = Experiment.of(id)
			.orElseThrow(() -> new RefusedException(Refusal.UNKNOWN_EXPERIMENT, Map.of("experiment", id)));
		if (!this.busy.tryLock()) {
			throw new RefusedException(Refusal.EXPERIMENT_UNDER_WAY);
		}
		try {
			return this.lesson.run(experiment);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new RefusedException(Refusal.EXPERIMENT_FAILED);
		}
		catch (Exception ex) {
			logger.error("The experiment failed", ex);
			throw new RefusedException(Refusal.EXPERIMENT_FAILED);
		}
		finally {
			this.busy.unlock();
		}
	}

	@Override
	public void destroy() {
		this.lesson.close();
	}

}
