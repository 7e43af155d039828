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

package io.github.lockspring.simulator.machine;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

import net.bytebuddy.jar.asm.Type;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.support.DaemonThreads;

/**
 * Methods that replace those of the same name. One that replaces the method of an object
 * has the object as its first parameter. A thread that is not simulated is left alone.
 */
public final class Replaced {

	private static final String LOCK_SUPPORT = "java/util/concurrent/locks/LockSupport";

	/**
	 * A name, since its class is only to be loaded when its calls are replaced.
	 */
	private static final String DAEMON_THREADS = "io/github/lockspring/support/DaemonThreads";

	/**
	 * Owners of static methods that are replaced, by the name of the method.
	 */
	private static final Map<String, String> OWNERS_OF_STATICS = Map.of("nanoTime", "java/lang/System",
			"currentTimeMillis", "java/lang/System", "park", LOCK_SUPPORT, "parkNanos", LOCK_SUPPORT, "unpark",
			LOCK_SUPPORT, "sleep", "java/lang/Thread", "create", DAEMON_THREADS, "virtualNamed", DAEMON_THREADS,
			"delayedExecutor", "java/util/concurrent/CompletableFuture", "shuffle", "java/util/Collections");

	/**
	 * Classes with a method {@code construct} that replaces the constructors of another
	 * class.
	 */
	private static final Map<String, String> CONSTRUCTING = Map.of("org/apache/zookeeper/ZooKeeper",
			"io/github/lockspring/zookeeper/ModelZooKeeper", "java/util/concurrent/ThreadPoolExecutor",
			Type.getInternalName(SimulatedPool.class));

	private static final Map<String, String> METHODS = Arrays.stream(Replaced.class.getDeclaredMethods())
		.filter((method) -> Modifier.isPublic(method.getModifiers()))
		.filter((method) -> !method.getName().endsWith("Monitor") && !method.getName().endsWith("Initializer")
				&& !method.getName().equals("point"))
		.collect(Collectors.toMap(Replaced::signature, Type::getMethodDescriptor));

	private static @Nullable Scheduler active;

	private Replaced() {
	}

	private static String signature(Method method) {
		String owner = OWNERS_OF_STATICS.get(method.getName());
		String descriptor = Type.getMethodDescriptor(method);
		if (owner != null) {
			return owner + '.' + method.getName() + descriptor + "static";
		}
		String receiver = Type.getDescriptor(method.getParameterTypes()[0]);
		return Type.getInternalName(method.getParameterTypes()[0]) + '.' + method.getName()
				+ descriptor.replace('(' + receiver, "(");
	}

	/**
	 * Return the descriptor of the method that replaces another, or {@code null} if none
	 * does.
	 */
	static @Nullable String find(String owner, String name, String descriptor, boolean isStatic) {
		return METHODS.get(owner + '.' + name + descriptor + (isStatic ? "static" : ""));
	}

	/**
	 * Return the class whose method {@code construct} replaces the constructors of a
	 * class, or {@code null} if none does.
	 */
	static @Nullable String findConstructing(String type) {
		return CONSTRUCTING.get(type);
	}

	/**
	 * Let a scheduler decide from now on.
	 */
	static void activate(@Nullable Scheduler scheduler) {
		active = scheduler;
	}

	static @Nullable Node node() {
		Scheduler scheduler = active;
		return (scheduler != null) ? scheduler.current() : null;
	}

	private static @Nullable SimulatedThread thread() {
		Scheduler scheduler = active;
		return (scheduler != null && !scheduler.isInEvent() && Thread.currentThread() instanceof SimulatedThread thread)
				? thread : null;
	}

	/**
	 * Return whether the current thread has entered a monitor.
	 * @return {@code false} if the thread is not simulated
	 */
	public static boolean holdsMonitor() {
		SimulatedThread thread = thread();
		return thread != null && Monitors.isAnyOwnedBy(thread);
	}

