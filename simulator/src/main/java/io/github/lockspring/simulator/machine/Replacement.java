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

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassWriter;
import org.jspecify.annotations.Nullable;

/**
 * Replaces what classes of locks call to know the time, to wait, to wake others up, and
 * to draw random numbers, by {@link Replaced} methods, when the classes are loaded.
 */
public final class Replacement implements ClassFileTransformer {

	private static final String PREFIX = "io/github/lockspring/";

	private static final String SIMULATOR = PREFIX + "simulator/";

	private static final Instrumentation INSTRUMENTATION = ByteBuddyAgent.install();

	private static boolean installed;

	private final SharedFields sharedFields = new SharedFields();

	private Replacement() {
	}

	/**
	 * Replace the calls of all classes that are loaded from now on.
	 * @throws IllegalStateException if one has been loaded before
	 */
	public static synchronized void install() {
		if (installed) {
			return;
		}
		for (Class<?> loaded : INSTRUMENTATION.getAllLoadedClasses()) {
			String name = loaded.getName().replace('.', '/');
			if (isReplacedIn(name) && !loaded.isArray() && isReplacedIn(loaded.getClassLoader())) {
				throw new IllegalStateException(loaded.getName() + " was loaded before its calls could be replaced");
			}
		}
		INSTRUMENTATION.addTransformer(new Replacement());
		installed = true;
	}

	/**
	 * Return whether classes of a loader are changed. A build tool has others.
	 */
	private static boolean isReplacedIn(@Nullable ClassLoader loader) {
		return loader == Replacement.class.getClassLoader();
	}

	static boolean isReplacedIn(String name) {
		return name.startsWith(PREFIX) && !name.startsWith(SIMULATOR);
	}

	@Override
	public byte @Nullable [] transform(@Nullable ClassLoader loader, @Nullable String name,
			@Nullable Class<?> redefined, @Nullable ProtectionDomain domain, byte[] bytes) {
		if (name == null || !isReplacedIn(name) || !isReplacedIn(loader)) {
			return null;
		}
		try {
			ClassReader reader = new ClassReader(bytes);
			ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
			reader.accept(new ClassReplacer(writer, (owner, field) -> this.sharedFields.contains(loader, owner, field)),
					0);
			return writer.toByteArray();
		}
		catch (Throwable ex) {
			ex.printStackTrace(); // the JVM would ignore it
			throw ex;
		}
	}

}
