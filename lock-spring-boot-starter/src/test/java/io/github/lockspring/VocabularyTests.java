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

package io.github.lockspring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that each idea has one word, that of the field: sources, metadata, scripts,
 * benchmarks, pages and the published tests do not use the words that were retired.
 * <p>
 * Lines are joined, so that a phrase that is broken over two lines of a comment, or over
 * two string literals, is found as well. Names are split into their words.
 */
class VocabularyTests {

	private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

	/**
	 * Contains the words.
	 */
	private static final Path THIS = Path.of("VocabularyTests.java");

	/**
	 * What the documentation site is built with.
	 */
	private static final Pattern BUILT = Pattern.compile(".*/(node_modules|\\.vitepress)/.*");

	private static final Pattern SCANNED = Pattern
		.compile(".*\\.(java|kt|json|lua|sql|md|properties|html|js|css|xml|ya?ml|factories|imports)");

	private static final Pattern CONCATENATION = Pattern.compile("\"\\s*\\+\\s*\"");

	private static final Pattern LINE_BREAK = Pattern.compile("\\s*\\R\\s*(?:\\*(?!/)|//|--|#+)?\\s*");

	private static final Pattern HUMP = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|_");

	private static final Pattern CODE_SPAN = Pattern.compile("`[^`\\n]*`");

	/**
	 * Text that is legitimate although it contains a retired word: the value of a
	 * property, refused network connections, the stored path of placeholders in
	 * ZooKeeper, a system user, and a method of ArchUnit.
	 */
	private static final Pattern LEGITIMATE = Pattern.compile("\\bREFUSE\\b|`refuse`|inside-transaction(=|: )refuse"
			+ "|(?i:\\bconnections? ((is|are|was|were) )?refused|\\brefused? (new )?connections?)|\\brefuse\\(\\)"
			+ "|\\.resting\\b|(=|\"|@code )nobody\\b|NotEndingWith");

	private static final List<Retired> WORDS = new ArrayList<>();

	/**
	 * Words that the demonstration uses for outcomes of its own.
	 */
	private static final List<Retired> WORDS_EXCEPT_IN_SAMPLE = new ArrayList<>();

	static {
		retire("tells?|told|telling", "report, log, notify, return or throw", "Tell others", "tellGranted", "was told");
		retire("(give|gives|gave|given|giving)( \\w+){0,2} back", "release", "gives it back", "giveBackAll",
				"given\n\t * back");
		retire("g[ai]v(e|es|en|ing) up", "time out, cancel, stop", "gave up", "givenUp", "giving up");
		retire("(any|some|every|no)body('s)?", "a process, an owner, a thread", "nobody waits", "somebody else",
				"Everybody", "anybody");
		retire("whoever", "a process that, an owner that", "whoever holds it");
		retire("(for|to) people", "for display, for messages", "for people to read", "leastForPeople");
		retire("news", "notification", "hasNews", "the news");
		retire("courtesy|courteous|patience", "yield, retry schedule, wait time", "the courtesy", "Patience");
		retire("(keep|keeps|kept|keeping) quiet", "yield, delay", "keepQuiet", "kept quiet");
		retire("upkeep|chores?", "maintenance, task", "JdbcLockUpkeep", "a chore");
		retire("troubles?", "failure", "in trouble");
		retire("(go|goes|going|went|gone) on", "continue", "goes on.", "goOn", "had gone on");
		retire("steps? ?downs?|stepp(ed|ing) down", "downgrade", "stepDown", "StepDowns", "stepped down");
		retire("(pass|passes|passed|passing)( (it|them|this|that|(the|a|an|its|their) \\w+))? on", "hand off, forward",
				"passOn", "passes it on", "pass the lock on", "passed\n// on");
		retire("(hand|hands|handed|handing)( (it|them|this|that|(the|a|an|its|their) \\w+))?[ -](on|over)"
				+ "|hand-?overs?", "hand off, hand-off", "the hand-over", "handOverLimit", "handed on",
				"hands the lease over", "handed \" +\n\t\t\"over");
		retire("disown(s|ed|ing)?", "discard the request", "disown");
		retire("abandon(s|ed|ing)?", "cancel, close", "abandonIfReadOnly", "abandoned");
		retire("withdr\\w+", "leave the queue, remove", "withdraw", "withdrawn");
		retire("(lose|loses|losing|lost) track", "mark as orphaned", "lostTrack");
		retire("vouch(es|ed|ing)?", "guarantee", "vouched");
		retire("voices?", "leader", "the voice");
		retire("speaks?|spoken?|speaking", "lead, notify, support", "SPEAKING", "spoke", "speaks");
		retire("un(asked|heard)", "without a request, missed", "unasked", "UNHEARD");
		retire("resting", "placeholder, released", "RestingNodes");
		retire("stamps?|stamped", "attempt id", "attemptStamp", "the stamps");
		retire("disturb(s|ed|ing)?", "change, affect, interrupt", "DISTURBED", "disturbs");
		retire("signs? of life", "renewal, response, heartbeat", "a sign\n * of life");
		retire("time-outs?", "timeout", "a time-out", "Time-outs");
		retire("re-ent(er|ers|ered|ering|ry|ries|rant|rance)", "reenter, reentry, reentrant", "re-enters", "re-entry");
		retire("prolong(s|ed|ing)?", "extend, renew", "prolonged", "prolongPlaces");
		retire("insist(s|ed|ing)?", "retry", "insists");
		retire("complain(s|ed|ing)?", "handle, log", "complain");
		retire("endings?", "release, loss", "Endings");
		retire("leavings", "pending deletes", "the leavings");
		WORDS_EXCEPT_IN_SAMPLE.add(Retired.words("refus(e|es|ed|ing|als?)", "reject, rejection", "is refused",
				"refuses", "requireNotRefused", "a refusal"));
	}

