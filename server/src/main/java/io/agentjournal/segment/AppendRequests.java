package io.agentjournal.segment;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.Status;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Reads the requests of append calls. Stateless and thread-safe. */
final class AppendRequests implements Marshaller<AppendMessage> {
  @Override
  public AppendMessage parse(InputStream stream) {
    try {
      return AppendMessage.parse(bytes(stream));
    } catch (IOException e) {
      // As gRPC's own marshaller of protobuf has it: what cannot be inflated is malformed as well.
      throw Status.INTERNAL
          .withDescription("Invalid protobuf byte sequence")
          .withCause(
              e instanceof InvalidProtocolBufferException
                  ? e
                  : new InvalidProtocolBufferException(e))
          .asRuntimeException();
    }
  }

  /** How long a message is once it is inflated is not known before. */
  private static byte[] bytes(InputStream stream) throws IOException {
    if (!(stream instanceof KnownLength)) {
      return stream.readAllBytes();
    }
    byte[] bytes = new byte[stream.available()];
    new DataInputStream(stream).readFully(bytes);
    return bytes;
  }

  /** A server sends none. */
  @Override
  public InputStream stream(AppendMessage message) {
    throw new UnsupportedOperationException("requests are read here and not written");
  }
}
