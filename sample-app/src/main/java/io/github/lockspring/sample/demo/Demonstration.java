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

package io.github.lockspring.sample.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

import io.github.lockspring.sample.WrongOptionException;
import io.github.lockspring.sample.instance.InstanceClient;
import io.github.lockspring.sample.instance.InstanceNotStartedException;
import io.github.lockspring.sample.instance.Instances;
import io.github.lockspring.sample.lesson.LessonDemonstration;
import io.github.lockspring.sample.load.Load;
import io.github.lockspring.sample.load.LoadResult;
import io.github.lockspring.sample.load.StockClient;
import io.github.lockspring.sample.stock.Strategy;
import io.github.lockspring.sample.store.Store;
import io.github.lockspring.sample.store.StoreNotStartedException;
import io.github.lockspring.sample.store.Stores;

/**
 * The demonstration, in these steps:
 * <ol>
 * <li>open the store and start the instances on it;</li>
 * <li>let customers order a little, so that all have warmed up;</li>
 * <li>for each strategy: fill up the stock, let all customers order at once, see what is
 * left; if wanted, kill an instance in the middle and replace it afterwards;</li>
 * <li>print the table, stop the instances and the store.</li>
 * </ol>
 */
public final class Demonstration {

	private static final String LESSON = "--lesson";

	private static final long WARM_UP_PRODUCT = 100;

	private final DemonstrationOptions options;

	private final PrintStream out;

	Demonstration(DemonstrationOptions options, PrintStream out) {
		this.options = options;
		this.out = out;
	}

	/**
	 * Runs the demonstration.
	 * @param args what to do, as {@code --name=value}; what is no option of the
	 * demonstration goes to the instances; {@code --lesson} for the lesson instead
	 * @return 0 if every strategy did what it promises, 1 if one did not or the instances
	 * or the store did not start, 2 if the arguments are wrong
	 */
	public static int run(String... args) throws Exception {
		if (List.of(args).contains(LESSON)) {
			return LessonDemonstration.run(System.out);
		}
		try {
			DemonstrationOptions options = DemonstrationOptions.parse(args);
			List<Round> rounds = new Demonstration(options, System.out).run();
			return rounds.stream().allMatch(Round::isAsExpected) ? 0 : 1;
		}
		catch (WrongOptionException ex) {
			System.err.println(ex.getMessage());
			return 2;
		}
		catch (InstanceNotStartedException | StoreNotStartedException ex) {
			System.err.println(ex.getMessage());
			return 1;
		}
	}

	List<Round> run() throws IOException, InterruptedException {
		List<String> arguments = new ArrayList<>(this.options.instanceArguments());
		try (Store store = closedOnExit(Stores.open(this.options.store(), arguments))) {
			arguments.addAll(store.arguments());
			return run(arguments);
		}
	}

	/**
	 * Sees to it that nothing is left behind if the user interrupts the demonstration.
	 */
	private static <T extends AutoCloseable> T closedOnExit(T resource) {
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			try {
				resource.close();
			}
			catch (Exception ex) {
				System.err.println("Not cleaned up: " + ex);
			}
		}));
		return resource;
	}

	private List<Round> run(List<String> arguments) throws IOException, InterruptedException {
		try (Instances instances = closedOnExit(new Instances(this.options.instances(), arguments))) {
			this.out.printf("Starting %d instances%n", this.options.instances());
			instances.startMissing();
			warmUp(instances);
			List<Round> rounds = new ArrayList<>();
			for (Strategy strategy : this.options.strategies()) {
				instances.startMissing();
				rounds.add(round(strategy, instances));
			}
			this.out.printf("%n%s", ResultTable.format(rounds));
			return rounds;
		}
	}

	private void warmUp(Instances instances) throws IOException, InterruptedException {
		StockClient client = new StockClient(new InstanceClient(instances::next));
		client.reset(WARM_UP_PRODUCT, this.options.stock());
		int requests = Math.max(1, this.options.requests() / 5);
		new Load((order) -> client.deduct(WARM_UP_PRODUCT, Strategy.GUARDED_UPDATE, order)).run(this.options.threads(),
				requests, (done, nanos) -> {
				});
	}

	private Round round(Strategy strategy, Instances instances) throws IOException, InterruptedException {
		StockClient client = new StockClient(new InstanceClient(instances::next));
		int total = this.options.totalRequests();
		long productId = strategy.ordinal() + 1L;
		client.reset(productId, this.options.stock());
		ProgressBar bar = new ProgressBar(this.out, System.console() != null, strategy.label(), total);
		LoadResult load = new Load((order) -> client.deduct(productId, strategy, order)).run(this.options.threads(),
				this.options.requests(), (done, nanos) -> {
					bar.update(done);
					if (this.options.killOne() && done == total / 2) {
						instances.killOne();
					}
				});
		Round round = new Round(strategy, total, this.options.stock(), client.show(productId), load);
		printFailures(round.load());
		return round;
	}

	private void printFailures(LoadResult load) {
		if (this.options.killOne()) {
			this.out.println("  an instance was killed in the middle");
		}
		if (load.resent() > 0) {
			this.out.printf("  %d requests had to be sent again%n", load.resent());
		}
		load.errors().stream().distinct().limit(3).forEach((error) -> this.out.printf("  %s%n", error));
	}

}
