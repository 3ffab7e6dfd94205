package io.agentjournal.segment;

/** Ends what it was given for. Thread-safe, does not block, may be closed twice. */
public interface Registration extends AutoCloseable {
  @Override
  void close();
}
