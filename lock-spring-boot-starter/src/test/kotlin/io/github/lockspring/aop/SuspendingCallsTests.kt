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

package io.github.lockspring.aop

import io.github.lockspring.DistributedLock
import io.github.lockspring.InvalidLockDeclarationException
import io.github.lockspring.LockContext
import io.github.lockspring.LockException
import io.github.lockspring.LockHandle
import io.github.lockspring.LockLostException
import io.github.lockspring.LockNotAcquiredException
import io.github.lockspring.OnFailure
import io.github.lockspring.OnLost
import io.github.lockspring.ReactiveLockContext
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.awaitility.Awaitility
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import java.io.IOException
import java.time.Duration
import java.util.concurrent.atomic.AtomicInteger

/**
 * Tests for suspending functions and flows.
 */
class SuspendingCallsTests {

	private val proxies = LockedProxies()

	private val target = Orders(proxies::isHeld, proxies::loseLeases)

	private val orders = proxies.proxy(target)

	@AfterEach
	fun close() {
		proxies.close()
	}

	private fun run(block: suspend CoroutineScope.() -> Unit) = runBlocking {
		withTimeout(60_000) { block() }
	}

	private fun awaitEmptiness() {
		Awaitility.await().atMost(Duration.ofSeconds(60)).until(proxies::isEmpty)
	}

	@Test
	fun lockIsHeldWhileTheFunctionSuspends() = run {
		assertThat(orders.pay(42)).isEqualTo("paid, true, true")
		assertThat(proxies.isHeld("order:42")).isFalse()
	}

	@Test
	fun functionsMayReturnNothingOrNull() = run {
		orders.clean(42)
		assertThat(target.runs).hasValue(1)
		assertThat(orders.find(42)).isNull()
		assertThat(orders.count(42)).isEqualTo(7)
		assertThat(proxies.backend.keys()).hasSize(3)
	}

	@Test
	fun exceptionSurfacesAndLockIsReleased() = run {
		val thrown = runCatching { orders.fail(42) }.exceptionOrNull()
		assertThat(thrown).isInstanceOf(IOException::class.java)
		assertThat(proxies.isHeld("order:42")).isFalse()
	}

	@Test
	fun whateverIsThrownSurfacesAndLockIsReleased() = run {
		for (failure in listOf(IllegalStateException(), IOException(), StackOverflowError(), NoClassDefFoundError(),
			OutOfMemoryError(), AssertionError(), InterruptedException())) {
			assertThat(runCatching { orders.explode(42, false, failure) }.exceptionOrNull()).hasSameClassAs(failure)
			assertThat(runCatching { orders.explode(42, true, failure) }.exceptionOrNull()).hasSameClassAs(failure)
			assertThat(proxies.isHeld("order:42")).isFalse()
		}
	}

	@Test
	fun whenHeldElsewhereThenFunctionDoesNotRun() = run {
		proxies.holdElsewhere("order:42")
		val thrown = runCatching { orders.pay(42) }.exceptionOrNull()
		assertThat(thrown).isInstanceOf(LockNotAcquiredException::class.java)
		assertThat(target.runs).hasValue(0)
	}

	@Test
	fun whenHeldElsewhereThenCallerIsSuspendedAndFunctionRunsLater() = run {
		val elsewhere = proxies.holdElsewhere("slow:42")
		val call = async(start = CoroutineStart.UNDISPATCHED) { orders.slowly(42) {} }
		assertThat(call.isCompleted).isFalse()
		elsewhere.close()
		call.await()
		assertThat(target.runs).hasValue(1)
	}

	@Test
	fun whenSkippedThenResultIsNull() = run {
		proxies.holdElsewhere("order:42")
		assertThat(orders.findOrSkip(42)).isNull()
		orders.cleanOrSkip(42)
		assertThat(orders.itemsOrSkip(42).toList()).isEmpty()
		assertThat(target.runs).hasValue(0)
	}

	@Test
	fun fallbackMaySuspendAndTakeTheReason() = run {
		proxies.holdElsewhere("order:42")
		assertThat(orders.payOrLater(42)).isEqualTo("later 42")
		assertThat(orders.payOrExplain(42)).isEqualTo("lock:order:42")
		assertThat(target.runs).hasValue(0)
	}

