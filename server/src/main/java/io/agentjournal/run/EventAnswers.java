package io.agentjournal.run;

import io.agentjournal.v1.Event;
import io.agentjournal.v1.EventsEnd;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;

/** The messages of one call that reads events: pages, then the end. {@link #next} blocks. */
final class EventAnswers<T> implements Iterator<T> {
  private final EventReader reader;
  private final Function<List<Event>, T> page;
  private final Function<EventsEnd, T> end;
  private boolean ended;

  EventAnswers(EventReader reader, Function<List<Event>, T> page, Function<EventsEnd, T> end) {
    this.reader = reader;
    this.page = page;
    this.end = end;
  }

  @Override
  public boolean hasNext() {
    return !ended;
  }

  @Override
  public T next() {
    if (ended) {
      throw new NoSuchElementException();
    }
    List<EventPart> parts = reader.next();
    if (!parts.isEmpty()) {
      return page.apply(parts.stream().map(EventMessages::from).toList());
    }
    ended = true;
    return end.apply(EventsEnd.newBuilder().setEventCount(reader.eventCount()).build());
  }
}