	public static long nanoTime() {
		Node node = node();
		return (node != null) ? node.nanoTime() : System.nanoTime();
	}

	public static long currentTimeMillis() {
		Node node = node();
		return (node != null) ? node.currentTimeMillis() : System.currentTimeMillis();
	}

	public static void nextBytes(SecureRandom random, byte[] bytes) {
		Scheduler scheduler = active;
		if (scheduler != null) {
			SplittableRandom source = scheduler.random();
			for (int i = 0; i < bytes.length; i++) {
				bytes[i] = (byte) source.nextInt();
			}
		}
		else {
			random.nextBytes(bytes);
		}
	}

	public static int nextInt(ThreadLocalRandom random, int bound) {
		Scheduler scheduler = active;
		return (scheduler != null) ? scheduler.random().nextInt(bound) : random.nextInt(bound);
	}

	public static int nextInt(ThreadLocalRandom random, int origin, int bound) {
		return origin + nextInt(random, bound - origin);
	}

	public static long nextLong(ThreadLocalRandom random) {
		Scheduler scheduler = active;
		return (scheduler != null) ? scheduler.random().nextLong() : random.nextLong();
	}

	public static long nextLong(ThreadLocalRandom random, long bound) {
		Scheduler scheduler = active;
		return (scheduler != null) ? scheduler.random().nextLong(bound) : random.nextLong(bound);
	}

	public static void shuffle(List<?> list) {
		Scheduler scheduler = active;
		if (scheduler != null) {
			Collections.shuffle(list, new Random(scheduler.random().nextLong()));
		}
		else {
			Collections.shuffle(list);
		}
	}

	public static Executor delayedExecutor(long delay, TimeUnit unit) {
		Node node = node();
		return (node != null) ? (task) -> node.executeAfter(unit.toNanos(delay), task)
				: CompletableFuture.delayedExecutor(delay, unit);
	}

	public static Executor delayedExecutor(long delay, TimeUnit unit, Executor executor) {
		Executor delayed = delayedExecutor(delay, unit);
		return (task) -> delayed.execute(() -> executor.execute(task));
	}

	public static void park(Object blocker) {
		parkNanos(blocker, Scheduler.NEVER);
	}

	public static void parkNanos(Object blocker, long nanos) {
		SimulatedThread thread = thread();
		if (thread != null) {
			thread.park(nanos);
		}
		else if (active != null) {
			throw new IllegalStateException("What happens as an event must not wait");
		}
		else {
			LockSupport.parkNanos(blocker, nanos);
		}
	}

	public static void parkNanos(long nanos) {
		parkNanos(Replaced.class, nanos);
	}

	public static void unpark(@Nullable Thread thread) {
		if (thread instanceof SimulatedThread simulated) {
			simulated.unpark();
			point();
		}
		else {
			LockSupport.unpark(thread);
		}
	}

	public static void sleep(long millis) throws InterruptedException {
		SimulatedThread thread = thread();
		if (thread == null) {
			Thread.sleep(millis);
			return;
		}
		long end = nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
		while (nanoTime() - end < 0) {
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
			thread.park(end - nanoTime());
		}
	}

	public static Thread create(String name, Runnable task) {
		Node node = node();
		return (node != null) ? new SimulatedThread(node, name, task) : DaemonThreads.create(name, task);
	}

	public static java.util.concurrent.@Nullable ThreadFactory virtualNamed(String prefix) {
		return null;
	}

	public static void start(Thread thread) {
		if (thread instanceof SimulatedThread simulated) {
			simulated.begin();
		}
		else {
			thread.start();
		}
	}

	public static boolean isAlive(Thread thread) {
		return (thread instanceof SimulatedThread simulated) ? simulated.isBegun() && !simulated.isEnded()
				: thread.isAlive();
	}

	public static void interrupt(Thread thread) {
		thread.interrupt();
		if (thread instanceof SimulatedThread simulated) {
			simulated.wakeUp();
		}
	}

