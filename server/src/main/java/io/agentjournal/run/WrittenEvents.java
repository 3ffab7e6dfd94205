package io.agentjournal.run;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a transaction has written in one namespace, by the numbers that it gave out. */
final class WrittenEvents {
  private final Map<Place, WrittenEvent> byPlace = new HashMap<>();

  private record Place(String runId, long number) {}

  void add(List<WrittenEvent> events) {
    for (WrittenEvent event : events) {
      byPlace.put(new Place(event.runId(), event.version()), event);
    }
  }

  boolean contains(PlacedEvent event) {
    return byPlace.containsKey(new Place(event.run().id(), event.position()));
  }

  Appended countsOf(PlacedAppend placed) {
    int inserted = 0;
    int replaced = 0;
    List<Integer> unchanged = new ArrayList<>();
    for (int i = 0; i < placed.events().size(); i++) {
      PlacedEvent event = placed.events().get(i);
      WrittenEvent written = byPlace.get(new Place(event.run().id(), event.position()));
      if (written == null) {
        unchanged.add(i);
      } else if (written.isInserted()) {
        inserted++;
      } else {
        replaced++;
      }
    }
    return new Appended(inserted, replaced, unchanged);
  }
}
