package io.agentjournal.segment;

import com.google.protobuf.UnsafeByteOperations;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The stretch of an append request's wire form that is its segments, where it is what would be
 * stored, byte for byte: one field behind the other, each with a payload and nothing else, in the
 * shortest encoding, its text UTF-8. Every usual client sends them so.
 *
 * @param from where it begins
 * @param to where it ends
 * @param payloadBytes of the texts and data alone
 */
record PlainSegments(int from, int to, int count, long payloadBytes) {
  /** A segment with more is looked at one by one: it may be too large. */
  private static final int MAX_PAYLOAD_BYTES = 1 << 20;

  private static final byte TEXT_TAG = 0x0a;
  private static final byte DATA_TAG = 0x12;

  /** Null: there is no segment, or they have to be looked at one by one. */
  static @Nullable PlainSegments find(byte[] wire) {
    Scan scan = new Scan(wire);
    return scan.run() && scan.count > 0
        ? new PlainSegments(scan.from, scan.to, scan.count, scan.payloadBytes)
        : null;
  }

  PackedSegments packed(byte[] wire) {
    return new PackedSegments(Arrays.copyOfRange(wire, from, to), count, payloadBytes);
  }

  /** The request without its segments. */
  byte[] rest(byte[] wire) {
    byte[] rest = new byte[from + wire.length - to];
    System.arraycopy(wire, 0, rest, 0, from);
    System.arraycopy(wire, to, rest, from, wire.length - to);
    return rest;
  }

  private static final class Scan {
    private final byte[] wire;
    private int position;
    private int from;
    private int to;
    private int count;
    private long payloadBytes;

    Scan(byte[] wire) {
      this.wire = wire;
    }

    /** False: something is not as it should be. */
    boolean run() {
      while (position < wire.length) {
        byte tag = wire[position++];
        boolean fine = tag == PackedSegments.TAG ? segment() : otherField(tag);
        if (!fine) {
          return false;
        }
      }
      return true;
    }

    private boolean segment() {
      int start = position - 1;
      if (count > 0 && start != to) {
        return false;
      }
      int length = length();
      int end = position + length;
      if (length < 2) {
        return false;
      }
      byte tag = wire[position++];
      int payload = length();
      if (payload < 0 || position + payload != end || payload > MAX_PAYLOAD_BYTES) {
        return false;
      }
      if (tag == TEXT_TAG ? !isText(payload) : tag != DATA_TAG) {
        return false;
      }
      from = count == 0 ? start : from;
      to = end;
      position = end;
      count++;
      payloadBytes += payload;
      return true;
    }

    private boolean isText(int bytes) {
      for (int i = position; i < position + bytes; i++) {
        if (wire[i] < 0) {
          return UnsafeByteOperations.unsafeWrap(wire, position, bytes).isValidUtf8();
        }
      }
      return true;
    }

    /** Of a message that has a varint and messages beside the segments. */
    private boolean otherField(byte tag) {
      int wireType = tag & 7;
      if (tag < 0) {
        return false;
      }
      if (wireType == 0) {
        while (position < wire.length && wire[position] < 0) {
          position++;
        }
        position++;
        return position <= wire.length;
      }
      int length = wireType == 2 ? length() : -1;
      position += Math.max(length, 0);
      return length >= 0;
    }

    /** In the shortest encoding, and of bytes that are there; otherwise negative. */
    private int length() {
      int length = 0;
      for (int shift = 0; shift < 28 && position < wire.length; shift += 7) {
        byte next = wire[position++];
        length |= (next & 0x7f) << shift;
        if (next >= 0) {
          boolean isShortest = next != 0 || shift == 0;
          return isShortest && length <= wire.length - position ? length : -1;
        }
      }
      return -1;
    }
  }
}
