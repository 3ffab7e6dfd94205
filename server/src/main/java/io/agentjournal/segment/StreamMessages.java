package io.agentjournal.segment;

/** Between stored streams and their messages. */
final class StreamMessages {
  private StreamMessages() {}

  static io.agentjournal.v1.StreamState state(StreamState state) {
    return switch (state) {
      case OPEN -> io.agentjournal.v1.StreamState.STREAM_STATE_OPEN;
      case COMPLETE -> io.agentjournal.v1.StreamState.STREAM_STATE_COMPLETE;
      case FAILED -> io.agentjournal.v1.StreamState.STREAM_STATE_FAILED;
      case SUPERSEDED -> io.agentjournal.v1.StreamState.STREAM_STATE_SUPERSEDED;
      case DELETED -> io.agentjournal.v1.StreamState.STREAM_STATE_DELETED;
    };
  }
}
