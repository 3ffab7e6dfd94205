package io.agentjournal.payload;

/** Which case of the message's oneof a payload was sent in. Its code is stored. */
public enum PayloadCase {
  NONE(0),
  TEXT(1),
  JSON(2),
  DATA(3);

  private final int code;

  PayloadCase(int code) {
    this.code = code;
  }

  /** As stored in columns named ..._case. */
  public int code() {
    return code;
  }

  public static PayloadCase ofCode(int code) {
    for (PayloadCase candidate : values()) {
      if (candidate.code == code) {
        return candidate;
      }
    }
    throw new IllegalArgumentException("payload case " + code);
  }
}
