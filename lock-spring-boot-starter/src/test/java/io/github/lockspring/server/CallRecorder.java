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

import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;

import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.agent.builder.ResettableClassFileTransformer;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.matcher.ElementMatchers;
import org.jspecify.annotations.Nullable;

/**
 * Records the entries of methods of the library, in the order of the calls, with the
 * depth of each below the first. Accessors of fields count like all others.
 */
public final class CallRecorder implements AutoCloseable {

	private static final String LIBRARY = "io.github.lockspring.";

	private static volatile @Nullable Thread recorded;

	private static List<Entry> entries = new ArrayList<>();

	private static int depth;

	private final Instrumentation instrumentation = ByteBuddyAgent.install();

	private final ResettableClassFileTransformer transformer;

	private CallRecorder(String boundary) {
		this.transformer = new AgentBuilder.Default().disableClassFormatChanges()
			.with(AgentBuilder.RedefinitionStrategy.RETRANSFORMATION)
			.type((type, loader, module, redefined, domain) -> loader == CallRecorder.class.getClassLoader()
					&& (type.getName().equals(boundary) || type.getName().startsWith(LIBRARY) && !isTest(domain)))
			.transform((builder, type, loader, module, domain) -> builder
				.visit(Advice.to(Recording.class).on(ElementMatchers.isMethod())))
			.installOn(this.instrumentation);
	}

	private static boolean isTest(ProtectionDomain domain) {
		return domain == null || domain.getCodeSource().getLocation().getPath().contains("test-classes");
	}

	/**
	 * Instruments the library.
	 * @param boundary a class of another library, whose methods are recorded as well
	 */
	public static CallRecorder install(Class<?> boundary) {
		return new CallRecorder(boundary.getName());
	}

	/**
	 * Runs an action and records what it calls in the current thread.
	 */
	public List<Entry> record(Runnable action) {
		entries = new ArrayList<>();
		depth = 0;
		recorded = Thread.currentThread();
		try {
			action.run();
		}
		finally {
			recorded = null;
		}
		return entries;
	}

	/**
	 * Called by instrumented code.
	 */
	public static void enter(String type, String method) {
		if (Thread.currentThread() == recorded) {
			entries.add(new Entry(type, method, ++depth));
		}
	}

	/**
	 * Called by instrumented code.
	 */
	public static void exit() {
		if (Thread.currentThread() == recorded) {
			depth--;
		}
	}

	@Override
	public void close() {
		this.transformer.reset(this.instrumentation, AgentBuilder.RedefinitionStrategy.RETRANSFORMATION);
	}

	/**
	 * Entry of a method.
	 *
	 * @param type the name of its class
	 * @param method its name
	 * @param depth the number of frames, including its own
	 */
	public record Entry(String type, String method, int depth) {

		@Override
		public String toString() {
			String name = this.type.substring(this.type.lastIndexOf('.') + 1);
			return System.lineSeparator() + " ".repeat(this.depth) + name + '.' + this.method;
		}

	}

	/**
	 * Code that is added to each method.
	 */
	private static final class Recording {

		@Advice.OnMethodEnter
		static void enter(@Advice.Origin("#t") String type, @Advice.Origin("#m") String method) {
			CallRecorder.enter(type, method);
		}

		@Advice.OnMethodExit(onThrowable = Throwable.class)
		static void exit() {
			CallRecorder.exit();
		}

	}

}