	/**
	 * Any of the words: most texts contain none.
	 */
	private static final Search ANY = new Search(Pattern.compile(libraryWords().stream()
		.map((retired) -> retired.pattern().pattern())
		.collect(Collectors.joining("|", "\\b(", ")")), Pattern.CASE_INSENSITIVE));

	/**
	 * Names of types and methods, as they are written.
	 */
	private static final Retired NAMES = new Retired(
			Pattern.compile("\\b(AcquireTerms|KeyText|KeyTexts|RedisAccess(es)?|RedlockTrails?|KnownParents"
					+ "|LockTree|FreeRows|ThisProcess|LeaseStates|LeaseTable|MethodLock|LockClaim|LockedCalls"
					+ "|BlockingCalls|StageCalls|ReactiveCalls|CallRoot|CallEvaluationContext|CallTime|LockSite"
					+ "|OpenTransactions|LockBackendChoice|LockClientChoice|HeldLocks?|AsyncLocks"
					+ "|DistributedReentrantLock|LostHolds|cutTo|canPassOn|quietUntil)\\b"),
			"the present name of the type or method", List.of("new AcquireTerms()", "HeldLocks.of", "lock.cutTo("));

	private static final Search ANY_NAME = new Search(NAMES.pattern());

	private static void retire(String words, String replacement, String... examples) {
		WORDS.add(Retired.words(words, replacement, examples));
	}

	@Test
	void sourcesUseTheWordsOfTheField() {
		assertThat(uses("lock-spring-boot-starter/src/main")).isEmpty();
	}

	@Test
	void testsUseTheWordsOfTheField() {
		List<Retired> words = libraryWords();
		assertThat(files("lock-spring-boot-starter/src/test").filter((file) -> !file.endsWith(THIS))
			.flatMap((file) -> usesIn(file, words))).isEmpty();
	}

	@Test
	void sampleUsesTheWordsOfTheField() {
		assertThat(files("sample-app/src/main", "sample-app/README.md").flatMap((file) -> usesIn(file, WORDS)))
			.isEmpty();
	}

	@Test
	void benchmarksUseTheWordsOfTheField() {
		assertThat(uses("benchmarks/src")).isEmpty();
	}

	@Test
	void pagesUseTheWordsOfTheField() {
		assertThat(uses("docs", "README.md", "CONTRIBUTING.md", "SECURITY.md")).isEmpty();
	}

	/**
	 * Code spans are left out, because the change log contains former names.
	 */
	@Test
	void changeLogUsesTheWordsOfTheField() {
		Path file = ROOT.resolve("CHANGELOG.md");
		String text = CODE_SPAN.matcher(read(file)).replaceAll("");
		assertThat(usesIn(file, text, libraryWords())).isEmpty();
	}

	@Test
	void retiredWordsAreFound() {
		assertThat(libraryWords()).allSatisfy((retired) -> assertThat(retired.examples()).isNotEmpty()
			.allSatisfy((example) -> assertThat(usesIn(Path.of("file"), example, List.of(retired))).isNotEmpty()));
		assertThat(NAMES.examples())
			.allSatisfy((example) -> assertThat(usesIn(Path.of("file"), example, List.of())).isNotEmpty());
	}

