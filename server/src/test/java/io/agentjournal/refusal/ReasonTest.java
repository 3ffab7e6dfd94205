package io.agentjournal.refusal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.v1.ErrorReason;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The catalogue of refusals says the same in the proto, in the program and in the documentation.
 */
final class ReasonTest {
  private static final String PROTO = "/agentjournal/v1/errors.proto";
  private static final Pattern PROTO_REASON =
      Pattern.compile("((?: *//[^\n]*\n)+) *ERROR_REASON_([A-Z_]+) = \\d+;");
  private static final Pattern PROTO_FACTS = Pattern.compile("\\{([a-z_, ]*)\\}\n$");
  private static final Path PROTOCOL = Path.of("../docs/protocol.md");
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `([A-Z_]+)` \\| `([A-Z_]+)` \\|([^|]*)\\| [^|]+ \\| [^|]+ \\|$");

  @Test
  void the_program_knows_the_reasons_of_the_proto_and_no_others() {
    Set<String> proto =
        Stream.of(ErrorReason.values())
            .filter(reason -> reason != ErrorReason.ERROR_REASON_UNSPECIFIED)
            .filter(reason -> reason != ErrorReason.UNRECOGNIZED)
            .map(reason -> reason.name().substring("ERROR_REASON_".length()))
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> program =
        Stream.of(Reason.values()).map(Reason::name).collect(Collectors.toCollection(TreeSet::new));
    assertEquals(proto, program);
  }

  @Test
  void the_proto_names_the_facts_of_every_reason() throws IOException {
    Map<String, List<String>> proto = new LinkedHashMap<>();
    Matcher reasons = PROTO_REASON.matcher(protoText());
    while (reasons.find()) {
      Matcher facts = PROTO_FACTS.matcher(reasons.group(1));
      assertTrue(facts.find(), () -> reasons.group(2) + " names no facts");
      proto.put(reasons.group(2), names(facts.group(1)));
    }
    Map<String, List<String>> program = new LinkedHashMap<>();
    Stream.of(Reason.values()).forEach(reason -> program.put(reason.name(), reason.factNames()));
    assertSame(program, proto);
  }

  @Test
  void a_refusal_carries_the_facts_that_its_reason_names() throws ReflectiveOperationException {
    Map<Reason, Set<String>> carried = new TreeMap<>();
    for (Refusal refusal : everyRefusal()) {
      carried
          .computeIfAbsent(refusal.reason(), reason -> new TreeSet<>())
          .addAll(refusal.facts().keySet());
    }
    Map<Reason, Set<String>> named = new TreeMap<>();
    for (Reason reason : carried.keySet()) {
      named.put(reason, new TreeSet<>(reason.factNames()));
    }
    assertSame(named, carried);
  }

  @Test
  void every_reason_has_a_refusal_but_those_of_the_server_itself()
      throws ReflectiveOperationException {
    Set<Reason> without = new TreeSet<>(List.of(Reason.values()));
    everyRefusal().forEach(refusal -> without.remove(refusal.reason()));
    assertEquals(Set.of(Reason.DATABASE_UNAVAILABLE, Reason.INTERNAL), without);
  }

  @Test
  void the_documentation_lists_every_reason_with_its_status_and_facts() throws IOException {
    Map<String, String> documented = new TreeMap<>();
    Matcher row = ROW.matcher(Files.readString(PROTOCOL));
    while (row.find()) {
      documented.put(
          row.group(1), row.group(2) + " " + names(row.group(3).replace("`", "").strip()));
    }
    Map<String, String> program = new TreeMap<>();
    for (Reason reason : Reason.values()) {
      program.put(reason.name(), reason.kind() + " " + reason.factNames());
    }
    assertSame(program, documented);
  }

  /** Tells only what differs. */
  private static <K, V> void assertSame(Map<K, V> expected, Map<K, V> actual) {
    Map<K, V> missing = new LinkedHashMap<>(expected);
    missing.entrySet().removeAll(actual.entrySet());
    Map<K, V> unexpected = new LinkedHashMap<>(actual);
    unexpected.entrySet().removeAll(expected.entrySet());
    assertEquals(missing, unexpected);
  }

  private static List<String> names(String commaSeparated) {
    return Stream.of(commaSeparated.split(", *")).filter(name -> !name.isEmpty()).toList();
  }

  private static String protoText() throws IOException {
    try (InputStream proto = ErrorReason.class.getResourceAsStream(PROTO)) {
      return new String(
          Objects.requireNonNull(proto, PROTO).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static List<Refusal> everyRefusal() throws ReflectiveOperationException {
    List<Refusal> refusals = new ArrayList<>();
    for (Class<?> kind : Refusal.class.getPermittedSubclasses()) {
      for (Constructor<?> constructor : kind.getConstructors()) {
        refusals.add((Refusal) constructor.newInstance(someArguments(constructor)));
      }
      for (Method method : kind.getDeclaredMethods()) {
        if (Modifier.isStatic(method.getModifiers()) && method.getReturnType() == kind) {
          refusals.add((Refusal) method.invoke(null, someArguments(method)));
        }
      }
    }
    return refusals;
  }

  private static Object[] someArguments(Executable executable) {
    return Stream.of(executable.getParameterTypes()).map(ReasonTest::some).toArray();
  }

  private static Object some(Class<?> type) {
    if (type == String.class) {
      return "x";
    }
    if (type == long.class || type == Long.class) {
      return 1L;
    }
    if (type == int.class) {
      return 1;
    }
    if (type == Instant.class) {
      return Instant.EPOCH;
    }
    if (type == Duration.class) {
      return Duration.ZERO;
    }
    throw new IllegalArgumentException("no value for " + type);
  }
}
