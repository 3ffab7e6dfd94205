package io.agentjournal.run;

import java.util.ArrayList;
import java.util.List;

/** An append whose run is locked, with the places of its events. */
record PlacedAppend(RunAppend append, List<PlacedEvent> events) {
  static PlacedAppend at(long firstPosition, RunAppend append) {
    List<PlacedEvent> placed = new ArrayList<>();
    for (NewEvent event : append.events()) {
      placed.add(new PlacedEvent(append.run(), event, firstPosition + placed.size()));
    }
    return new PlacedAppend(append, placed);
  }

  static List<PlacedEvent> events(List<PlacedAppend> appends) {
    return appends.stream().flatMap(placed -> placed.events().stream()).toList();
  }
}