	@Test
	void otherWordsAreNotFound() {
		assertThat(Stream
			.of("newStore", "renews", "intellect", "category on", "Oncology", "handoff", "hand-off", "a timestamp",
					"pending", "interesting", "heldLock", "the timeout", "giveUpward", "reentry", "passes the handle",
					"hands it to the thread", "give the caller a lock. Back")
			.flatMap((text) -> usesIn(Path.of("file"), text, libraryWords()))).isEmpty();
	}

	@Test
	void legitimateWordsAreNotFound() {
		assertThat(Stream
			.of("InsideTransaction.REFUSE", "`refuse`", "lock.inside-transaction=refuse",
					"lock.inside-transaction: refuse", "Connection refused", "connections are refused",
					"Refuse new connections", "refusedConnections", "proxy.refuse()", "\"/.resting\"", "--reuid=nobody")
			.flatMap((text) -> usesIn(Path.of("file"), text, libraryWords()))).isEmpty();
	}

	private static List<Retired> libraryWords() {
		return Stream.concat(WORDS.stream(), WORDS_EXCEPT_IN_SAMPLE.stream()).toList();
	}

	private static List<String> uses(String... places) {
		List<Retired> words = libraryWords();
		return files(places).flatMap((file) -> usesIn(file, words)).toList();
	}

	private static Stream<Path> files(String... places) {
		List<Path> all = new ArrayList<>();
		for (String place : places) {
			try (Stream<Path> files = Files.walk(ROOT.resolve(place))) {
				files.filter(Files::isRegularFile)
					.filter((file) -> SCANNED.matcher(file.toString()).matches())
					.filter((file) -> !BUILT.matcher(file.toString()).matches())
					.forEach(all::add);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
		return all.stream();
	}

	private static Stream<String> usesIn(Path file, List<Retired> words) {
		return usesIn(file, read(file), words);
	}

	private static Stream<String> usesIn(Path file, String text, List<Retired> words) {
		List<String> found = new ArrayList<>();
		if (ANY_NAME.isIn(text)) {
			find(NAMES, file, text, found);
		}
		String joined = LINE_BREAK.matcher(CONCATENATION.matcher(text).replaceAll("")).replaceAll(" ");
		if (ANY.isIn(HUMP.matcher(joined).replaceAll(" "))) {
			String split = HUMP.matcher(LEGITIMATE.matcher(joined).replaceAll("")).replaceAll(" ");
			String remaining = LEGITIMATE.matcher(split).replaceAll("");
			if (ANY.isIn(remaining)) {
				words.forEach((retired) -> find(retired, file, remaining, found));
			}
		}
		return found.stream();
	}

	private static void find(Retired retired, Path file, String text, List<String> found) {
		Matcher matcher = retired.pattern().matcher(text);
		while (matcher.find()) {
			String context = text.substring(Math.max(0, matcher.start() - 40),
					Math.min(text.length(), matcher.end() + 40));
			found.add("%s: '%s' in '%s': use %s".formatted(file.getFileName(), matcher.group(), context.strip(),
					retired.replacement()));
		}
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Looks for a pattern where those words are with which it can begin: few of the
	 * different words of all texts.
	 *
	 * @param pattern a pattern that begins where a word begins
	 * @param beginnings whether the pattern can begin with a word
	 */
	private record Search(Pattern pattern, Map<String, Boolean> beginnings) {

		private static final Pattern WORD = Pattern.compile("\\w+");

		Search(Pattern pattern) {
			this(pattern, new ConcurrentHashMap<>());
		}

		boolean isIn(String text) {
			Matcher matcher = this.pattern.matcher(text);
			Matcher word = WORD.matcher(text);
			while (word.find()) {
				if (this.beginnings.computeIfAbsent(word.group(), this::canBeginWith)
						&& matcher.region(word.start(), text.length()).lookingAt()) {
					return true;
				}
			}
			return false;
		}

		private boolean canBeginWith(String word) {
			Matcher matcher = this.pattern.matcher(word);
			return matcher.lookingAt() || matcher.hitEnd();
		}

	}

	/**
	 * Words that are no longer used.
	 *
	 * @param pattern the words
	 * @param replacement the words to use instead
	 * @param examples texts that contain the words
	 */
	private record Retired(Pattern pattern, String replacement, List<String> examples) {

		static Retired words(String words, String replacement, String... examples) {
			return new Retired(Pattern.compile("\\b(" + words + ")\\b", Pattern.CASE_INSENSITIVE), replacement,
					List.of(examples));
		}

	}

}
