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

package io.github.lockspring.sample.lesson;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;

/**
 * The program of a {@link HolderProcess}.
 */
public final class HolderProgram {

	/**
	 * Says, instead of an answer, that the program is between two commands.
	 */
	static final String BETWEEN = "between";

	private final BufferedReader questions = new BufferedReader(new InputStreamReader(System.in));

	private HolderProgram() {
	}

	/**
	 * Does what it is asked until the input ends.
	 * @param args the experiment, whose lock it is, the address of the store, and the key
	 */
	public static void run(String... args) throws Exception {
		quiet();
		Experiment experiment = Experiment.valueOf(args[0]);
		try (Participant participant = new Participant(experiment, Side.valueOf(args[1]), args[2], args[3])) {
			new HolderProgram().run(participant);
		}
		System.exit(0);
	}

	/**
	 * Without Spring Boot, everything would be logged to the standard output.
	 */
	static void quiet() {
		LoggingSystem.get(HolderProgram.class.getClassLoader())
			.setLogLevel(LoggingSystem.ROOT_LOGGER_NAME, LogLevel.OFF);
	}

	private void run(Participant participant) throws Exception {
		Contender contender = participant.contender(this::between);
		say("ready");
		for (String question = this.questions.readLine(); question != null; question = this.questions.readLine()) {
			String[] words = question.split(" ");
			switch (words[0]) {
				case "enter" -> say(contender.enter(Duration.ofMillis(Long.parseLong(words[1]))));
				case "token" -> say(contender.token());
				default -> {
					contender.leave();
					say("left");
				}
			}
		}
	}

	private void between() throws IOException {
		say(BETWEEN);
		this.questions.readLine();
	}

	private static void say(Object answer) {
		System.out.println(answer);
	}

}
