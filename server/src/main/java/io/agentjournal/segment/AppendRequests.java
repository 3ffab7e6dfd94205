package io.agentjournal.segment;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.Status;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;

/** Reads the requests of append calls. Stateless and thread-safe. */
final class AppendRequests implements Marshaller<AppendMessage> {
  @Override
  public AppendMessage parse(InputStream stream) {
    try {
      return AppendMessage.parse(bytes(stream));
    } catch (InvalidProtocolBufferException e) {
      // As gRPC's own marshaller of protobuf has it.
      throw Status.INTERNAL
          .withDescription("Invalid protobuf byte sequence")
          .withCause(e)
          .asRuntimeException();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A message that was compressed is longer than it says. */
  private static byte[] bytes(InputStream stream) throws IOException {
    byte[] known = new byte[stream.available()];
    int length = stream.readNBytes(known, 0, known.length);
    byte[] more = stream.readAllBytes();
    if (more.length == 0 && length == known.length) {
      return known;
    }
    byte[] all = Arrays.copyOf(known, length + more.length);
    System.arraycopy(more, 0, all, length, more.length);
    return all;
  }

  /** A server sends none. */
  @Override
  public InputStream stream(AppendMessage message) {
    throw new UnsupportedOperationException("requests are read here and not written");
  }
}
