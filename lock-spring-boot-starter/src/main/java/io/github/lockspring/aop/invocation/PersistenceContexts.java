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
 * What JPA has read for the current thread before a lock was acquired: an
 * {@code EntityManager} that is bound to the thread, by a transaction or by Spring's
 * <i>open-in-view</i> for a whole request, gives the same entity again without a look at
 * the database. Safe for use by many threads.
 */
public final class PersistenceContexts {

	private static final Log logger = LogFactory.getLog(PersistenceContexts.class);

	private static final boolean JPA = isPresent("org.springframework.orm.jpa.EntityManagerHolder")
			&& isPresent("jakarta.persistence.EntityManager");

	private final Supplier<JpaMode> mode;

	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	/**
	 * Creates one that does what is configured.
	 * @param mode what is configured, asked for when it is needed
	 */
	public PersistenceContexts(Supplier<JpaMode> mode) {
		this.mode = SingletonSupplier.of(mode);
	}

	private static boolean isPresent(String type) {
		return ClassUtils.isPresent(type, PersistenceContexts.class.getClassLoader());
	}

	/**
	 * Whether the current thread has entities, for all that is known.
	 */
	static boolean areBound() {
		return JPA && Bound.exist();
	}

	/**
	 * To be called when a lock was acquired that was not held before.
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
	 * To be called before a transaction begins.
	 * @param name the name of the lock under which it begins
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
	 * Loads classes of JPA.
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
