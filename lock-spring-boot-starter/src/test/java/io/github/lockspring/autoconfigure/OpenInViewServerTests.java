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

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.orm.jpa.support.OpenEntityManagerInViewFilter;
import org.springframework.orm.jpa.support.OpenEntityManagerInViewInterceptor;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.LockOperations;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A web application with JPA whose controller loads the entity that a locked method then
 * changes: what is lost with <i>open-in-view</i>, and what helps.
 */
@ExtendWith(OutputCaptureExtension.class)
class OpenInViewServerTests {

	private static final int REQUESTS = 8;

	private static final String WARNING = "was acquired in a transaction whose EntityManager has loaded entities";

	@Test
	void withOpenInViewNoUpdateIsLost(CapturedOutput output) throws Exception {
		try (Application application = new Application()) {
			assertThat(application.deposit("stale")).isEqualTo(REQUESTS);
			assertThat(application.deposit("unread")).isEqualTo(REQUESTS + 1);
			assertThat(output).doesNotContain(WARNING);
			assertThat(application.deposit("joined")).as("with what the caller has changed before")
				.isEqualTo(REQUESTS + 3);
			assertThat(application.deposit("joined")).isEqualTo(REQUESTS + 5);
			assertThat(output).containsOnlyOnce("The lock 'account' " + WARNING);
		}
	}

