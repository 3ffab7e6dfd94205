package io.agentjournal.segment;

/**
 * Of appends, all checked before anything is written.
 *
 * @param maxSegmentBytes payload of one segment
 * @param maxMessageBytes one message as it is sent
 * @param maxSegments in one message
 * @param maxStreamBytes payload of one stream
 * @param maxCallBytes what one call may have under way; past it the server stops asking for more
 * @param maxServerBytes what all calls together may have under way
 */
public record AppendLimits(
    int maxSegmentBytes,
    int maxMessageBytes,
    int maxSegments,
    long maxStreamBytes,
    long maxCallBytes,
    long maxServerBytes) {

  public static final AppendLimits DEFAULT =
      new AppendLimits(1 << 20, 4 << 20, 1_000, 1L << 30, 1L << 20, 256L << 20);
}
