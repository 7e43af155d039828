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

import java.util.function.BiPredicate;

import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;
import org.jspecify.annotations.Nullable;

/**
 * Replaces calls, constructors, monitors and synchronized methods in a class.
 */
final class ClassReplacer extends ClassVisitor {

	private static final String REPLACED = Type.getInternalName(Replaced.class);

	private final BiPredicate<String, String> sharedFields;

	private String owner = "";

	/**
	 * Create the replacer of a class.
	 * @param writer writes the class
	 * @param sharedFields whether a field, by its owner and name, is shared by threads
	 */
	ClassReplacer(ClassWriter writer, BiPredicate<String, String> sharedFields) {
		super(Opcodes.ASM9, writer);
		this.sharedFields = sharedFields;
	}

	@Override
	public void visit(int version, int access, String name, @Nullable String signature, @Nullable String superName,
			String @Nullable [] interfaces) {
		this.owner = name;
		super.visit(version, access, name, signature, superName, interfaces);
	}

	@Override
	public MethodVisitor visitMethod(int access, String name, String descriptor, @Nullable String signature,
			String @Nullable [] exceptions) {
		MethodVisitor method = super.visitMethod(access & ~Opcodes.ACC_SYNCHRONIZED, name, descriptor, signature,
				exceptions);
		if (name.equals("<clinit>")) {
			return new Initializer(method);
		}
		return ((access & Opcodes.ACC_SYNCHRONIZED) != 0)
				? new SynchronizedMethod(method, (access & Opcodes.ACC_STATIC) != 0, descriptor)
				: new MethodReplacer(method);
	}

	/**
	 * Replaces calls and monitors in a method.
	 */
	private class MethodReplacer extends MethodVisitor {

		/**
		 * Number of objects that are not created although their constructors are still to
		 * be called.
		 */
		private int unconstructed;

		private boolean omitsCopy;

		MethodReplacer(MethodVisitor method) {
			super(Opcodes.ASM9, method);
		}

		void call(String name, String descriptor) {
			super.visitMethodInsn(Opcodes.INVOKESTATIC, REPLACED, name, descriptor, false);
		}

		@Override
		public void visitTypeInsn(int opcode, String type) {
			if (opcode == Opcodes.NEW && Replaced.findConstructing(type) != null) {
				this.unconstructed++;
				this.omitsCopy = true; // of the reference, which the compiler makes next
			}
			else {
				super.visitTypeInsn(opcode, type);
			}
		}

		@Override
		public void visitInsn(int opcode) {
			if (opcode == Opcodes.DUP && this.omitsCopy) {
				this.omitsCopy = false;
			}
			else if (opcode == Opcodes.MONITORENTER) {
				call("enterMonitor", "(Ljava/lang/Object;)V");
			}
			else if (opcode == Opcodes.MONITOREXIT) {
				call("exitMonitor", "(Ljava/lang/Object;)V");
			}
			else {
				super.visitInsn(opcode);
			}
		}

		@Override
		public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
			if (ClassReplacer.this.sharedFields.test(owner, name)) {
				call("point", "()V");
			}
			super.visitFieldInsn(opcode, owner, name, descriptor);
		}

		@Override
		public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
			String replaced = Replaced.find(owner, name, descriptor, opcode == Opcodes.INVOKESTATIC);
			if (replaced != null && opcode != Opcodes.INVOKESPECIAL) {
				call(name, replaced);
				return;
			}
			String constructing = name.equals("<init>") ? Replaced.findConstructing(owner) : null;
			if (constructing != null && this.unconstructed > 0) {
				this.unconstructed--;
				super.visitMethodInsn(Opcodes.INVOKESTATIC, constructing, "construct",
						descriptor.replace(")V", ")L" + owner + ';'), false);
				return;
			}
			if (owner.startsWith("java/util/concurrent/") || owner.equals("java/lang/invoke/VarHandle")) {
				call("point", "()V");
			}
			super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
		}

		@Override
		public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
			Object[] replaced = arguments.clone();
			for (int i = 0; i < replaced.length; i++) {
				if (replaced[i] instanceof Handle handle) {
					replaced[i] = replaced(handle);
				}
			}
			super.visitInvokeDynamicInsn(name, descriptor, bootstrap, replaced);
		}

		private Handle replaced(Handle handle) {
			String descriptor = Replaced.find(handle.getOwner(), handle.getName(), handle.getDesc(),
					handle.getTag() == Opcodes.H_INVOKESTATIC);
			return (descriptor != null)
					? new Handle(Opcodes.H_INVOKESTATIC, REPLACED, handle.getName(), descriptor, false) : handle;
		}

	}

	/**
	 * Static initializer: it runs once in a JVM, and so must not take part in decisions.
	 */
	private final class Initializer extends MethodReplacer {

		Initializer(MethodVisitor method) {
			super(method);
		}

		@Override
		public void visitCode() {
			super.visitCode();
			call("beginInitializer", "()V");
		}

		@Override
		public void visitInsn(int opcode) {
			if (opcode == Opcodes.RETURN) {
				call("endInitializer", "()V");
			}
			super.visitInsn(opcode);
		}

	}

	/**
	 * Method that was synchronized.
	 */
	private final class SynchronizedMethod extends MethodReplacer {

		private final Label begin = new Label();

		private final Label end = new Label();

		private final boolean isStatic;

		private final String descriptor;

		SynchronizedMethod(MethodVisitor method, boolean isStatic, String descriptor) {
			super(method);
			this.isStatic = isStatic;
			this.descriptor = descriptor;
		}

		@Override
		public void visitCode() {
			super.visitCode();
			callWithMonitor("enterMonitor");
			super.visitLabel(this.begin);
		}

		@Override
		public void visitInsn(int opcode) {
			if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
				callWithMonitor("exitMonitor");
			}
			super.visitInsn(opcode);
		}

		@Override
		public void visitMaxs(int maxStack, int maxLocals) {
			super.visitLabel(this.end);
			super.visitTryCatchBlock(this.begin, this.end, this.end, null);
			Object[] locals = locals();
			super.visitFrame(Opcodes.F_FULL, locals.length, locals, 1, new Object[] { "java/lang/Throwable" });
			callWithMonitor("exitMonitor");
			super.visitInsn(Opcodes.ATHROW);
			super.visitMaxs(maxStack, maxLocals);
		}

		private void callWithMonitor(String name) {
			if (this.isStatic) {
				super.visitLdcInsn(Type.getObjectType(ClassReplacer.this.owner));
			}
			else {
				super.visitVarInsn(Opcodes.ALOAD, 0);
			}
			call(name, "(Ljava/lang/Object;)V");
		}

		/**
		 * Return the types of the parameters, as in a frame.
		 */
		private Object[] locals() {
			Type[] parameters = Type.getArgumentTypes(this.descriptor);
			int first = this.isStatic ? 0 : 1;
			Object[] locals = new Object[first + parameters.length];
			if (!this.isStatic) {
				locals[0] = ClassReplacer.this.owner;
			}
			for (int i = 0; i < parameters.length; i++) {
				locals[first + i] = local(parameters[i]);
			}
			return locals;
		}

		private static Object local(Type type) {
			return switch (type.getSort()) {
				case Type.BOOLEAN, Type.CHAR, Type.BYTE, Type.SHORT, Type.INT -> Opcodes.INTEGER;
				case Type.FLOAT -> Opcodes.FLOAT;
				case Type.LONG -> Opcodes.LONG;
				case Type.DOUBLE -> Opcodes.DOUBLE;
				default -> type.getInternalName();
			};
		}

	}

}
