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

package io.github.lockspring.sample.printer;

import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpStatus;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import io.github.lockspring.sample.fault.HolderPause;
import io.github.lockspring.sample.stock.Strategy;
import io.github.lockspring.sample.timeline.Access;
import io.github.lockspring.sample.timeline.Section;
import io.github.lockspring.sample.timeline.Timeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.willAnswer;

/**
 * Tests for the printer from its HTTP interface to permits in a database in memory.
 */
@SpringBootTest(properties = "spring.datasource.url=jdbc:h2:mem:printer;LOCK_TIMEOUT=30000")
@AutoConfigureMockMvc
class PrinterTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private Timeline timeline;

	@MockitoBean
	private HolderPause pause;

	@Test
	void showsItsPermits() {
		assertThat(this.mvc.get().uri("/printer")).hasStatusOk().bodyJson().isEqualTo("{\"permits\": 2}");
	}

	@Test
	void withPermitsNoMoreThanTwoPrintAtOnce() throws Exception {
		Timeline.Position start = this.timeline.since(Timeline.Position.START).position();
		assertThat(printAtOnce("distributed-lock", 8, 40)).containsOnly(200);
		List<Section> sections = this.timeline.since(start).sections();
		assertThat(sections).hasSize(40).extracting(Section::access).containsOnly(Access.PERMIT);
		assertThat(sections)
			.allSatisfy((section) -> assertThat(insideAtTheStartOf(section, sections)).isBetween(1L, 2L));
	}

	@Test
	void withoutLockMoreThanTwoPrintAtOnce() throws Exception {
		CyclicBarrier inside = new CyclicBarrier(3);
		willAnswer((invocation) -> inside.await(5, TimeUnit.MINUTES)).given(this.pause).here();
		assertThat(printAtOnce("no-lock", 3, 3)).containsOnly(200);
	}

	@Test
	void printersOfAnotherOfficeAreNotWaitedFor() throws Exception {
		CyclicBarrier inside = new CyclicBarrier(4);
		willAnswer((invocation) -> inside.await(5, TimeUnit.MINUTES)).given(this.pause).here();
		ExecutorService customers = Executors.newFixedThreadPool(4);
		try {
			List<Future<MvcTestResult>> prints = Stream.of(1, 1, 2, 2)
				.map((office) -> customers.submit(() -> print("distributed-lock&office=" + office)))
				.toList();
			assertThat(prints).extracting(PrinterTests::status).containsOnly(200);
		}
		finally {
			customers.shutdownNow();
		}
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = { "NO_LOCK", "DISTRIBUTED_LOCK" })
	void otherStrategiesAreRefusedWithASentence(Strategy strategy) {
		assertThat(print(strategy.id())).hasStatus(HttpStatus.BAD_REQUEST)
			.bodyJson()
			.extractingPath("$.detail")
			.isEqualTo("The strategy must be no-lock or distributed-lock here, not " + strategy.id() + ".");
	}

	@Test
	void unknownStrategyIsRefusedWithASentence() {
		assertThat(print("hope")).hasStatus(HttpStatus.BAD_REQUEST)
			.bodyJson()
			.extractingPath("$.detail")
			.asString()
			.contains("hope");
	}

	private List<Integer> printAtOnce(String strategy, int threads, int documents) throws Exception {
		ExecutorService customers = Executors.newFixedThreadPool(threads);
		try {
			List<Future<MvcTestResult>> prints = IntStream.range(0, documents)
				.mapToObj((i) -> customers.submit(() -> print(strategy)))
				.toList();
			return prints.stream().map(PrinterTests::status).toList();
		}
		finally {
			customers.shutdownNow();
		}
	}

	private MvcTestResult print(String strategy) {
		return this.mvc.post().uri("/printer/print?strategy=" + strategy).exchange();
	}

	private static int status(Future<MvcTestResult> print) {
		try {
			return print.get().getResponse().getStatus();
		}
		catch (Exception ex) {
			throw new AssertionError(ex);
		}
	}

	private static long insideAtTheStartOf(Section section, List<Section> sections) {
		return sections.stream()
			.filter((other) -> other.start() <= section.start() && section.start() < other.end())
			.count();
	}

}
