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

package io.github.lockspring.aop;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

import jakarta.persistence.EntityManager;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.BeansException;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.EntityManagerProxy;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

import io.github.lockspring.support.KeyFormat;

/**
 * Detects entities that were loaded by JPA before a lock was acquired. An
 * {@code EntityManager} bound to the thread, by a transaction or by Spring's
 * <i>open-in-view</i> for a whole request, returns an entity that it has loaded without
 * reading it again from the database. Thread-safe.
 */
final class PersistenceContexts {

	private static final Log logger = LogFactory.getLog(PersistenceContexts.class);

	private static final boolean JPA = isPresent("org.springframework.orm.jpa.EntityManagerHolder")
			&& isPresent("jakarta.persistence.EntityManager");

	private final Supplier<LockDefaults.Jpa> mode;

	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	/**
	 * Create a detector.
	 * @param mode supplies the handling of such entities
	 */
	PersistenceContexts(Supplier<LockDefaults.Jpa> mode) {
		this.mode = mode;
	}

	private static boolean isPresent(String type) {
		return ClassUtils.isPresent(type, PersistenceContexts.class.getClassLoader());
	}

	/**
	 * Return whether an {@code EntityManager} is bound to the current thread, which may
	 * have loaded entities.
	 */
	static boolean areBound() {
		return JPA && !TransactionSynchronizationManager.getResourceMap().isEmpty() && Bound.exist();
	}

	/**
	 * Clear the persistence contexts or log a warning, as configured. Called after a lock
	 * was acquired that was not held before.
	 * @param name the name of the lock
	 */
	void acquired(String name) {
		if (this.mode.get().clear()) {
			Bound.forEach((entityManager) -> acquired(name, entityManager));
		}
	}

	/**
	 * Outside of a transaction no change is waiting to be written. In one, the caller
	 * continues to work with what it has loaded.
	 */
	private void acquired(String name, EntityManager entityManager) {
		if (!entityManager.isJoinedToTransaction()) {
			entityManager.clear();
		}
		else if (this.mode.get().clearInTransaction()) {
			entityManager.flush();
			entityManager.clear();
		}
		else if (!this.warned.contains(name) && Bound.mayContainEntities(entityManager) && this.warned.add(name)) {
			logger.warn("The lock " + KeyFormat.quote(name) + " was acquired in a transaction whose EntityManager has"
					+ " loaded entities before. They are not read again under the lock, so that changes of the previous"
					+ " holder may be overwritten. Acquire the lock before the transaction begins, or refresh the"
					+ " entities under the lock, or set lock.jpa to clear");
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

		static void forEach(Consumer<EntityManager> action) {
			for (Object resource : TransactionSynchronizationManager.getResourceMap().values()) {
				if (resource instanceof EntityManagerHolder holder) {
					action.accept(target(holder.getEntityManager()));
				}
			}
		}

		/**
		 * The proxy of an extended {@code EntityManager} only knows of transactions that
		 * it has joined itself.
		 */
		private static EntityManager target(EntityManager entityManager) {
			return (entityManager instanceof EntityManagerProxy proxy) ? proxy.getTargetEntityManager() : entityManager;
		}

		/**
		 * JPA does not know. Hibernate counts the entities of a session.
		 */
		static boolean mayContainEntities(EntityManager entityManager) {
			try {
				return !Integer.valueOf(0)
					.equals(PropertyAccessorFactory.forBeanPropertyAccess(entityManager)
						.getPropertyValue("statistics.entityCount"));
			}
			catch (BeansException ex) {
				return true;
			}
		}

	}

}
