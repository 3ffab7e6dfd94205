package io.agentjournal.it.model;

import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import io.grpc.MethodDescriptor;

/** A call, whole: sent again it is an exact repeat. */
record Call(MethodDescriptor<?, ?> method, Message request) implements Step {
  static <T extends Message> Call of(MethodDescriptor<T, ?> method, T request) {
    return new Call(method, request);
  }

  String name() {
    return String.valueOf(method.getBareMethodName());
  }

  @Override
  public String toString() {
    return name()
        + " {"
        + TextFormat.printer().emittingSingleLine(true).printToString(request)
        + "}";
  }
}
