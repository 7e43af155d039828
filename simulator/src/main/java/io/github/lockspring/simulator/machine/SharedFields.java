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

import java.util.HashSet;
import java.util.Set;

import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.FieldVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.jspecify.annotations.Nullable;

/**
 * Names of the volatile fields of a class: accesses at which another thread may overtake.
 */
final class SharedFields extends ClassVisitor {

	private final Set<String> names = new HashSet<>();

	private SharedFields() {
		super(Opcodes.ASM9);
	}

	static Set<String> of(ClassReader reader) {
		SharedFields fields = new SharedFields();
		reader.accept(fields, ClassReader.SKIP_CODE);
		return fields.names;
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
