package io.agentjournal.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page about the protocol leaves no call out, and invents none. */
final class ProtocolPageTest {
  private static final Path PAGE = Path.of("../docs/protocol.md");
  private static final Pattern SERVICE_OR_CALL =
      Pattern.compile("(?m)^### (\\w+Service)$|^\\| `([A-Z][a-z]\\w+)` \\| `([A-Z]+)` \\|");

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
