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

package io.github.lockspring.simulator.mutants;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Loads the starter with a fault, and the simulator, once more. Libraries are those of
 * the parent.
 */
final class MutantLoader extends URLClassLoader {

	static final String CLASS_PATH = System.getProperty("surefire.test.class.path",
			System.getProperty("java.class.path"));

	private static final String PACKAGE = "io.github.lockspring.";

	private static final String FOLDER = PACKAGE.replace('.', '/');

	/**
	 * Create a loader.
	 * @param changed the folder of what is changed
	 */
	MutantLoader(Path changed) {
		super(Stream.concat(Stream.of(changed), Stream.of(CLASS_PATH.split(File.pathSeparator)).map(Path::of))
			.map(MutantLoader::url)
			.toArray(URL[]::new), MutantLoader.class.getClassLoader());
	}

	private static URL url(Path path) {
		try {
			return path.toUri().toURL();
		}
		catch (MalformedURLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
		if (!name.startsWith(PACKAGE)) {
			return super.loadClass(name, resolve);
		}
		synchronized (getClassLoadingLock(name)) {
			Class<?> loaded = findLoadedClass(name);
			return (loaded != null) ? loaded : findClass(name);
		}
	}

	@Override
	public @Nullable URL getResource(String name) {
		return name.startsWith(FOLDER) ? findResource(name) : super.getResource(name);
	}

	@Override
	public Enumeration<URL> getResources(String name) throws IOException {
		return name.startsWith(FOLDER) ? findResources(name) : super.getResources(name);
	}

}
