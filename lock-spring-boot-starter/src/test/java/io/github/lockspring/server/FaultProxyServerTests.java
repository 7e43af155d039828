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

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link FaultProxy} and {@link FaultSchedule}.
 */
class FaultProxyServerTests {

	private ServerSocket server;

	private FaultProxy proxy;

	private Socket client;

	private Socket accepted;

	@BeforeEach
	void connect() throws Exception {
		this.server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
		this.proxy = new FaultProxy("127.0.0.1", this.server.getLocalPort());
		open();
	}

	private void open() throws Exception {
		this.client = new Socket("127.0.0.1", this.proxy.port());
		this.client.setTcpNoDelay(true);
		this.client.setSoTimeout(10_000);
		this.accepted = this.server.accept();
		this.accepted.setTcpNoDelay(true);
		this.accepted.setSoTimeout(10_000);
		Await.until("the proxy carries the connection", () -> this.proxy.openConnections() > 0);
	}

	@AfterEach
	void close() throws Exception {
		this.proxy.close();
		this.client.close();
		this.accepted.close();
		this.server.close();
	}

	@Test
	void bytesPassBothWaysAndAreCounted() throws Exception {
		for (int i = 0; i < 3; i++) {
			exchange();
		}
		assertThat(this.proxy.connections()).isEqualTo(1);
		assertThat(this.proxy.openConnections()).isEqualTo(1);
		assertThat(this.proxy.roundTrips()).isEqualTo(3);
		assertThat(this.proxy.chunks(Direction.UP)).isEqualTo(3);
		assertThat(this.proxy.chunks(Direction.BOTH)).isEqualTo(6);
	}

	@Test
	void endOfStreamPassesEachWayByItself() throws Exception {
		this.client.shutdownOutput();
		assertThat(this.accepted.getInputStream().read()).isEqualTo(-1);
		this.accepted.getOutputStream().write("late".getBytes());
		assertThat(read(this.client, 4)).isEqualTo("late");
		this.accepted.close();
		assertThat(this.client.getInputStream().read()).isEqualTo(-1);
		Await.until("the connection is over", () -> this.proxy.openConnections() == 0);
	}

	@Test
	void cutResetsBothSides() throws Exception {
		exchange();
		this.proxy.cut();
		assertReset(this.client);
		assertReset(this.accepted);
		assertThat(this.proxy.openConnections()).isZero();
		this.client.close();
		this.accepted.close();
		open();
		exchange();
	}

	@Test
	void disconnectEndsBothSides() throws Exception {
		exchange();
		this.proxy.disconnect();
		assertThat(this.client.getInputStream().read()).isEqualTo(-1);
		assertThat(this.accepted.getInputStream().read()).isEqualTo(-1);
	}

	@Test
	void holeSwallowsBytesOfItsDirectionAndHealCutsTheConnection() throws Exception {
		this.proxy.hole(Direction.UP);
		this.client.getOutputStream().write("lost".getBytes());
		this.accepted.getOutputStream().write("found".getBytes());
		assertThat(read(this.client, 5)).isEqualTo("found");
		assertSilent(this.accepted);
		this.proxy.heal();
		assertReset(this.client);
		assertReset(this.accepted);
	}

	@Test
	void holeSwallowsTheEndOfTheConnection() throws Exception {
		this.proxy.hole(Direction.DOWN);
		this.accepted.setSoLinger(true, 0);
		this.accepted.close();
		assertSilent(this.client);
		this.client.getOutputStream().write("more".getBytes());
		assertSilent(this.client);
		this.proxy.heal();
		assertReset(this.client);
	}

	@Test
	void connectionThatLostNothingOutlivesTheHole() throws Exception {
		this.proxy.hole(Direction.BOTH);
		this.proxy.heal();
		exchange();
	}

