package io.agentjournal.run;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The messages of one AppendEventsSession call that are not stored yet, in their order. Not
 * thread-safe.
 *
 * <p>One append of the call is under way at a time, so that none overtakes another, neither on a
 * locked run nor past one that is refused. It carries what has come meanwhile, so that the call
 * fills its commits as well as one that has all of them under way. When it is refused, halves are
 * tried, until the message that is at fault is alone.
 */
final class SessionQueue {
  private final EventWriter writer;
  private final Deque<RunAppend> waiting = new ArrayDeque<>();
  private final List<RunAppend> underWay = new ArrayList<>();
  private int mostMessages = RunAppend.MAX_EVENTS;
  private int eventsUnderWay;
  private long bytes;

  SessionQueue(EventWriter writer) {
    this.writer = writer;
  }

  void add(RunAppend message) {
    waiting.add(message);
    bytes += message.sizeBytes();
  }

  /** Whether there is something to do, and nothing under way. */
  boolean isReady() {
    return underWay.isEmpty() && !waiting.isEmpty();
  }

  boolean isEmpty() {
    return underWay.isEmpty() && waiting.isEmpty();
  }

  /** Of all that is waiting or under way. */
  long sizeBytes() {
    return bytes;
  }

  /** The first messages as one append, as many as fit together; they are under way then. */
  RunAppend next() {
    RunAppend first = waiting.remove();
    underWay.add(first);
    eventsUnderWay = first.events().size();
    if (waiting.isEmpty() || mostMessages == 1) {
      return first;
    }
    List<NewEvent> events = new ArrayList<>(first.events());
    Set<EventKey> keys = new HashSet<>();
    first.events().forEach(event -> keys.add(event.key()));
    while (!waiting.isEmpty() && fits(waiting.element(), events.size(), keys)) {
      RunAppend message = waiting.remove();
      underWay.add(message);
      events.addAll(message.events());
    }
    eventsUnderWay = events.size();
    return underWay.size() == 1 ? first : writer.append(events);
  }

  private boolean fits(RunAppend message, int eventsBefore, Set<EventKey> keys) {
    if (underWay.size() >= mostMessages
        || eventsBefore + message.events().size() > RunAppend.MAX_EVENTS) {
      return false;
    }
    // An event that comes twice is stored twice, one after the other.
    for (NewEvent event : message.events()) {
      if (keys.contains(event.key())) {
        return false;
      }
    }
    message.events().forEach(event -> keys.add(event.key()));
    return true;
  }

  int eventsUnderWay() {
    return eventsUnderWay;
  }

  /** What was under way is stored, or refused for good. Answers its size in bytes. */
  long finished() {
    long size = underWay.stream().mapToLong(RunAppend::sizeBytes).sum();
    underWay.clear();
    bytes -= size;
    mostMessages = Math.min(RunAppend.MAX_EVENTS, 2 * mostMessages);
    return size;
  }

  /** What was under way waits again, to be tried in halves; false: it was one message. */
  boolean divide() {
    if (underWay.size() == 1) {
      return false;
    }
    mostMessages = underWay.size() / 2;
    for (int i = underWay.size() - 1; i >= 0; i--) {
      waiting.addFirst(underWay.get(i));
    }
    underWay.clear();
    return true;
  }

  /** Nothing more is done of what waits; what is under way is. Answers its size in bytes. */
  long drop() {
    long size = waiting.stream().mapToLong(RunAppend::sizeBytes).sum();
    waiting.clear();
    bytes -= size;
    return size;
  }
}
