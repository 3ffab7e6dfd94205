package io.agentjournal.it.kill;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.IntStream;

/**
 * What one writer process has sent and heard, stream by stream, in memory that it shares with
 * whoever kills it: after the death it says how things stood at that moment. Thread-safe.
 */
final class Ledger {
  /** What is known of each stream. */
  enum Column {
    /** Segments below it were handed to a connection. */
    SENT(0),
    /** Segments below it were acknowledged. */
    ACKED(1),
    /** Segments that were sent although the call had said before that they are stored. */
    SENT_BELOW(2),
    /** Calls that ended. */
    CUTS(3),
    /** {@link #ACKED} when the latest of them ended. */
    ACKED_AT_CUT(4),
    /** 1 when the end is acknowledged. */
    FINISHED(5);

    private final int number;

    Column(int number) {
      this.number = number;
    }
  }

  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final int STREAM_BYTES = Column.values().length * Long.BYTES;

  private final MappedByteBuffer buffer;
  private final int streams;

  /** Opens it, and makes it where it is not there. */
  Ledger(Path file, int streams) {
    this.streams = streams;
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      this.buffer = channel.map(MapMode.READ_WRITE, 0, (long) streams * STREAM_BYTES);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  long get(int stream, Column column) {
    return (long) LONGS.getVolatile(buffer, position(stream, column));
  }

  void set(int stream, Column column, long value) {
    LONGS.setVolatile(buffer, position(stream, column), value);
  }

  void add(int stream, Column column, long more) {
    long unused = (long) LONGS.getAndAdd(buffer, position(stream, column), more);
  }

  /** Never lowers. */
  void raise(int stream, Column column, long value) {
    long now = get(stream, column);
    while (now < value && !LONGS.compareAndSet(buffer, position(stream, column), now, value)) {
      now = get(stream, column);
    }
  }

  long[] column(Column column) {
    return IntStream.range(0, streams).mapToLong(stream -> get(stream, column)).toArray();
  }

  long sum(Column column) {
    return IntStream.range(0, streams).mapToLong(stream -> get(stream, column)).sum();
  }

  boolean isFinished() {
    return sum(Column.FINISHED) == streams;
  }

  /** Whether something is sent and not acknowledged. */
  boolean hasSegmentsUnderWay() {
    return IntStream.range(0, streams)
        .anyMatch(stream -> get(stream, Column.SENT) > get(stream, Column.ACKED));
  }

  private static int position(int stream, Column column) {
    return stream * STREAM_BYTES + column.number * Long.BYTES;
  }
}