	@Test
	void delayedBytesArriveLaterAndInOrder() throws Exception {
		this.proxy.delay(Direction.UP, Duration.ofMillis(50));
		byte[] sent = new byte[1024 * 1024];
		new Random(1).nextBytes(sent);
		long start = System.nanoTime();
		Thread sender = new Thread(() -> sendInChunks(sent));
		sender.start();
		InputStream input = this.accepted.getInputStream();
		byte[] first = input.readNBytes(1);
		assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(50));
		byte[] rest = input.readNBytes(sent.length - 1);
		assertThat(first[0]).isEqualTo(sent[0]);
		assertThat(rest).isEqualTo(Arrays.copyOfRange(sent, 1, sent.length));
		sender.join();
	}

	@Test
	void delayOfManyChunksIsNotAddedUp() throws Exception {
		this.proxy.delay(Direction.UP, Duration.ofMillis(300));
		for (int i = 1; i <= 50; i++) {
			long chunks = i;
			this.client.getOutputStream().write('x');
			Await.until("the byte is a chunk of its own", () -> this.proxy.chunks(Direction.UP) == chunks);
		}
		long start = System.nanoTime();
		assertThat(read(this.accepted, 50)).hasSize(50);
		// One after the other they would take 14 seconds at least
		assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(10));
	}

	@Test
	void slowBytesTakeTheirTime() throws Exception {
		this.proxy.slow(Direction.DOWN, 1000);
		long start = System.nanoTime();
		this.accepted.getOutputStream().write(new byte[300]);
		assertThat(read(this.client, 300)).hasSize(300);
		assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(250));
		this.proxy.heal();
		exchange();
	}

	@Test
	void splitBytesAreTheSameBytes() throws Exception {
		this.proxy.split(Direction.BOTH);
		InputStream input = this.accepted.getInputStream();
		byte[] buffer = new byte[2000];
		new Random(2).nextBytes(buffer);
		int writes = 0;
		int reads = 0;
		while (reads == writes && writes < 100) { // a slow reader finds the parts
													// together
			this.client.getOutputStream().write(buffer);
			writes++;
			byte[] received = new byte[buffer.length];
			for (int length = 0; length < received.length; reads++) {
				length += input.read(received, length, received.length - length);
			}
			assertThat(received).isEqualTo(buffer);
		}
		assertThat(reads).isGreaterThan(writes);
		exchange();
	}

	@Test
	void droppedReplyIsThatOfTheRequestThatMatches() throws Exception {
		Future<String> reply = this.proxy.dropReply("EVALSHA");
		exchange();
		this.client.getOutputStream().write("EVAL".getBytes());
		assertThat(read(this.accepted, 4)).isEqualTo("EVAL");
		this.client.getOutputStream().write("SHA 1".getBytes());
		assertThat(read(this.accepted, 5)).isEqualTo("SHA 1");
		assertThat(reply.isDone()).isFalse();
		this.accepted.getOutputStream().write("+OK".getBytes());
		assertThat(reply.get(1, TimeUnit.MINUTES)).isEqualTo("+OK");
		assertReset(this.client);
		assertThat(this.accepted.getInputStream().read()).isEqualTo(-1);
		this.accepted.close();
		Await.until("the connection is over", () -> this.proxy.openConnections() == 0);
		open();
		exchange();
	}

	@Test
	void replyThatWasOnItsWayBeforeTheDroppedOneArrives() throws Exception {
		this.proxy.delay(Direction.DOWN, Duration.ofMillis(200));
		exchangeWithoutReading();
		Await.until("the first reply is on its way", () -> this.proxy.chunks(Direction.DOWN) == 1);
		Future<String> reply = this.proxy.dropReply();
		exchangeWithoutReading();
		assertThat(reply.get(1, TimeUnit.MINUTES)).isEqualTo("pong");
		assertThat(read(this.client, 4)).isEqualTo("pong");
		assertReset(this.client);
	}

	@Test
	void requestWhoseReplyIsDroppedIsCarriedOut() throws Exception {
		RedisServer redis = RedisServer.shared();
		String key = "dropped-reply-" + System.nanoTime();
		this.proxy.retarget(redis.host(), redis.port());
		try (RedisConnection connection = new RedisConnection(this.proxy.host(), this.proxy.port(),
				Duration.ofSeconds(10))) {
			redis.logIn(connection);
			Future<String> reply = this.proxy.dropReply(key);
			assertThatExceptionOfType(UncheckedIOException.class)
				.isThrownBy(() -> connection.command("SET", key, "value"));
			assertThat(reply.get(1, TimeUnit.MINUTES)).isEqualTo("+OK\r\n");
		}
		assertThat(redis.command("GETDEL", key)).isEqualTo("value");
	}

	@Test
	void refusedConnectionsAreAcceptedAfterHeal() throws Exception {
		this.proxy.refuse();
		assertThatExceptionOfType(ConnectException.class)
			.isThrownBy(() -> new Socket("127.0.0.1", this.proxy.port()).close());
		exchange();
		this.proxy.heal();
		open();
		exchange();
		assertThat(this.proxy.connections()).isEqualTo(2);
	}

	@Test
	void connectionToServerThatIsAwayIsReset() throws Exception {
		this.server.close();
		try (Socket second = new Socket("127.0.0.1", this.proxy.port())) {
			second.setSoTimeout(10_000);
			assertReset(second);
		}
	}

	@Test
	void scheduleOfOneSeedIsAlwaysTheSame() {
		FaultSchedule schedule = FaultSchedule.random(42, Duration.ofSeconds(60));
		assertThat(FaultSchedule.random(42, Duration.ofSeconds(60))).isEqualTo(schedule);
		assertThat(FaultSchedule.random(43, Duration.ofSeconds(60))).isNotEqualTo(schedule);
		assertThat(FaultSchedule.parse(schedule.toString())).isEqualTo(schedule);
		assertThat(schedule.steps()).extracting((step) -> step.fault().kind()).contains(Fault.Kind.values());
		assertThat(schedule.steps()).extracting(FaultSchedule.Step::millis)
			.isSorted()
			.allMatch((millis) -> millis <= 60_000);
	}

	@Test
	void scheduledFaultsHappen() throws Exception {
		exchange();
		long start = System.nanoTime();
		FaultSchedule.parse("10 REFUSE BOTH 0\n20 CUT BOTH 0").run(this.proxy);
		assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
		assertReset(this.client);
		assertThatExceptionOfType(ConnectException.class)
			.isThrownBy(() -> new Socket("127.0.0.1", this.proxy.port()).close());
	}

	@Test
	void proxyWorksAfterAnyRandomSchedule() throws Exception {
		FaultSchedule.random(7, Duration.ofSeconds(2)).run(this.proxy);
		this.client.close();
		this.accepted.close();
		open();
		exchange();
	}

	private void exchange() throws Exception {
		exchangeWithoutReading();
		assertThat(read(this.client, 4)).isEqualTo("pong");
	}

	private void exchangeWithoutReading() throws Exception {
		this.client.getOutputStream().write("ping".getBytes());
		assertThat(read(this.accepted, 4)).isEqualTo("ping");
		this.accepted.getOutputStream().write("pong".getBytes());
	}

	private String read(Socket socket, int length) throws Exception {
		return new String(socket.getInputStream().readNBytes(length));
	}

	private void sendInChunks(byte[] bytes) {
		try {
			OutputStream output = this.client.getOutputStream();
			for (int start = 0; start < bytes.length; start += 4096) {
				output.write(bytes, start, 4096);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void assertReset(Socket socket) {
		assertThatExceptionOfType(SocketException.class).isThrownBy(() -> socket.getInputStream().read())
			.withMessageContaining("reset");
	}

	private void assertSilent(Socket socket) throws Exception {
		socket.setSoTimeout(100);
		assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> socket.getInputStream().read());
		socket.setSoTimeout(10_000);
	}

}
