package io.agentjournal.it.outside;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import java.util.function.Predicate;

/** What a program has told on one line of its output: a JSON object with the member "step". */
record Step(Struct members) {
  static Step parse(String line) {
    Struct.Builder members = Struct.newBuilder();
    try {
      JsonFormat.parser().merge(line, members);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("not a step: " + line, e);
    }
    return new Step(members.build());
  }

  static Predicate<Step> named(String name) {
    return step -> step.text("step").equals(name);
  }

  /** It has stored so much. */
  static Predicate<Step> durableFrom(long nextIndex) {
    return named("durable").and(step -> step.number("next_index") >= nextIndex);
  }

  String text(String member) {
    return value(member).getStringValue();
  }

  /** 64 bits, as a number or, where the language would lose digits, as text. */
  long number(String member) {
    Value value = value(member);
    return value.hasStringValue()
        ? Long.parseLong(value.getStringValue())
        : (long) value.getNumberValue();
  }

  /** One of the facts of a refusal. */
  String fact(String name) {
    return new Step(value("facts").getStructValue()).text(name);
  }

  private Value value(String member) {
    return members.getFieldsOrDefault(member, Value.getDefaultInstance());
  }
}
