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

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A plain connection to a Redis server. Strings are returned as {@code String}, integers
 * as {@code Long}, arrays as {@code List}, nothing as {@code null}; an error is thrown as
 * {@link RedisErrorException}. Not for concurrent use.
 */
public final class RedisConnection implements AutoCloseable {

	private final Socket socket = new Socket();

	private final InputStream input;

	/**
	 * Connect.
	 * @param host the host of the server
	 * @param port the port of the server
	 * @param timeout how long to wait for the connection, and for each reply
	 */
	public RedisConnection(String host, int port, Duration timeout) {
		try {
			this.socket.setTcpNoDelay(true);
			this.socket.setSoTimeout(Math.toIntExact(timeout.toMillis()));
			this.socket.connect(new InetSocketAddress(host, port), Math.toIntExact(timeout.toMillis()));
			this.input = new BufferedInputStream(this.socket.getInputStream());
		}
		catch (IOException ex) {
			close();
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Send a command and return its reply.
	 * @param command the words of the command
	 * @return the reply
	 */
	public @Nullable Object command(String... command) {
		send(command);
		return receive();
	}

	/**
	 * Send a command.
	 * @param command the words of the command
	 */
	public void send(String... command) {
		ByteArrayOutputStream request = new ByteArrayOutputStream();
		request.writeBytes(bytes("*" + command.length + "\r\n"));
		for (String word : command) {
			byte[] bytes = bytes(word);
			request.writeBytes(bytes("$" + bytes.length + "\r\n"));
			request.writeBytes(bytes);
			request.writeBytes(bytes("\r\n"));
		}
		try {
			this.socket.getOutputStream().write(request.toByteArray());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Wait for the next reply or message.
	 * @return the reply
	 */
	public @Nullable Object receive() {
		try {
			Object reply = read();
			if (reply instanceof RedisErrorException error) {
				throw error;
			}
			return reply;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private @Nullable Object read() throws IOException {
		String line = readLine();
		String text = line.substring(1);
		return switch (line.charAt(0)) {
			case '+' -> text;
			case '-' -> new RedisErrorException(text);
			case ':' -> Long.valueOf(text);
			case '$' -> readString(Integer.parseInt(text));
			case '*' -> readList(Integer.parseInt(text));
			default -> throw new IOException("Not a reply: " + line);
		};
	}

	private String readLine() throws IOException {
		ByteArrayOutputStream line = new ByteArrayOutputStream();
		for (int b = this.input.read(); b != '\r'; b = this.input.read()) {
			if (b < 0) {
				throw new EOFException("The server has closed the connection");
			}
			line.write(b);
		}
		this.input.skipNBytes(1);
		return line.toString(StandardCharsets.UTF_8);
	}

	private @Nullable String readString(int length) throws IOException {
		if (length < 0) {
			return null;
		}
		byte[] bytes = this.input.readNBytes(length);
		this.input.skipNBytes(2);
		return new String(bytes, StandardCharsets.UTF_8);
	}

	private @Nullable List<@Nullable Object> readList(int length) throws IOException {
		if (length < 0) {
			return null;
		}
		List<@Nullable Object> list = new ArrayList<>(length);
		for (int i = 0; i < length; i++) {
			list.add(read());
		}
		return list;
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