	@Test
	fun fallbackRunsUnderTheOtherLocks() = run {
		proxies.holdElsewhere("zebra")
		val result = orders.payUnlessZebra {
			delay(1)
			orders.payBlocking(42) + ", " + orders.pay(42)
		}
		assertThat(result).isEqualTo("paid, paid, true, true")
		assertThat(proxies.backend.keys()).containsExactly("lock:order:42", "lock:zebra")
		assertThat(proxies.isHeld("order:42")).isFalse()
	}

	@Test
	fun functionGetsTheHandleAndKnowsItsLocks() = run {
		assertThat(orders.ship(42, null)).isEqualTo("42 42 42")
	}

	@Test
	fun cancelledFunctionReleasesTheLock() = run {
		val started = CompletableDeferred<Unit>()
		val call = launch(Dispatchers.Default) {
			orders.slowly(42) {
				started.complete(Unit)
				delay(Long.MAX_VALUE)
			}
		}
		started.await()
		assertThat(proxies.isHeld("slow:42")).isTrue()
		call.cancelAndJoin()
		awaitEmptiness()
	}

	@Test
	fun cancelledWaiterDoesNotRun() = run {
		val elsewhere = proxies.holdElsewhere("slow:42")
		launch(start = CoroutineStart.UNDISPATCHED) { orders.slowly(42) {} }.cancelAndJoin()
		elsewhere.close()
		awaitEmptiness()
		assertThat(target.runs).hasValue(0)
	}

	@Test
	fun innerCallReentersThroughTheCoroutineContext() = run {
		val result = orders.outer(42) {
			delay(1)
			orders.pay(42)
		}
		assertThat(result).isEqualTo("paid, true, true")
		assertThat(proxies.backend.keys()).containsExactly("lock:order:42")
		awaitEmptiness()
	}

	@Test
	fun blockingCallReentersInAnyThread() = run {
		val result = orders.outer(42) {
			withContext(Dispatchers.Default) {
				delay(1)
				orders.payBlocking(42)
			}
		}
		assertThat(result).isEqualTo("paid")
		assertThat(proxies.backend.keys()).containsExactly("lock:order:42")
		assertThat(LockContext.get()).isNull()
		awaitEmptiness()
	}

	@Test
	fun coroutinesInsideTheSameLockExcludeEachOtherFromNewKeys() = run {
		val inside = AtomicInteger()
		val most = AtomicInteger()
		orders.outer(1) {
			coroutineScope {
				List(20) {
					async(Dispatchers.Default) {
						orders.slowly(7) {
							most.accumulateAndGet(inside.incrementAndGet(), Math::max)
							yield()
							delay(1)
							inside.decrementAndGet()
						}
					}
				}.awaitAll()
			}
			"done"
		}
		assertThat(most).hasValue(1)
		awaitEmptiness()
	}

	@Test
	fun whenLostThenCallerLearnsIt() = run {
		val thrown = runCatching { orders.outer(42) { proxies.loseLeases(); "done" } }.exceptionOrNull()
		assertThat(thrown).isInstanceOf(LockLostException::class.java)
	}

	@Test
	fun whenLostAndInterruptingThenFunctionIsCancelled() = run {
		val cancelled = CompletableDeferred<Unit>()
		val thrown = runCatching { orders.interrupted(42, null, cancelled) }.exceptionOrNull()
		assertThat(thrown).isInstanceOf(LockLostException::class.java)
		cancelled.await()
	}

	@Test
	fun lockIsHeldWhileTheFlowIsCollected() = run {
		val items = orders.items(42)
		assertThat(proxies.backend.keys()).isEmpty()
		assertThat(items.toList()).containsExactly("true", "true")
		assertThat(proxies.isHeld("order:42")).isFalse()
		assertThat(items.toList()).containsExactly("true", "true")
		assertThat(proxies.backend.keys()).hasSize(2)
		assertThat(items.take(1).toList()).containsExactly("true")
		awaitEmptiness()
	}

	@Test
	fun lockIsHeldWhileTheFlowOfASuspendingFunctionIsCollected() = run {
		assertThat(orders.itemsLater(42).toList()).containsExactly("true", "true")
		awaitEmptiness()
	}

	@Test
	fun resultThatIsNeverNullCannotBeSkipped() {
		listOf(SkippedCounts(), SkippedTexts()).forEach { bean ->
			assertThatExceptionOfType(InvalidLockDeclarationException::class.java)
				.isThrownBy { proxies.proxy(bean) }
				.withMessageContaining("SKIP")
		}
	}