	@Test
	void withoutOpenInViewNoUpdateIsLost(CapturedOutput output) throws Exception {
		try (Application application = new Application("spring.jpa.open-in-view=false")) {
			assertThat(application.deposit("stale")).isEqualTo(REQUESTS);
			assertThat(application.deposit("unread")).isEqualTo(REQUESTS + 1);
			assertThat(output).doesNotContain(WARNING);
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { OwnFilter.class, OwnInterceptor.class })
	void withAnEntityManagerThatTheApplicationItselfKeepsOpenNoUpdateIsLost(Class<?> configuration) throws Exception {
		try (Application application = new Application(configuration, "spring.jpa.open-in-view=false")) {
			assertThat(application.deposit("stale")).isEqualTo(REQUESTS);
		}
	}

	@Test
	void whenClearingInTransactionsAsWellThenWhatTheCallerHasChangedIsWritten(CapturedOutput output) throws Exception {
		try (Application application = new Application("lock.jpa=clear")) {
			assertThat(application.deposit("stale")).isEqualTo(REQUESTS);
			assertThat(application.deposit("joined")).isEqualTo(REQUESTS + 2);
			assertThat(application.deposit("supported")).as("in what is no transaction").isEqualTo(REQUESTS + 3);
			assertThat(output).doesNotContain(WARNING);
		}
	}

	@Test
	void whenEntitiesAreKeptThenUpdatesAreLostUnlessTheyAreRefreshed() throws Exception {
		try (Application application = new Application("lock.jpa=ignore")) {
			assertThat(application.deposit("stale")).isLessThan(REQUESTS);
			assertThat(application.deposit("refreshed")).isEqualTo(REQUESTS);
		}
	}

	@Test
	void whenLockIsHeldAlreadyThenEntitiesThatWereLoadedUnderItAreKept(CapturedOutput output) throws Exception {
		try (Application application = new Application()) {
			assertThat(application.deposit("twice")).isEqualTo(3);
			assertThat(application.deposit("held")).isEqualTo(2);
			assertThat(output).doesNotContain(WARNING);
		}
	}

	@Test
	void onlyThePermitThatExcludesOtherCallsDetachesEntities() throws Exception {
		try (Application application = new Application()) {
			assertThat(application.deposit("several permits")).isEqualTo(1);
			assertThat(application.deposit("single permit")).isZero();
		}
	}

	private static final class Application implements AutoCloseable {

		private final ConfigurableApplicationContext context;

		Application(String... properties) {
			this(Bank.class, properties);
		}

		Application(Class<?> configuration, String... properties) {
			List<String> all = new ArrayList<>(List.of("server.port=0", "lock.backend=local",
					"spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(), "spring.jpa.hibernate.ddl-auto=create",
					"spring.datasource.generate-unique-name=false", "spring.main.banner-mode=off"));
			all.addAll(List.of(properties));
			this.context = new SpringApplicationBuilder(Bank.class, configuration)
				.properties(all.toArray(String[]::new))
				.run();
		}

		/**
		 * Deposits with many requests at once.
		 * @return the balance
		 */
		int deposit(String how) throws Exception {
			Controller controller = this.context.getBean(Controller.class);
			controller.open();
			HttpClient client = HttpClient.newHttpClient();
			HttpRequest request = HttpRequest
				.newBuilder(
						URI.create("http://localhost:" + this.context.getEnvironment().getProperty("local.server.port")
								+ "/deposit?how=" + how.replace(' ', '+')))
				.POST(BodyPublishers.noBody())
				.build();
			List<CompletableFuture<HttpResponse<String>>> responses = new ArrayList<>();
			for (int i = 0; i < (Set.of("stale", "refreshed").contains(how) ? REQUESTS : 1); i++) {
				responses.add(client.sendAsync(request, BodyHandlers.ofString()));
			}
			for (CompletableFuture<HttpResponse<String>> response : responses) {
				assertThat(response.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
			}
			return controller.balance();
		}

		@Override
		public void close() {
			this.context.close();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Bank {

		@Bean
		Accounts accounts(EntityManager entityManager) {
			return new Accounts(entityManager);
		}

		@Bean
		Controller controller(EntityManager entityManager, Accounts accounts, TransactionTemplate transaction,
				LockOperations locks) {
			return new Controller(entityManager, accounts, transaction, locks);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnFilter {

		@Bean
		OpenEntityManagerInViewFilter ownInView() {
			return new OpenEntityManagerInViewFilter();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnInterceptor {

		@Bean
		WebMvcConfigurer ownInView(EntityManagerFactory entityManagerFactory) {
			OpenEntityManagerInViewInterceptor interceptor = new OpenEntityManagerInViewInterceptor();
			interceptor.setEntityManagerFactory(entityManagerFactory);
			return new WebMvcConfigurer() {

				@Override
				public void addInterceptors(InterceptorRegistry registry) {
					registry.addWebRequestInterceptor(interceptor);
				}

			};
		}

	}

	@RestController
	static class Controller {

		private final EntityManager entityManager;

		private final Accounts accounts;

		private final TransactionTemplate transaction;

		private final LockOperations locks;

		private final TransactionTemplate supported;

		private final CyclicBarrier loaded = new CyclicBarrier(REQUESTS);

		Controller(EntityManager entityManager, Accounts accounts, TransactionTemplate transaction,
				LockOperations locks) {
			this.entityManager = entityManager;
			this.accounts = accounts;
			this.transaction = transaction;
			this.locks = locks;
			this.supported = new TransactionTemplate(transaction.getTransactionManager());
			this.supported.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
		}

		void open() {
			this.transaction.executeWithoutResult((status) -> {
				if (this.entityManager.find(Account.class, 1L) == null) {
					this.entityManager.persist(new Account());
				}
				else if (balance() < REQUESTS) {
					this.entityManager.find(Account.class, 1L).balance = 0;
				}
			});
		}

		int balance() {
			return this.entityManager.find(Account.class, 1L).balance;
		}

		@PostMapping("/deposit")
		void deposit(@RequestParam("how") String how) throws Exception {
			switch (how) {
				case "unread" -> this.transaction.executeWithoutResult((status) -> this.accounts.deposit(1, false));
				case "joined" -> this.transaction.executeWithoutResult((status) -> {
					this.entityManager.find(Account.class, 1L).balance++;
					this.accounts.deposit(1, false);
				});
				case "twice" -> this.transaction.executeWithoutResult((status) -> {
					this.accounts.deposit(1, false);
					this.accounts.deposit(1, false);
					this.entityManager.find(Account.class, 1L).balance++;
				});
				case "held" -> this.locks.executeWithoutResult("account:1", (lock) -> {
					Account account = this.entityManager.find(Account.class, 1L);
					this.accounts.deposit(1, false);
					this.transaction.executeWithoutResult((status) -> account.balance++);
				});
				case "several permits" -> {
					Account account = this.entityManager.find(Account.class, 1L);
					this.accounts.notifyOwner();
					this.transaction.executeWithoutResult((status) -> account.balance++);
				}
				case "single permit" -> {
					Account account = this.entityManager.find(Account.class, 1L);
					this.accounts.print();
					this.transaction.executeWithoutResult((status) -> account.balance++);
				}
				case "supported" -> this.supported.executeWithoutResult((status) -> {
					assertThat(this.entityManager.find(Account.class, 1L)).isNotNull();
					this.accounts.deposit(1, false);
				});
				default -> {
					assertThat(this.entityManager.find(Account.class, 1L)).isNotNull();
					this.loaded.await(60, TimeUnit.SECONDS);
					this.accounts.deposit(1, how.equals("refreshed"));
				}
			}
		}

	}

	static class Accounts {

		private final EntityManager entityManager;

		Accounts(EntityManager entityManager) {
			this.entityManager = entityManager;
		}

		@Transactional
		@DistributedLock(name = "account", key = "#id", waitTime = "1m")
		public void deposit(long id, boolean refreshed) {
			Account account = this.entityManager.find(Account.class, id);
			if (refreshed) {
				this.entityManager.refresh(account);
			}
			account.balance++;
		}

		@DistributedSemaphore(name = "smtp", permits = "3")
		public void notifyOwner() {
		}

		@DistributedSemaphore(name = "printer", permits = "1")
		public void print() {
		}

	}

	@Entity(name = "account")
	static class Account {

		@Id
		long id = 1;

		int balance;

	}

}
