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

package io.github.lockspring.aop.invocation;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import jakarta.persistence.EntityManager;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

import io.github.lockspring.JpaMode;
import io.github.lockspring.engine.KeyFormat;

/**
 * Detects entities that were loaded by JPA before a lock was acquired. An
 * {@code EntityManager} bound to the thread, by a transaction or by Spring's
 * <i>open-in-view</i> for a whole request, returns an entity that it has loaded without
 * reading it again from the database. Thread-safe.
 */
public final class PersistenceContexts {

	private static final Log logger = LogFactory.getLog(PersistenceContexts.class);

	private static final boolean JPA = isPresent("org.springframework.orm.jpa.EntityManagerHolder")
			&& isPresent("jakarta.persistence.EntityManager");

	private final Supplier<JpaMode> mode;

	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	/**
	 * Create a detector.
	 * @param mode supplies the handling of such entities; called when it is first needed
	 */
	public PersistenceContexts(Supplier<JpaMode> mode) {
		this.mode = SingletonSupplier.of(mode);
	}

	private static boolean isPresent(String type) {
		return ClassUtils.isPresent(type, PersistenceContexts.class.getClassLoader());
	}

	/**
	 * Return whether an {@code EntityManager} is bound to the current thread, which may
	 * have loaded entities.
	 */
	static boolean areBound() {
		return JPA && Bound.exist();
	}

	/**
	 * Clear the persistence context or log a warning, as configured. Called after a lock
	 * was acquired that was not held before.
	 * @param name the name of the lock
	 * @param inTransaction whether the thread is in a transaction
	 */
	void acquired(String name, boolean inTransaction) {
		if (this.mode.get() == JpaMode.CLEAR) {
			Bound.clear();
		}
		else if (inTransaction) {
			warn(name);
		}
	}

	/**
	 * Log a warning, if configured. Called before a transaction begins.
	 * @param name the name of the lock under which the transaction begins
	 */
	void beginning(String name) {
		warn(name);
	}

	private void warn(String name) {
		if (this.mode.get() == JpaMode.WARN && this.warned.add(name)) {
			logger.warn("A transaction under the lock " + KeyFormat.quote(name)
					+ " uses an EntityManager that was bound to the thread earlier, by spring.jpa.open-in-view or by a"
					+ " transaction of the caller. Entities loaded before the lock was acquired are not read again,"
					+ " so that changes of the previous holder may be overwritten. Set spring.jpa.open-in-view to"
					+ " false, or lock.jpa to clear, or refresh the entities under the lock");
		}
	}

	/**
	 * Access to the bound {@code EntityManager} instances, separate because JPA is an
	 * optional dependency.
	 */
	private static final class Bound {

		static boolean exist() {
			for (Object resource : TransactionSynchronizationManager.getResourceMap().values()) {
				if (resource instanceof EntityManagerHolder) {
					return true;
				}
			}
			return false;
		}

		static void clear() {
			for (Object resource : TransactionSynchronizationManager.getResourceMap().values()) {
				if (resource instanceof EntityManagerHolder holder) {
					clear(holder);
				}
			}
		}

		private static void clear(EntityManagerHolder holder) {
			EntityManager entityManager = holder.getEntityManager();
			if (holder.isSynchronizedWithTransaction()) {
				entityManager.flush();
			}
			entityManager.clear();
		}

	}

}
