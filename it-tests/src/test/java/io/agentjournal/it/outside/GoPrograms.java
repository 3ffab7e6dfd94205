package io.agentjournal.it.outside;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Go: grpc-go, and stubs that buf and protoc-gen-go make of the protos. */
final class GoPrograms {
  private static @Nullable ClientPrograms ready;

  private GoPrograms() {}

  static synchronized ClientPrograms prepared() {
    if (ready == null) {
      Program go = Program.require("go", "install Go 1.24 or newer");
      Program buf = Program.require("buf", BufTest.HOW_TO_GET_IT);
      Workshop workshop = Workshop.of("go");
      workshop.install("grpc-go", go, "mod", "download");
      Workshop.expectImports();
      workshop.build(buf, List.of("generate"));
      workshop.build(go, List.of("build", "-o", "bin/", "./agent", "./follow"));
      ready =
          new ClientPrograms(
              workshop.directory(),
              Map.of(),
              List.of(workshop.directory().resolve("bin/agent").toString()),
              List.of(workshop.directory().resolve("bin/follow").toString()));
    }
    return ready;
  }
}
