package io.agentjournal.it.benchmark;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.Phaser;

/**
 * The reference server of Durable Streams with its file store. A stream has one append under way at
 * a time, of one or more messages: HTTP/1.1 has no other way to keep their order.
 */
final class DurableStreams implements Participant {
  static final String NAME = "Durable Streams";

  private static final String JSON = "application/json";
  private static final String NEXT_OFFSET = "Stream-Next-Offset";
  private static final String UP_TO_DATE = "Stream-Up-To-Date";

  private final Process server;
  private final String url;

  private DurableStreams(Process server, String url) {
    this.server = server;
    this.url = url;
  }

  /** Installs the server with npm, which downloads it. */
  static DurableStreams start(Path parent) throws IOException, NotInstalled {
    String node = Programs.first("node").toString();
    String npm = Programs.first("npm").toString();
    Path directory = parent.resolve("durable-streams");
    Programs.copy("package.json", directory);
    String program = Programs.copy("durable-streams.mjs", directory).toString();
    String told = Programs.run(directory, npm, "install", "--no-audit", "--no-fund");
    Process server =
        new ProcessBuilder(node, program, directory.resolve("data").toString())
            .directory(directory.toFile())
            .redirectError(directory.resolve("server.log").toFile())
            .start();
    BufferedReader output = server.inputReader();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith("http://")) {
        return new DurableStreams(server, line);
      }
    }
    throw new NotInstalled(
        "npm install @durable-streams/server: "
            + told.strip().lines().findFirst().orElse("failed"));
  }

  /** Messages in a second, counted by reading them back. Blocks. */
  double perSecond(int streams, int messagesPerAppend, Duration time)
      throws IOException, InterruptedException {
    // One for each turn: the server closes connections that are idle for 5 s.
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    String keyPrefix = url + "/" + Journal.newKeyPrefix();
    for (int number = 0; number < streams; number++) {
      HttpResponse<Void> created =
          client.send(
              request(keyPrefix + number).PUT(BodyPublishers.noBody()).build(),
              BodyHandlers.discarding());
      require(created.statusCode(), 201);
    }
    String body =
        "["
            + String.join(
                ",", Collections.nCopies(messagesPerAppend, '"' + SegmentLoad.TOKEN + '"'))
            + "]";
    Phaser running = new Phaser(1);
    long start = System.nanoTime();
    long end = start + time.toNanos();
    for (int number = 0; number < streams; number++) {
      running.register();
      HttpRequest append = request(keyPrefix + number).POST(BodyPublishers.ofString(body)).build();
      append(client, append, end, running);
    }
    running.arriveAndAwaitAdvance();
    double seconds = (System.nanoTime() - start) / 1e9;
    long stored = 0;
    for (int number = 0; number < streams; number++) {
      stored += stored(client, keyPrefix + number);
    }
    return stored / seconds;
  }

  private static void append(HttpClient client, HttpRequest append, long end, Phaser running) {
    var unused =
        client
            .sendAsync(append, BodyHandlers.discarding())
            .whenComplete(
                (answer, failure) -> {
                  if (failure != null || answer.statusCode() / 100 != 2) {
                    System.err.println(failure == null ? answer : failure);
                    running.arriveAndDeregister();
                  } else if (System.nanoTime() >= end) {
                    running.arriveAndDeregister();
                  } else {
                    append(client, append, end, running);
                  }
                });
  }

  private static long stored(HttpClient client, String stream)
      throws IOException, InterruptedException {
    long messages = 0;
    String offset = "-1";
    while (true) {
      HttpResponse<String> part =
          client.send(
              HttpRequest.newBuilder(URI.create(stream + "?offset=" + offset)).build(),
              BodyHandlers.ofString());
      require(part.statusCode(), 200);
      messages += count(part.body());
      if (part.headers().firstValue(UP_TO_DATE).isPresent()) {
        return messages;
      }
      offset = part.headers().firstValue(NEXT_OFFSET).orElseThrow();
    }
  }

  private static long count(String body) {
    long count = 0;
    for (int at = body.indexOf(SegmentLoad.TOKEN);
        at >= 0;
        at = body.indexOf(SegmentLoad.TOKEN, at + 1)) {
      count++;
    }
    return count;
  }

  private static HttpRequest.Builder request(String stream) {
    return HttpRequest.newBuilder(URI.create(stream)).header("Content-Type", JSON);
  }

  private static void require(int status, int expected) throws IOException {
    if (status != expected) {
      throw new IOException("Durable Streams answers " + status);
    }
  }

  @Override
  public void close() {
    Programs.end(server);
  }
}
