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

package io.github.lockspring.autoconfigure;

import java.util.List;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.jdbc.metadata.HikariDataSourcePoolMetadata;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JdbcPoolShare}.
 */
class JdbcPoolShareTests {

	private final JdbcPoolShare share = new JdbcPoolShare(
			List.of((dataSource) -> (dataSource instanceof HikariDataSource pool)
					? new HikariDataSourcePoolMetadata(pool) : null));

	@ParameterizedTest
	@CsvSource({ "1, 0", "3, 0", "4, 1", "10, 2", "16, 4", "100, 4" })
	void locksKeepAQuarterOfThePoolAtMost(int size, int kept) {
		HikariDataSource pool = new HikariDataSource();
		pool.setMaximumPoolSize(size);
		assertThat(this.share.of(pool)).isEqualTo(kept);
	}

	@Test
	void whenNothingIsKnownOfThePoolThenLocksKeepFour() {
		assertThat(this.share.of(new DriverManagerDataSource())).isEqualTo(4);
	}

}
