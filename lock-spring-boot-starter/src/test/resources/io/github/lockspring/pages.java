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
// What the Java code on pages uses without declaring it: see JavaBlocks

package pages;

import java.lang.annotation.*;
import java.math.BigDecimal;
import java.time.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
import javax.sql.DataSource;
import com.baomidou.lock.annotation.Lock4j;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOperations;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.concurrent.LockClient;
import jakarta.validation.Validator;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.slf4j.Logger;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.*;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.*;
import org.springframework.core.annotation.*;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.http.*;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.*;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.*;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.validation.beanvalidation.MethodValidationPostProcessor;
import org.springframework.web.bind.annotation.*;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

public class Beans {

	public static LockTemplate locks;

	public static LockClient client;

	public static LockRegistry<?> registry;

	public static RedissonClient redisson;

	public static DataSource dataSource;

	public static JdbcTemplate jdbcTemplate;

	public static JdbcClient jdbcClient;

	public static Logger logger;

	public static Payments payments;

	public static Products products;

	public static LockHandle lock;

	public static long id;

	public static BigDecimal amount;

}

public class Calls {

	public static void call() { }

	public static void compute() { }

	public static void pay(long id) { }

	public static void report(long number) { }

	public static void reserve(long id) { }

	public static void resize(int size) { }

	public static Mono<Void> save(long id, long token) { return null; }

	public static void ship(long id) { }

	public static void ship(long id, long token) { }

	public static void show() { }

	public static void transfer(long from, long to) { }

}

public interface Bank {

	CompletableFuture<Long> charge(long id);

	Mono<Long> chargeReactively(long id);

}

public interface Files {

	Flux<Row> rows();

}

public interface Payments {

	void send(long id, long token);

}

public interface Products {

	void sell(long id);

}

public class Orders {

	public void pay(long id) { }

}

public class OrderController { }

public record Shipping(LockOperations locks) {

	public boolean ship(long id) { return true; }

}

public record Cart(long product) { }

public record Entry() { }

public record Quote() { }

public record Receipt() {

	public static Receipt of(long amount) { return null; }

}

public record Row() { }

public record User() { }
