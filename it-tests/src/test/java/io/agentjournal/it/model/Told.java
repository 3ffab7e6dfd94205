package io.agentjournal.it.model;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import org.jspecify.annotations.Nullable;

/** Answers put together by the names of their fields: many of them have the same ones. */
final class Told {
  /** Stands for every time. */
  static final Timestamp TIME = Timestamp.getDefaultInstance();

  private Told() {}

  /**
   * A message of the type with these fields.
   *
   * @param namesAndValues in turn; a field whose value is null is left out
   */
  static Answer of(Message type, @Nullable Object... namesAndValues) {
    Message.Builder message = type.newBuilderForType();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      Object value = namesAndValues[i + 1];
      FieldDescriptor field =
          message.getDescriptorForType().findFieldByName(String.valueOf(namesAndValues[i]));
      if (value != null) {
        message.setField(field, value);
      }
    }
    return Answer.of(message.build());
  }
}
