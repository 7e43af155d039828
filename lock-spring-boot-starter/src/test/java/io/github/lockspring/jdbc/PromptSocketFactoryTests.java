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

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link PromptSocketFactory}.
 */
class PromptSocketFactoryTests {

	@Test
	@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void readWithTheShortestTimeoutDoesNotWait() throws IOException {
		try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
				Socket client = new PromptSocketFactory().createSocket()) {
			client.connect(server.getLocalSocketAddress());
			try (Socket accepted = server.accept()) {
				InputStream input = client.getInputStream();
				byte[] buffer = new byte[2];
				client.setSoTimeout(1);
				assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> input.read(buffer, 0, 2));
				accepted.getOutputStream().write(1);
				Awaitility.await().until(() -> input.available() == 1);
				assertThat(input.read(buffer, 0, 2)).isOne();
				client.setSoTimeout(2);
				assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> input.read(buffer, 0, 2));
				client.setSoTimeout((int) TimeUnit.MINUTES.toMillis(1));
				accepted.getOutputStream().write(1);
				assertThat(input.read(buffer, 0, 2)).isOne();
			}
		}
	}

}
