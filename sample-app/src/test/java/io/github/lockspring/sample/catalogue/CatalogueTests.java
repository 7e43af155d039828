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

package io.github.lockspring.sample.catalogue;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
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
import static org.mockito.BDDMockito.willDoNothing;

/**
 * Tests for the catalogue from its HTTP interface to a database in memory.
 */
@SpringBootTest(properties = "spring.datasource.url=jdbc:h2:mem:catalogue;LOCK_TIMEOUT=30000")
@AutoConfigureMockMvc
class CatalogueTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private CatalogueService catalogue;

	@Autowired
	private Timeline timeline;

	/**
	 * Between the two reads.
	 */
	@MockitoBean
	private HolderPause pause;

	@BeforeEach
	void reset() {
		assertThat(this.mvc.post().uri("/catalogue/reset")).hasStatus(HttpStatus.NO_CONTENT);
	}

	@ParameterizedTest
	@EnumSource(names = { "NO_LOCK", "DISTRIBUTED_LOCK" })
	void whenProductHasNoPricesThenNotFound(Strategy strategy) {
		assertThat(this.mvc.get().uri("/catalogue/prices?product=404&strategy=" + strategy.id()))
			.hasStatus(HttpStatus.NOT_FOUND);
	}

	@Test
	void withoutLockAWriterComesBetweenTheReads() {
		willAnswer((invocation) -> {
			willDoNothing().given(this.pause).here();
			assertThat(write("no-lock")).hasStatus(HttpStatus.NO_CONTENT);
			return null;
		}).given(this.pause).here();
		assertThat(read("no-lock")).hasStatusOk().bodyJson().isEqualTo("{\"torn\": true}");
	}

	@Test
	void withLockNoReadIsTorn() throws Exception {
		Timeline.Position start = this.timeline.since(Timeline.Position.START).position();
		ExecutorService clients = Executors.newFixedThreadPool(8);
		try {
			List<Future<MvcTestResult>> requests = IntStream.range(0, 100)
				.mapToObj((i) -> clients
					.submit(() -> (i % 4 == 0) ? write("distributed-lock") : read("distributed-lock")))
				.toList();
			for (int i = 0; i < requests.size(); i++) {
				MvcTestResult result = requests.get(i).get();
				if (i % 4 == 0) {
					assertThat(result).hasStatus(HttpStatus.NO_CONTENT);
				}
				else {
					assertThat(result).hasStatusOk().bodyJson().isEqualTo("{\"torn\": false}");
				}
			}
		}
		finally {
			clients.shutdownNow();
		}
		assertThat(this.timeline.since(start).sections()).extracting(Section::access)
			.hasSize(100)
			.contains(Access.SHARED, Access.EXCLUSIVE);
	}

	@Test
	void withLockBothPricesAreWritten() {
		this.catalogue.writeWithLock(1, 42);
		assertThat(this.catalogue.readWithLock(1)).isEqualTo(new Prices(42, 42));
	}

	@Test
	void pricesOfAnotherProductDoNotMatter() {
		willAnswer((invocation) -> {
			willDoNothing().given(this.pause).here();
			this.catalogue.write(1, 42);
			this.catalogue.writeWithLock(1, 43);
			return null;
		}).given(this.pause).here();
		this.catalogue.reset(2);
		assertThat(this.catalogue.read(2)).isEqualTo(new Prices(100, 100));
		assertThat(this.catalogue.read(1)).isEqualTo(new Prices(43, 43));
	}

	@Test
	void resetLetsThePricesAgree() {
		this.catalogue.write(1, 42);
		this.catalogue.reset(1);
		assertThat(this.catalogue.read(1)).isEqualTo(new Prices(100, 100));
	}

	@Test
	void otherStrategiesAreRefused() {
		assertThat(read("guarded-update")).hasStatus(HttpStatus.BAD_REQUEST);
		assertThat(write("guarded-update")).hasStatus(HttpStatus.BAD_REQUEST);
		assertThat(this.catalogue.read(1)).isEqualTo(new Prices(100, 100));
	}

	private MvcTestResult read(String strategy) {
		return this.mvc.get().uri("/catalogue/prices?strategy=" + strategy).exchange();
	}

	private MvcTestResult write(String strategy) {
		return this.mvc.put().uri("/catalogue/prices?strategy=" + strategy).exchange();
	}

}
