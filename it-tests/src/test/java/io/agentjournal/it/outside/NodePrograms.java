package io.agentjournal.it.outside;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Node: grpc-js, which reads the protos when it starts. */
final class NodePrograms {
  private static final String HOW_TO_GET_IT = "install Node 18 or newer, with npm";

  private static @Nullable ClientPrograms ready;

  private NodePrograms() {}

  static synchronized ClientPrograms prepared() {
    if (ready == null) {
      String node = Program.require("node", HOW_TO_GET_IT).file().toString();
      Program npm = Program.require("npm", HOW_TO_GET_IT);
      Workshop workshop = Workshop.of("node");
      workshop.install("grpc-js", npm, "install", "--no-audit", "--no-fund", "--loglevel=error");
      ready =
          new ClientPrograms(
              workshop.directory(),
              Map.of(),
              List.of(node, "agent.js"),
              List.of(node, "follow.js"));
    }
    return ready;
  }
}
