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

package io.github.lockspring.jdbc;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;

import javax.net.SocketFactory;

/**
 * Factory, to be named in the properties of the driver of PostgreSQL, for sockets on
 * which a read with the shortest timeout, one millisecond, does not wait at all: with
 * that timeout, the driver looks for another message before it returns a notification,
 * which would arrive a millisecond later. Thread-safe.
 */
public final class PromptSocketFactory extends SocketFactory {

	@Override
	public Socket createSocket() {
		return new PromptSocket();
	}

	@Override
	public Socket createSocket(String host, int port) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Socket createSocket(InetAddress host, int port) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) {
		throw new UnsupportedOperationException();
	}

	private static final class PromptSocket extends Socket {

		private volatile boolean prompt;

		@Override
		public void setSoTimeout(int timeout) throws SocketException {
			this.prompt = timeout == 1;
			if (!this.prompt) {
				super.setSoTimeout(timeout);
			}
		}

		@Override
		public InputStream getInputStream() throws IOException {
			return new FilterInputStream(super.getInputStream()) {

				@Override
				public int read(byte[] buffer, int offset, int length) throws IOException {
					if (PromptSocket.this.prompt && available() == 0) {
						throw new SocketTimeoutException();
					}
					return this.in.read(buffer, offset, length);
				}

			};
		}

	}

}
