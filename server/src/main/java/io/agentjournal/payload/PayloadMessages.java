package io.agentjournal.payload;

import com.google.protobuf.ByteString;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.refusal.Refusal.TooLarge;
import io.agentjournal.v1.PayloadView;

/** Payloads to and from messages. */
public final class PayloadMessages {
  private PayloadMessages() {}

  /**
   * A caller's payload, checked; an absent one is {@link Payload#NONE}. Large JSON takes as long as
   * {@link JsonText#check} says: too long for an event loop.
   *
   * @throws TooLarge naming the field and both sizes in bytes
   * @throws InvalidField it is said to be JSON and is not
   */
  public static Payload from(String field, io.agentjournal.v1.Payload message, int maxBytes) {
    Payload payload =
        switch (message.getBodyCase()) {
          case TEXT -> new Payload(PayloadCase.TEXT, message.getTextBytes());
          case JSON -> new Payload(PayloadCase.JSON, message.getJsonBytes());
          case DATA -> new Payload(PayloadCase.DATA, message.getData());
          case BODY_NOT_SET -> Payload.NONE;
        };
    if (payload.size() > maxBytes) {
      throw new TooLarge(field, payload.size(), maxBytes);
    }
    if (payload.kind() == PayloadCase.JSON) {
      JsonText.check(field, payload.bytes());
    }
    return payload;
  }

  public static io.agentjournal.v1.Payload from(Payload payload) {
    io.agentjournal.v1.Payload.Builder message = io.agentjournal.v1.Payload.newBuilder();
    ByteString bytes = payload.bytes();
    switch (payload.kind()) {
      case TEXT -> message.setTextBytes(bytes);
      case JSON -> message.setJsonBytes(bytes);
      case DATA -> message.setData(bytes);
      case NONE -> {}
    }
    return message.build();
  }

  public static PayloadView from(StoredPayload stored) {
    PayloadView.Builder view = PayloadView.newBuilder().setSizeBytes(stored.sizeBytes());
    Payload payload = stored.payload();
    if (payload == null) {
      view.setOmitted(true);
    } else if (payload.kind() != PayloadCase.NONE) {
      view.setPayload(from(payload));
    }
    return view.build();
  }
}
