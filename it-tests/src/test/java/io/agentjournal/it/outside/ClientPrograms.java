package io.agentjournal.it.outside;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The example programs in one language, ready to run.
 *
 * @param directory where they run
 * @param agent the command that starts an agent, without options
 * @param follower the command that starts a follower, without options
 */
record ClientPrograms(
    Path directory, Map<String, String> environment, List<String> agent, List<String> follower) {

  /** An agent that wants a submission; its model is the recorded response. */
  TellingProcess startAgent(
      String target, String submissionId, String owner, Recording recording, String... more) {
    List<String> options =
        new ArrayList<>(
            List.of("--target", target, "--submission", submissionId, "--owner", owner));
    options.addAll(List.of("--response", recording.file().toString()));
    options.addAll(List.of("--pause", recording.pauseSeconds(), "--lease", "2"));
    options.addAll(List.of(more));
    return start(agent, options);
  }

  TellingProcess startFollower(String target, String streamKey) {
    return start(follower, List.of("--target", target, "--stream", streamKey));
  }

  TellingProcess start(List<String> command, List<String> options) {
    List<String> all = new ArrayList<>(command);
    all.addAll(options);
    return TellingProcess.start(all, environment, directory, directory.resolve("programs.log"));
  }
}
