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

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.FieldVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.jspecify.annotations.Nullable;

/**
 * Volatile fields of classes, their own and those they inherit: accesses at which another
 * thread may overtake. Thread-safe.
 */
final class SharedFields {

	private final Map<String, Set<String>> names = new ConcurrentHashMap<>();

	/**
	 * Return whether a field is volatile.
	 * @param loader the class loader of the class that accesses it
	 * @param owner the class by which it is accessed
	 * @param name its name
	 */
	boolean contains(@Nullable ClassLoader loader, String owner, String name) {
		return Replacement.isReplacedIn(owner) && loader != null && namesOf(loader, owner).contains(name);
	}

	private Set<String> namesOf(ClassLoader loader, String owner) {
		Set<String> known = this.names.get(owner);
		return (known != null) ? known : this.names.merge(owner, read(loader, owner), (first, same) -> first);
	}

	private Set<String> read(ClassLoader loader, String owner) {
		try (InputStream bytes = loader.getResourceAsStream(owner + ".class")) {
			if (bytes == null) {
				return Set.of();
			}
			ClassReader reader = new ClassReader(bytes);
			Volatiles volatiles = new Volatiles();
			reader.accept(volatiles, ClassReader.SKIP_CODE);
			if (Replacement.isReplacedIn(reader.getSuperName())) {
				volatiles.names.addAll(namesOf(loader, reader.getSuperName()));
			}
			return volatiles.names;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Collects the volatile fields that a class declares.
	 */
	private static final class Volatiles extends ClassVisitor {

		private final Set<String> names = new HashSet<>();

		private Volatiles() {
			super(Opcodes.ASM9);
		}

		@Override
		public @Nullable FieldVisitor visitField(int access, String name, String descriptor, @Nullable String signature,
				@Nullable Object value) {
			if ((access & Opcodes.ACC_VOLATILE) != 0) {
				this.names.add(name);
			}
			return null;
		}

	}

}
