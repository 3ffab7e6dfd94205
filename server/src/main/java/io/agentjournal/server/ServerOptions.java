package io.agentjournal.server;

import io.agentjournal.database.DatabaseAddress;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Option;

/**
 * The command line. Each option may also be given by the environment variable that its default
 * names; the command line wins. docs/operations.md lists the same.
 */
@Command(
    name = "agentjournal-server",
    description = "Records, durably and as it happens, how far each agent turn got.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    showDefaultValues = true)
public final class ServerOptions {
  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description = "Address to listen on.",
      defaultValue = "${env:AGENTJOURNAL_HOST:-127.0.0.1}")
  private String host = "";

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Port to listen on; 0 takes a free one.",
      defaultValue = "${env:AGENTJOURNAL_PORT:-7400}")
  private int port;

  @Option(
      names = "--data-dir",
      paramLabel = "DIRECTORY",
      description = "Where the server's own PostgreSQL keeps its data. Unused with --jdbc-url.",
      defaultValue = "${env:AGENTJOURNAL_DATA_DIR:-agentjournal-data}")
  private Path dataDirectory = Path.of("");

  @Option(
      names = "--binaries-dir",
      paramLabel = "DIRECTORY",
      description = "Where the programs of the server's own PostgreSQL are unpacked and cached.",
      defaultValue = "${env:AGENTJOURNAL_BINARIES_DIR:-${sys:user.home}/.cache/agentjournal}")
  private Path binariesDirectory = Path.of("");

  @Option(
      names = "--jdbc-url",
      paramLabel = "URL",
      description = "A PostgreSQL to use instead: jdbc:postgresql://host:port/database.",
      defaultValue = "${env:AGENTJOURNAL_JDBC_URL}")
  private @Nullable String jdbcUrl;

  @Option(
      names = "--jdbc-user",
      paramLabel = "NAME",
      description = "Its user.",
      defaultValue = "${env:AGENTJOURNAL_JDBC_USER}")
  private @Nullable String jdbcUser;

  @Option(
      names = "--jdbc-password",
      paramLabel = "PASSWORD",
      description =
          "Its password. Better given by the environment, where other users cannot see it.",
      defaultValue = "${env:AGENTJOURNAL_JDBC_PASSWORD}",
      showDefaultValue = Help.Visibility.NEVER)
  private @Nullable String jdbcPassword;

  @Option(
      names = "--pool-size",
      paramLabel = "COUNT",
      description = "Connections to PostgreSQL, and calls that use it at one time.",
      defaultValue = "${env:AGENTJOURNAL_POOL_SIZE:-16}")
  private int poolSize;

  @Option(
      names = "--lanes",
      paramLabel = "COUNT",
      description = "Group commits of appends under way at one time.",
      defaultValue = "${env:AGENTJOURNAL_LANES:-2}")
  private int lanes;

  @Option(
      names = "--flush-per-bucket",
      description =
          "One transaction for each bucket of streams and for each run. For a distributed"
              + " PostgreSQL; slower on one.",
      defaultValue = "${env:AGENTJOURNAL_FLUSH_PER_BUCKET:-false}")
  private boolean flushesPerBucket;

  @Option(
      names = "--queued-calls",
      paramLabel = "COUNT",
      description = "Calls that may wait for a connection; more are refused as OVERLOADED.",
      defaultValue = "${env:AGENTJOURNAL_QUEUED_CALLS:-4096}")
  private int queuedCalls;

  @Option(
      names = "--keepalive-time",
      paramLabel = "DURATION",
      description = "How long a connection may be silent before the server asks whether it lives.",
      defaultValue = "${env:AGENTJOURNAL_KEEPALIVE_TIME:-30s}",
      converter = DurationText.class)
  private Duration keepaliveTime = Duration.ZERO;

  @Option(
      names = "--keepalive-timeout",
      paramLabel = "DURATION",
      description = "How long a connection that is asked may take to answer before it is closed.",
      defaultValue = "${env:AGENTJOURNAL_KEEPALIVE_TIMEOUT:-20s}",
      converter = DurationText.class)
  private Duration keepaliveTimeout = Duration.ZERO;

  @Option(
      names = "--drain-timeout",
      paramLabel = "DURATION",
      description = "How long calls under way may take to end at shutdown: 500ms, 10s, 2m.",
      defaultValue = "${env:AGENTJOURNAL_DRAIN_TIMEOUT:-10s}",
      converter = DurationText.class)
  private Duration drainTimeout = Duration.ZERO;

  @Option(
      names = "--abort-grace",
      paramLabel = "DURATION",
      description = "How long after an abort request the leases of its submission are renewed.",
      defaultValue = "${env:AGENTJOURNAL_ABORT_GRACE:-60s}",
      converter = DurationText.class)
  private Duration abortGrace = Duration.ZERO;

  @Option(
      names = "--reconcile-interval",
      paramLabel = "DURATION",
      description = "How often the server looks for submissions that nobody is left to settle.",
      defaultValue = "${env:AGENTJOURNAL_RECONCILE_INTERVAL:-250ms}",
      converter = DurationText.class)
  private Duration reconcileInterval = Duration.ZERO;

  @Option(
      names = "--compact-after",
      paramLabel = "DURATION",
      description = "How long after a stream's end its segments are compacted.",
      defaultValue = "${env:AGENTJOURNAL_COMPACT_AFTER:-1m}",
      converter = DurationText.class)
  private Duration compactAfter = Duration.ZERO;

  @Option(
      names = "--compact-percent",
      paramLabel = "PERCENT",
      description = "Of its time in which one thread may be compacting; 0: never.",
      defaultValue = "${env:AGENTJOURNAL_COMPACT_PERCENT:-10}")
  private int compactPercent;

  /** The settings that a command line asks for; picocli's exceptions where it cannot be read. */
  public static ServerSettings parse(String... arguments) {
    ServerOptions options = new ServerOptions();
    new CommandLine(options).setOverwrittenOptionsAllowed(true).parseArgs(arguments);
    return options.settings();
  }

  ServerSettings settings() {
    return new ServerSettings(
        host,
        port,
        jdbcUrl == null ? null : new DatabaseAddress(jdbcUrl, jdbcUser, jdbcPassword),
        dataDirectory,
        binariesDirectory,
        poolSize,
        lanes,
        flushesPerBucket,
        queuedCalls,
        keepaliveTime,
        keepaliveTimeout,
        drainTimeout,
        abortGrace,
        reconcileInterval,
        compactAfter,
        compactPercent);
  }
}
