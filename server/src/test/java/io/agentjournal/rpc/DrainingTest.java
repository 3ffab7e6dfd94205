package io.agentjournal.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DrainingTest {
  private final Draining draining = new Draining();
  private final List<String> told = new ArrayList<>();

  @Test
  void listeners_are_told_once_in_order() {
    draining.onBegin(() -> told.add("first"));
    draining.onBegin(() -> told.add("second"));
    assertFalse(draining.begun());
    draining.begin();
    draining.begin();
    assertTrue(draining.begun());
    assertEquals(List.of("first", "second"), told);
  }

  @Test
  void who_closed_its_registration_is_not_told() {
    draining.onBegin(() -> told.add("gone")).close();
    draining.begin();
    assertEquals(List.of(), told);
  }

  @Test
  void who_comes_late_is_told_at_once() {
    draining.begin();
    draining.onBegin(() -> told.add("late"));
    assertEquals(List.of("late"), told);
  }

  @Test
  void one_that_fails_does_not_keep_it_from_the_others() {
    draining.onBegin(
        () -> {
          throw new IllegalStateException("expected by this test");
        });
    draining.onBegin(() -> told.add("other"));
    draining.begin();
    assertEquals(List.of("other"), told);
  }
}