	open class Orders(private val isHeld: (String) -> Boolean, private val loseLeases: () -> Unit) {

		val runs = AtomicInteger()

		private fun held(id: Long) = isHeld("order:$id")

		@DistributedLock(name = "order", key = "#id")
		open suspend fun pay(id: Long): String {
			runs.incrementAndGet()
			val before = held(id)
			delay(5)
			return "paid, $before, ${held(id)}"
		}

		@DistributedLock(name = "order", key = "#id")
		open suspend fun clean(id: Long) {
			delay(1)
			runs.incrementAndGet()
		}

		@DistributedLock(name = "order", key = "#id")
		open suspend fun find(id: Long): String? {
			delay(1)
			return null
		}

		@DistributedLock(name = "order", key = "#id")
		open suspend fun count(id: Long): Int {
			delay(1)
			return 7
		}

		@DistributedLock(name = "order", key = "#id")
		open suspend fun fail(id: Long): String {
			delay(1)
			throw IOException("no paper")
		}

		@DistributedLock(name = "order", key = "#id")
		open suspend fun explode(id: Long, later: Boolean, failure: Throwable): String {
			if (later) {
				delay(1)
			}
			throw failure
		}

		@DistributedLock(name = "order", key = "#id")
		open fun payBlocking(id: Long): String = "paid"

		@DistributedLock(name = "slow", key = "#id", waitTime = "1h")
		open suspend fun slowly(id: Long, block: suspend () -> Unit) {
			runs.incrementAndGet()
			block()
		}

		@DistributedLock(name = "order", key = "#id")
		open suspend fun outer(id: Long, block: suspend () -> String): String = block()

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.SKIP)
		open suspend fun findOrSkip(id: Long): String? {
			runs.incrementAndGet()
			return "found"
		}

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.SKIP)
		open suspend fun cleanOrSkip(id: Long) {
			runs.incrementAndGet()
		}

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.SKIP)
		open fun itemsOrSkip(id: Long): Flow<String> = flow { runs.incrementAndGet() }

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.FALLBACK, fallback = "later")
		open suspend fun payOrLater(id: Long): String {
			runs.incrementAndGet()
			return "paid"
		}

		suspend fun later(id: Long): String {
			delay(5)
			return "later $id"
		}

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.FALLBACK, fallback = "explain")
		open suspend fun payOrExplain(id: Long): String = "paid"

		suspend fun explain(id: Long, reason: LockException): String {
			delay(5)
			return "${reason.storeKey()}"
		}

		@DistributedLock(name = "order", key = "42")
		@DistributedLock(name = "zebra", onFailure = OnFailure.FALLBACK, fallback = "instead")
		open suspend fun payUnlessZebra(instead: suspend () -> String): String = "paid"

		suspend fun instead(instead: suspend () -> String): String = instead()

		@DistributedLock(name = "order", key = "#id")
		open suspend fun ship(id: Long, lock: LockHandle?): String {
			val now = LockContext.current("order").key()
			delay(5)
			assertThat(LockContext.current("order")).isSameAs(lock)
			val later = ReactiveLockContext.current().awaitSingle().key()
			return "$now ${lock?.key()} $later"
		}

		@DistributedLock(name = "order", key = "#id", onLost = OnLost.INTERRUPT)
		open suspend fun interrupted(id: Long, lock: LockHandle?, cancelled: CompletableDeferred<Unit>): String {
			try {
				delay(1)
				loseLeases()
				lock!!.isHeld
				delay(Long.MAX_VALUE)
			} finally {
				cancelled.complete(Unit)
			}
			return "not interrupted"
		}

		@DistributedLock(name = "order", key = "#id")
		open fun items(id: Long): Flow<String> = twice(id)

		@DistributedLock(name = "order", key = "#id")
		open suspend fun itemsLater(id: Long): Flow<String> {
			delay(1)
			return twice(id)
		}

		private fun twice(id: Long): Flow<String> = flow {
			repeat(2) {
				delay(1)
				emit("${held(id)}")
			}
		}

	}

	open class SkippedCounts {

		@DistributedLock(name = "order", onFailure = OnFailure.SKIP)
		open suspend fun count(): Int = 7

	}

	open class SkippedTexts {

		@DistributedLock(name = "order", onFailure = OnFailure.SKIP)
		open suspend fun text(): String = "text"

	}

}
