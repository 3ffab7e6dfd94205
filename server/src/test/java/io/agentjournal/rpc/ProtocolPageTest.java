package io.agentjournal.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.agentjournal.admin.AdminService;
import io.agentjournal.recovery.RecoveryService;
import io.agentjournal.run.RunService;
import io.agentjournal.segment.SegmentService;
import io.agentjournal.session.SessionService;
import io.agentjournal.submission.SubmissionService;
import io.agentjournal.turn.TurnJournalService;
import io.agentjournal.v1.AdminServiceGrpc;
import io.agentjournal.v1.RecoveryServiceGrpc;
import io.agentjournal.v1.RunJournalServiceGrpc;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.SessionServiceGrpc;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.TurnJournalServiceGrpc;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page about the protocol leaves no call out, and invents none. */
final class ProtocolPageTest {
  private static final Path PAGE = Path.of("../docs/protocol.md");
  private static final Pattern SERVICE_OR_CALL =
      Pattern.compile("(?m)^### (\\w+Service)$|^\\| `([A-Z][a-z]\\w+)` \\| `([A-Z]+)` \\|");

  private static final Pattern NOT_THERE =
      Pattern.compile("(?m)^\\| `([A-Z]\\w+)` \\|.*UNIMPLEMENTED");

  private static final List<Class<? extends BindableService>> IMPLEMENTATIONS =
      List.of(
          AdminService.class,
          RecoveryService.class,
          RunService.class,
          SegmentService.class,
          SessionService.class,
          SubmissionService.class,
          TurnJournalService.class);

  @Test
  void lists_every_call_with_its_role() throws IOException {
    Map<String, String> declared = new TreeMap<>();
    RequiredRoles.of(services())
        .byFullMethodName()
        .forEach((call, role) -> declared.put(call, role.name().substring("ROLE_".length())));
    Map<String, String> listed = new TreeMap<>();
    String service = "";
    Matcher lines = SERVICE_OR_CALL.matcher(Files.readString(PAGE));
    while (lines.find()) {
      if (lines.group(1) != null) {
        service = lines.group(1);
      } else {
        listed.put("agentjournal.v1." + service + "/" + lines.group(2), lines.group(3));
      }
    }
    assertEquals(declared, listed);
  }

  @Test
  void says_of_what_the_server_does_not_answer_that_it_is_not_there_and_of_nothing_else()
      throws IOException {
    Set<String> documented = new TreeSet<>();
    Matcher lines = NOT_THERE.matcher(Files.readString(PAGE));
    while (lines.find()) {
      documented.add(lines.group(1));
    }
    Set<String> missing = new TreeSet<>();
    for (Class<? extends BindableService> service : IMPLEMENTATIONS) {
      Set<String> answered =
          Stream.concat(Stream.of(service.getDeclaredMethods()), appends())
              .map(method -> method.getName().toLowerCase(Locale.ROOT))
              .collect(Collectors.toSet());
      calls(service)
          .filter(call -> !answered.contains(call.toLowerCase(Locale.ROOT)))
          .forEach(call -> missing.add(Character.toUpperCase(call.charAt(0)) + call.substring(1)));
    }
    assertEquals(missing, documented);
  }

  /** Those that read their requests themselves, in a class beside their service. */
  private static Stream<Method> appends() {
    try {
      return Stream.of(
          Class.forName(SegmentService.class.getPackageName() + ".AppendCalls")
              .getDeclaredMethods());
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  /** As the generated interface names them. */
  private static Stream<String> calls(Class<?> service) {
    return Stream.of(service.getSuperclass().getInterfaces())
        .filter(generated -> generated.getSimpleName().equals("AsyncService"))
        .flatMap(generated -> Stream.of(generated.getDeclaredMethods()))
        .filter(Method::isDefault)
        .map(Method::getName);
  }

  private static List<ServerServiceDefinition> services() {
    return Stream.<BindableService>of(
            new AdminServiceGrpc.AdminServiceImplBase() {},
            new RecoveryServiceGrpc.RecoveryServiceImplBase() {},
            new RunJournalServiceGrpc.RunJournalServiceImplBase() {},
            new SegmentServiceGrpc.SegmentServiceImplBase() {},
            new SessionServiceGrpc.SessionServiceImplBase() {},
            new SubmissionServiceGrpc.SubmissionServiceImplBase() {},
            new TurnJournalServiceGrpc.TurnJournalServiceImplBase() {})
        .map(BindableService::bindService)
        .toList();
  }
}
