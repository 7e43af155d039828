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

package io.github.lockspring.zookeeper;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.PermitLimitException;
import io.github.lockspring.spi.state.KeyEntry;
import io.github.lockspring.spi.state.KeyState;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link QueueNode}.
 */
class QueueNodeTests {

	private static final String INSTANCE = OwnerId.newInstance();

	private static final List<LeaseMode> MODES = List.of(LeaseMode.EXCLUSIVE, LeaseMode.SHARED, LeaseMode.permits(1, 1),
			LeaseMode.permits(2, 5), LeaseMode.permits(1_000_000, Integer.MAX_VALUE));

	private static final int LIMIT = 4;

	@Test
	void orderContinuesBelowZeroAfterTheLargestNumber() {
		List<Integer> numbers = List.of(2147483645, 2147483646, 2147483647, -2147483648, -2147483647, -2147483646);
		List<String> names = new ArrayList<>(numbers.stream().map((number) -> name(LeaseMode.SHARED, number)).toList());
		Collections.shuffle(names, new Random(1));
		assertThat(QueueNode.queue(names)).extracting(QueueNode::sequence).containsExactlyElementsOf(numbers);
	}

	@Test
	void orderContinuesAboveZeroAfterTheLastNumberBelow() {
		List<Integer> numbers = List.of(-11, -10, -9, -1, 0, 1, 9, 10, 11);
		List<String> names = new ArrayList<>(numbers.stream().map((number) -> name(LeaseMode.SHARED, number)).toList());
		Collections.shuffle(names, new Random(1));
		assertThat(QueueNode.queue(names)).extracting(QueueNode::sequence).containsExactlyElementsOf(numbers);
	}

	@Test
	void orderIsThatOfNumbersNotOfOwners() {
		String first = "f".repeat(32) + "-f-x1_0000000009";
		String second = "0".repeat(32) + "-0-x1_0000000010";
		assertThat(QueueNode.queue(List.of(second, first))).extracting(QueueNode::name).containsExactly(first, second);
	}

	@Test
	void whatIsWrittenIsRead() {
		for (LeaseMode mode : MODES) {
			for (int tokens : new int[] { 1, 7, 257 }) {
				for (int number : new int[] { 0, 1, Integer.MAX_VALUE, Integer.MIN_VALUE, -1 }) {
					LeaseRequest request = request(mode, tokens, Long.MAX_VALUE);
					String name = QueueNode.prefix(request) + sequence(number);
					assertThat(QueueNode.parse(name))
						.isEqualTo(new QueueNode(name, request.owner().toString(), mode, tokens, false, false, number));
				}
			}
		}
	}

	@Test
	void recallableLeaseIsNamedAsSuch() {
		LeaseRequest request = new LeaseRequest("key",
				new LeaseTerms(LeaseMode.EXCLUSIVE, false, Duration.ofSeconds(1), 257, true), "a-b", 7);
		String name = QueueNode.name(request, 17);
		QueueNode node = QueueNode.parse(name);
		assertThat(node).isEqualTo(new QueueNode(name, "a-b-7", LeaseMode.EXCLUSIVE, 257, false, true, 17));
		assertThat(QueueNode.parse(node.placeholder())).returns(false, QueueNode::recallable)
			.returns(true, QueueNode::released);
	}

	@Test
	void restIsWrittenAndReadInTheSamePlace() {
		for (LeaseMode mode : MODES) {
			for (int number : new int[] { 17, -17 }) {
				LeaseRequest request = request(mode, 3, 1);
				QueueNode node = QueueNode.parse(QueueNode.prefix(request) + sequence(number));
				assertThat(QueueNode.parse(node.placeholder())).isEqualTo(
						new QueueNode(node.placeholder(), request.owner().toString(), mode, 3, true, false, number));
				assertThat(node.placeholder()).isNotEqualTo(node.name());
			}
		}
	}

	@Test
	void nameIsWrittenAsTheServerDoes() {
		LeaseRequest request = request(LeaseMode.EXCLUSIVE, 3, 1);
		for (int number : new int[] { 0, 1, 17, 1_234_567_890, Integer.MAX_VALUE, -1, -17, -123_456_789,
				Integer.MIN_VALUE }) {
			String name = QueueNode.name(request, number);
			assertThat(name).isEqualTo(QueueNode.prefix(request) + String.format(Locale.ENGLISH, "%010d", number));
			assertThat(QueueNode.sequence(name)).isEqualTo(number);
		}
	}

