package io.agentjournal.transcript;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class PlaceTest {
  private static final int DEPTH = 100_000;

  /** 17 binary digits: two jumps and a parent for each of them would be many. */
  private static final int MOST_STEPS = 3 * 17;

  private final Map<String, Place> places = new HashMap<>();
  private final Map<String, String> parents = new HashMap<>();

  private Place child(Place parent, String id) {
    Place place = Place.below(parent, placeOf(parent.jumpId()), id);
    places.put(id, place);
    parents.put(id, parent.entryId());
    return place;
  }

  private Place placeOf(@Nullable String id) {
    return Objects.requireNonNull(places.get(id));
  }

  private Place root() {
    Place root = Place.root("0");
    places.put("0", root);
    return root;
  }

  /** As the statement climbs. */
  private int stepsTo(long depth, String from) {
    int steps = 0;
    Place place = placeOf(from);
    while (place.depth() > depth) {
      place = placeOf(place.jumpDepth() >= depth ? place.jumpId() : parents.get(place.entryId()));
      steps++;
    }
    assertEquals(Long.toString(depth), place.entryId());
    return steps;
  }

  @Test
  void any_ancestor_is_found_in_a_logarithmic_number_of_steps() {
    Place place = root();
    for (int depth = 1; depth < DEPTH; depth++) {
      place = child(place, Integer.toString(depth));
    }
    Random random = new Random(1);
    int most = 0;
    for (int i = 0; i < 20_000; i++) {
      int from = random.nextInt(DEPTH);
      most = Math.max(most, stepsTo(random.nextInt(from + 1), Integer.toString(from)));
    }
    most = Math.max(most, stepsTo(0, Integer.toString(DEPTH - 1)));
    assertTrue(most <= MOST_STEPS, most + " steps");
  }

  @Test
  void jump_of_an_entry_is_one_of_its_ancestors_in_every_branch() {
    Place root = root();
    List<Place> all = new ArrayList<>(List.of(root));
    Random random = new Random(2);
    for (int i = 1; i < 2_000; i++) {
      all.add(child(all.get(random.nextInt(all.size())), "n" + i));
    }
    for (Place place : all) {
      @Nullable String ancestor = place.entryId();
      while (placeOf(ancestor).depth() > place.jumpDepth()) {
        ancestor = parents.get(ancestor);
      }
      assertEquals(place.jumpId(), ancestor);
    }
  }
}
