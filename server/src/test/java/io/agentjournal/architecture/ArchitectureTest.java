package io.agentjournal.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * How the server is cut into pieces, read from its sources. A new concept is added to {@link
 * #MAY_USE}; an exception is written down here or not made.
 */
final class ArchitectureTest {
  /**
   * What each concept may use, low ones first: a concept stands below all that name it, so that the
   * arrows cannot close a circle.
   */
  private static final Map<String, Set<String>> MAY_USE = mayUse();

  private static Map<String, Set<String>> mayUse() {
    Map<String, Set<String>> uses = new java.util.LinkedHashMap<>();
    uses.put("background", Set.of());
    uses.put("refusal", Set.of());
    uses.put("database", Set.of("refusal"));
    uses.put("key", Set.of("refusal"));
    Set<String> ground = Set.of("background", "refusal", "database", "key");
    uses.put("payload", ground);
    uses.put("rpc", ground);
    Set<String> floor = with(ground, "payload", "rpc");
    uses.put("run", floor);
    uses.put("segment", floor);
    uses.put("transcript", floor);
    uses.put("slot", with(floor, "segment", "transcript"));
    uses.put("plan", with(floor, "segment", "transcript"));
    uses.put("event", with(floor, "segment", "transcript", "slot"));
    Set<String> state = with(floor, "segment", "transcript", "slot", "plan", "event");
    uses.put("submission", state);
    uses.put("session", with(state, "submission"));
    uses.put("turn", with(state, "submission"));
    uses.put("recovery", with(state, "submission", "turn"));
    uses.put("admin", floor);
    uses.put("server", Set.copyOf(uses.keySet()));
    return uses;
  }

  /**
   * Who speaks gRPC: services, calls, the answers to them, and what turns messages into records.
   */
  private static final Pattern SPEAKS_GRPC =
      Pattern.compile("\\w*(Service|Calls?|Answers?|Messages?|Requests?)");

  private static final Set<String> SPEAKS_GRPC_BY_PACKAGE = Set.of("rpc", "server");

  /** Beside those: it is read off a message and nothing else. */
  private static final Set<String> ALSO_SPEAKS_GRPC = Set.of("segment.OpenedStream");

  /** Who speaks SQL: stores, and the rows, heads and columns that they are made of. */
  private static final Pattern SPEAKS_SQL = Pattern.compile("\\w*(Store|Rows|Heads?|Columns)");

  private static final Set<String> SPEAKS_SQL_BY_PACKAGE = Set.of("database");

  /**
   * Beside those: one asks whether the database answers, the others are the part of a transaction
   * that several stores share.
   */
  private static final Set<String> ALSO_SPEAKS_SQL =
      Set.of("server.DatabaseHealth", "submission.SlotHandover", "submission.Takeover");

  private static final Pattern SAYS_NOTHING =
      Pattern.compile("\\w+(Impl|Manager|Helper|Utils?|Common)|Base\\w+|\\w+Base");

  private static final int MOST_LINES = 300;

  /** Each is long for a reason that stands in its Javadoc. */
  private static final Set<String> LONG = Set.of("refusal.Refusal");

  private static List<SourceFile> sources = List.of();

  @BeforeAll
  static void read() throws IOException {
    sources = SourceFile.all();
    assertTrue(sources.size() > 50, "sources were read");
  }

  @Test
  void arrows_between_concepts_point_downwards() {
    Map<String, Set<String>> forbidden = new TreeMap<>();
    for (SourceFile source : sources) {
      Set<String> used = new TreeSet<>(source.usedConcepts());
      used.removeAll(MAY_USE.getOrDefault(source.concept(), Set.of()));
      if (!used.isEmpty()) {
        forbidden.put(source.name(), used);
      }
    }
    assertEquals(Map.of(), forbidden);
  }

  @Test
  void allowed_arrows_have_no_circle() {
    Set<String> below = new TreeSet<>();
    MAY_USE.forEach(
        (concept, uses) -> {
          assertTrue(below.containsAll(uses), concept + " uses what stands above it");
          below.add(concept);
        });
  }

  @Test
  void every_concept_is_known() {
    Set<String> unknown = new TreeSet<>();
    sources.forEach(source -> unknown.add(source.concept()));
    unknown.removeAll(MAY_USE.keySet());
    assertEquals(Set.of(), unknown);
  }

  @Test
  void every_concept_is_null_marked() {
    Set<String> unmarked = new TreeSet<>();
    sources.forEach(source -> unmarked.add(source.concept()));
    sources.stream()
        .filter(source -> source.className().equals("package-info"))
        .filter(source -> source.code().contains("@NullMarked"))
        .forEach(source -> unmarked.remove(source.concept()));
    assertEquals(Set.of(), unmarked);
  }

  @Test
  void only_services_and_their_calls_and_messages_speak_grpc() {
    assertEquals(
        List.of(),
        offenders(
            source -> source.mentions("io.grpc") || source.mentions("io.agentjournal.v1"),
            SPEAKS_GRPC,
            SPEAKS_GRPC_BY_PACKAGE,
            ALSO_SPEAKS_GRPC));
  }

  @Test
  void only_stores_and_their_rows_speak_sql() {
    assertEquals(
        List.of(),
        offenders(
            source ->
                source.mentions("java.sql")
                    || source.mentions("javax.sql")
                    || source.mentions("org.postgresql"),
            SPEAKS_SQL,
            SPEAKS_SQL_BY_PACKAGE,
            ALSO_SPEAKS_SQL));
  }

  @Test
  void exceptions_are_needed() {
    Set<String> written = new TreeSet<>(ALSO_SPEAKS_GRPC);
    written.addAll(ALSO_SPEAKS_SQL);
    written.addAll(LONG);
    sources.stream()
        .filter(
            source ->
                source.mentions("io.agentjournal.v1")
                    || source.mentions("java.sql")
                    || source.lines() > MOST_LINES)
        .forEach(source -> written.remove(source.name()));
    assertEquals(Set.of(), written);
  }

  @Test
  void nobody_speaks_both_grpc_and_sql() {
    List<String> both = new ArrayList<>();
    for (SourceFile source : sources) {
      if (!SPEAKS_SQL_BY_PACKAGE.contains(source.concept())
          && !ALSO_SPEAKS_SQL.contains(source.name())
          && source.mentions("java.sql")
          && (source.mentions("io.grpc") || source.mentions("io.agentjournal.v1"))) {
        both.add(source.name());
      }
    }
    assertEquals(List.of(), both);
  }

  @Test
  void names_say_what_a_class_is() {
    assertEquals(
        List.of(),
        sources.stream()
            .filter(source -> SAYS_NOTHING.matcher(source.className()).matches())
            .map(SourceFile::name)
            .toList());
  }

  @Test
  void files_have_300_lines_at_most() {
    assertEquals(
        List.of(),
        sources.stream()
            .filter(source -> source.lines() > MOST_LINES && !LONG.contains(source.name()))
            .map(source -> source.name() + " has " + source.lines())
            .toList());
  }

  private static List<String> offenders(
      Predicate<SourceFile> speaks,
      Pattern mayByName,
      Set<String> mayByPackage,
      Set<String> exceptions) {
    return sources.stream()
        .filter(speaks)
        .filter(source -> !mayByName.matcher(source.className()).matches())
        .filter(source -> !mayByPackage.contains(source.concept()))
        .map(SourceFile::name)
        .filter(name -> !exceptions.contains(name))
        .toList();
  }

  private static Set<String> with(Set<String> some, String... more) {
    Set<String> all = new TreeSet<>(some);
    all.addAll(List.of(more));
    return Set.copyOf(all);
  }
}