	@Test
	void successorHasTheSamePlace() {
		LeaseRequest reader = request(LeaseMode.SHARED, 5, 2);
		for (int number : new int[] { 17, -17 }) {
			QueueNode writer = QueueNode.parse(name(LeaseMode.EXCLUSIVE, number));
			String name = writer.replacedBy(reader);
			assertThat(QueueNode.parse(name))
				.isEqualTo(new QueueNode(name, reader.owner().toString(), LeaseMode.SHARED, 5, false, false, number));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "_", "-", "r_", "foreign", "lock-0000000001", "a-x1_", "a-x1_+", "a-x_1", "a-z1_1",
			"a-x1r1_1", "a-x1_99999999999", "a-p1t1_1", "a-pof1t1_1", "a-p3of2t1_1", "a-p1of1_1", "x1_1",
			"\u2028\0-\n_", "_c_0f0f0f0f-0f0f-0f0f-0f0f-0f0f0f0f0f0f-lock-0000000001" })
	void foreignNamesAreRejected(String name) {
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> QueueNode.parse(name))
			.withMessageContaining("'" + name.replaceAll("[\0\n\u2028+]", "?") + "'");
	}

	@Test
	void thoseBeforeANameAreFoundWhateverTheOrderOfTheList() {
		List<String> names = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			names.add(name(LeaseMode.SHARED, i));
		}
		List<String> shuffled = new ArrayList<>(names);
		Collections.shuffle(shuffled, new Random(1));
		for (int i = 0; i < names.size(); i++) {
			assertThat(QueueNode.before(names.get(i), shuffled)).extracting(QueueNode::name)
				.containsExactlyElementsOf(names.subList(0, i));
		}
	}

	@Test
	void nameThatIsNotThereHasNoNodesBefore() {
		String name = name(LeaseMode.SHARED, 3);
		assertThat(QueueNode.before(name, List.of())).isNull();
		assertThat(QueueNode.before(name, List.of(name(LeaseMode.SHARED, 4)))).isNull();
		assertThat(QueueNode.before(name, List.of(name(LeaseMode.SHARED, 4), name(LeaseMode.SHARED, 2)))).isNull();
		assertThat(QueueNode.before(name, List.of(name))).isEmpty();
	}

	@Test
	void writerWatchesTheOneBeforeIt() {
		List<QueueNode> before = nodes(LeaseMode.EXCLUSIVE, LeaseMode.SHARED, LeaseMode.SHARED);
		assertThat(node(LeaseMode.EXCLUSIVE, 9).blockers(before)).containsExactly(before.get(2));
	}

	@Test
	void readerWatchesTheLastWriter() {
		List<QueueNode> before = nodes(LeaseMode.EXCLUSIVE, LeaseMode.EXCLUSIVE, LeaseMode.SHARED, LeaseMode.SHARED);
		assertThat(node(LeaseMode.SHARED, 9).blockers(before)).containsExactly(before.get(1));
	}

	@Test
	void permitsWatchAsManyAsKeepThemOut() {
		List<QueueNode> before = nodes(LeaseMode.permits(1, 4), LeaseMode.permits(1, 4), LeaseMode.permits(2, 4),
				LeaseMode.permits(1, 4));
		assertThat(node(LeaseMode.permits(1, 4), 9).blockers(before)).containsExactly(before.get(3), before.get(2),
				before.get(1));
		assertThat(node(LeaseMode.permits(2, 4), 9).blockers(before)).containsExactly(before.get(3), before.get(2));
		assertThat(node(LeaseMode.permits(4, 4), 9).blockers(before)).containsExactly(before.get(3));
	}

	/**
	 * Random queues, and of each every part that can be left of it.
	 */
	@Test
	void blockersAreThereAsLongAsTheRequestIsKeptOut() {
		Random random = new Random(20260101);
		for (int round = 0; round < 2000; round++) {
			List<QueueNode> before = randomQueue(random, random.nextInt(9), round % 4);
			QueueNode node = node(randomMode(random, round % 4), 100);
			List<QueueNode> blockers = node.blockers(before);
			assertThat(blockers.isEmpty()).as("%s behind %s", node, before).isEqualTo(isGranted(node, before));
			assertThat(before).containsAll(blockers);
			assertThat(node.blockers(blockers).isEmpty()).isEqualTo(blockers.isEmpty());
			for (int left = 0; left < 1 << before.size(); left++) {
				List<QueueNode> rest = subset(before, left);
				if (!blockers.isEmpty() && isGranted(node, rest)) {
					assertThat(rest.containsAll(blockers)).as("%s watches %s, not %s", node, blockers, rest).isFalse();
				}
			}
		}
	}

	@Test
	void holdersAreAllUpToTheFirstThatIsKeptOut() {
		Random random = new Random(20260102);
		for (int round = 0; round < 2000; round++) {
			List<QueueNode> queue = randomQueue(random, random.nextInt(9), round % 4);
			List<QueueNode> holders = QueueNode.holders(queue);
			for (int i = 0; i < queue.size(); i++) {
				boolean isGranted = isGranted(queue.get(i), queue.subList(0, i));
				if (i < holders.size()) {
					assertThat(holders.get(i)).isEqualTo(queue.get(i));
					assertThat(isGranted).isTrue();
				}
				else if (i == holders.size()) {
					assertThat(isGranted).isFalse();
				}
			}
		}
	}

	@Test
	void otherLimitIsThatOfPermitsOnly() {
		List<QueueNode> before = nodes(LeaseMode.SHARED, LeaseMode.permits(1, 4), LeaseMode.EXCLUSIVE);
		assertThatExceptionOfType(PermitLimitException.class)
			.isThrownBy(() -> node(LeaseMode.permits(1, 5), 9).checkLimit(before, List.of()))
			.satisfies((rejection) -> assertThat(rejection.limit()).isEqualTo(4));
		node(LeaseMode.permits(3, 4), 9).checkLimit(before, List.of());
		node(LeaseMode.EXCLUSIVE, 9).checkLimit(before, List.of());
		node(LeaseMode.SHARED, 9).checkLimit(before, List.of());
	}

	/**
	 * The rule of all stores, for fair requests that came in this order.
	 */
	private static boolean isGranted(QueueNode node, List<QueueNode> before) {
		KeyState state = KeyState.free(Instant.EPOCH, 0);
		for (QueueNode other : before) {
			state = state.admits(other.name(), other.mode(), true) ? state.granted(holder(other))
					: state.queued(other.name(), other.mode(), "", Duration.ofDays(1));
		}
		return state.admits(node.name(), node.mode(), true);
	}

	private static KeyEntry holder(QueueNode node) {
		return new KeyEntry(node.name(), node.mode(), false, 1, Instant.MAX, "");
	}

	private static List<QueueNode> subset(List<QueueNode> nodes, int bits) {
		List<QueueNode> subset = new ArrayList<>();
		for (int i = 0; i < nodes.size(); i++) {
			if ((bits >> i & 1) == 1) {
				subset.add(nodes.get(i));
			}
		}
		return subset;
	}

	private static List<QueueNode> randomQueue(Random random, int length, int kind) {
		List<QueueNode> queue = new ArrayList<>();
		for (int i = 0; i < length; i++) {
			QueueNode node = node(randomMode(random, kind), i);
			queue.add((random.nextInt(5) == 0) ? QueueNode.parse(node.placeholder()) : node);
		}
		return queue;
	}

	/**
	 * Draws a mode: kind 0 has permits only, kind 1 readers and writers.
	 */
	private static LeaseMode randomMode(Random random, int kind) {
		int choice = (kind == 0) ? 2 : random.nextInt((kind == 1) ? 2 : 3);
		return switch (choice) {
			case 0 -> LeaseMode.EXCLUSIVE;
			case 1 -> LeaseMode.SHARED;
			default -> LeaseMode.permits(1 + random.nextInt(LIMIT), LIMIT);
		};
	}

	private static List<QueueNode> nodes(LeaseMode... modes) {
		List<QueueNode> nodes = new ArrayList<>();
		for (LeaseMode mode : modes) {
			nodes.add(node(mode, nodes.size()));
		}
		return nodes;
	}

	private static QueueNode node(LeaseMode mode, int number) {
		return QueueNode.parse(name(mode, number));
	}

	private static String name(LeaseMode mode, int number) {
		return QueueNode.prefix(request(mode, 1, number & 0xffffL)) + sequence(number);
	}

	/**
	 * As ZooKeeper writes it.
	 */
	private static String sequence(int number) {
		return String.format("%010d", number);
	}

	private static LeaseRequest request(LeaseMode mode, int tokens, long sequence) {
		return new LeaseRequest("key", new LeaseTerms(mode, false, ZooKeeperProcess.LEASE_TIME, tokens), INSTANCE,
				sequence);
	}

}