	public static void join(Thread thread) throws InterruptedException {
		SimulatedThread self = thread();
		if (self == null) {
			thread.join();
			return;
		}
		while (isAlive(thread)) {
			Monitors.awaitChange(self, thread, Scheduler.NEVER);
		}
	}

	public static void lock(ReentrantLock lock) {
		SimulatedThread thread = thread();
		if (thread == null) {
			lock.lock();
			return;
		}
		thread.point();
		while (!lock.tryLock()) {
			Monitors.awaitChange(thread, lock, Scheduler.NEVER);
		}
	}

	public static void unlock(ReentrantLock lock) {
		lock.unlock();
		SimulatedThread thread = thread();
		if (thread != null) {
			Monitors.notifyAll(thread.node().scheduler(), lock);
		}
	}

	public static <T> T join(CompletableFuture<T> future) {
		SimulatedThread thread = thread();
		if (thread != null && !future.isDone()) {
			future.whenComplete((value, failure) -> Monitors.notifyAll(thread.node().scheduler(), future));
			while (!future.isDone()) {
				Monitors.awaitChange(thread, future, Scheduler.NEVER);
			}
		}
		return future.join();
	}

	public static <T> T get(Future<T> future, long timeout, TimeUnit unit)
			throws InterruptedException, ExecutionException, TimeoutException {
		SimulatedThread thread = thread();
		if (thread == null || future.isDone()) {
			return future.get(timeout, unit);
		}
		if (future instanceof CompletableFuture<T> completable && !(future instanceof ReplyFuture)) {
			completable.whenComplete((value, failure) -> Monitors.notifyAll(thread.node().scheduler(), future));
		}
		await(thread, future, unit.toNanos(timeout), future::isDone);
		return future.get(0, unit);
	}

	public static <T> T get(CompletableFuture<T> future, long timeout, TimeUnit unit)
			throws InterruptedException, ExecutionException, TimeoutException {
		return get((Future<T>) future, timeout, unit);
	}

	private static void await(SimulatedThread thread, Object object, long nanos, BooleanSupplier condition)
			throws InterruptedException {
		long end = nanoTime() + nanos;
		while (!condition.getAsBoolean() && nanoTime() - end < 0) {
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
			Monitors.awaitChange(thread, object, end - nanoTime());
		}
	}

	public static boolean await(CountDownLatch latch, long timeout, TimeUnit unit) throws InterruptedException {
		SimulatedThread thread = thread();
		if (thread == null) {
			return latch.await(timeout, unit);
		}
		await(thread, latch, unit.toNanos(timeout), () -> latch.getCount() == 0);
		return latch.getCount() == 0;
	}

	public static void countDown(CountDownLatch latch) {
		latch.countDown();
		Scheduler scheduler = active;
		if (scheduler != null) {
			Monitors.notifyAll(scheduler, latch);
		}
	}

	/**
	 * Enter a monitor.
	 * @param object the object that has it
	 */
	public static void enterMonitor(Object object) {
		SimulatedThread thread = thread();
		if (thread != null) {
			Monitors.enter(thread, object);
		}
	}

	/**
	 * Leave a monitor.
	 * @param object the object that has it
	 */
	public static void exitMonitor(Object object) {
		SimulatedThread thread = thread();
		if (thread != null) {
			Monitors.exit(thread, object);
		}
	}

	/**
	 * Let no other thread overtake until the end of a static initializer.
	 */
	public static void beginInitializer() {
		SimulatedThread thread = thread();
		if (thread != null) {
			thread.setInitializing(1);
		}
	}

	/**
	 * End a static initializer.
	 */
	public static void endInitializer() {
		SimulatedThread thread = thread();
		if (thread != null) {
			thread.setInitializing(-1);
		}
	}

	/**
	 * Let other threads overtake, before memory is accessed that threads share.
	 */
	public static void point() {
		SimulatedThread thread = thread();
		if (thread != null) {
			thread.point();
		}
	}

}
