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

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import kotlin.Metadata;
import kotlin.coroutines.Continuation;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.annotation.Transactional;
import reactor.core.publisher.Mono;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockHandle;

/**
 * Classes that are woven by the agent of AspectJ or by its compiler.
 */
final class WovenClasses {

	private WovenClasses() {
	}

	/**
	 * The key of the lock under which the caller runs, which is the name for a lock
	 * without a key, or {@code "none"}.
	 */
	private static String held() {
		return (LockContext.get() != null) ? LockContext.current().key() : "none";
	}

	/**
	 * Each method returns the lock under which it ran.
	 */
	static class Orders {

		String callPrivate(long id) {
			return ofPrivate(id);
		}

		@DistributedLock(name = "private", key = "#id")
		private String ofPrivate(long id) {
			return held();
		}

		@DistributedLock(name = "static", key = "#id")
		static String ofStatic(long id) {
			return held();
		}

		@DistributedLock(name = "final", key = "#id")
		final String ofFinal(long id) {
			return held();
		}

		String callItself(long id) {
			return ofPublic(id);
		}

		@DistributedLock(name = "public", key = "#id")
		public String ofPublic(long id) {
			return held();
		}

		@DistributedSemaphore(name = "semaphore", permits = "2")
		String ofSemaphore() {
			return held();
		}

		@DistributedLock(name = "first")
		@DistributedLock(name = "second")
		String ofTwo() {
			return held();
		}

		@DistributedSemaphore(name = "first", permits = "2")
		@DistributedSemaphore(name = "second", permits = "2")
		String ofTwoSemaphores() {
			return held();
		}

		@Carrier
		String ofCarrier() {
			return held();
		}

		String without() {
			return held();
		}

		@DistributedLock(name = "stage")
		CompletableFuture<String> later(CompletableFuture<String> work) {
			return work;
		}

		@DistributedLock(name = "handle", key = "#id")
		Mono<Long> token(long id, @Nullable LockHandle handle) {
			return Mono.just(handle.fencingToken());
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "carrier")
	@interface Carrier {

	}

	@DistributedLock(name = "class")
	static class ByClass {

		public String ofPublic() {
			return held();
		}

		final String ofFinal() {
			return held();
		}

		@DistributedLock(name = "own")
		String own() {
			return held();
		}

		String callPrivate() {
			return new ByClass().ofPrivate();
		}

		private static String unlocked(Supplier<String> call) {
			return call.get();
		}

		static String callUnlocked() {
			return unlocked(() -> new ByClass().ofPrivate());
		}

		private String ofPrivate() {
			return held();
		}

		@Override
		public String toString() {
			return held();
		}

	}

	static class Base {

		@DistributedLock(name = "base")
		String run() {
			return held();
		}

	}

	static class Derived extends Base {

		@Override
		@DistributedLock(name = "derived")
		String run() {
			return held() + " " + super.run();
		}

	}

	interface Generic<T> {

		@DistributedLock(name = "generic")
		String run(T value);

		@DistributedLock(name = "default")
		default String ofDefault() {
			return held();
		}

	}

	static class Specific implements Generic<String> {

		@Override
		@DistributedLock(name = "specific", key = "#value")
		public String run(String value) {
			return held();
		}

	}

	/**
	 * Overrides a method without repeating its annotation.
	 */
	static class Forgetful extends Base {

		@Override
		String run() {
			return held();
		}

		@DistributedLock
		String run(long id) {
			return held();
		}

	}

	static class WrongKey {

		@DistributedLock(key = "#oder")
		private void pay(long order) {
		}

		void callPrivate(long order) {
			pay(order);
		}

	}

	static class Transactions {

		@Transactional
		@DistributedLock(name = "tx")
		String inside(Supplier<String> work) {
			return held() + " " + work.get();
		}

		@Transactional
		@DistributedLock(name = "tx")
		CompletableFuture<String> later(Supplier<String> work) {
			return CompletableFuture.completedFuture(work.get());
		}

	}

	/**
	 * As the compiler of Kotlin makes it of a suspending function.
	 */
	@Metadata
	static class Suspending {

		@DistributedLock
		Object run(Continuation<? super String> continuation) {
			return "done";
		}

	}

	/**
	 * Woven for transactions, and not for locks.
	 */
	static class OnlyTransactional extends Base {

		@Override
		@Transactional
		String run() {
			return held();
		}

	}

}
