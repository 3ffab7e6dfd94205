package io.agentjournal.it.model;

import java.util.ArrayList;
import java.util.List;

/**
 * A guard of the contract, and how it is taken out of the server.
 *
 * @param name what is not guarded any more
 */
record Guard(String name, List<Edit> edits) {
  Guard {
    edits = List.copyOf(edits);
  }

  /**
   * A change of one source.
   *
   * @param source below the server's own package, without ".java"
   * @param snippet occurs there just once: otherwise the guard is not what it was, and the test
   *     fails
   * @param replacement best leaves the class its methods, lambdas included: then it is exchanged
   *     while the server runs
   */
  record Edit(String source, String snippet, String replacement) {}

  static Guard of(String name, String source, String snippet, String replacement) {
    return new Guard(name, List.of(new Edit(source, snippet, replacement)));
  }

  /** Takes something else away as well: the guard is there twice. */
  Guard and(String source, String snippet, String replacement) {
    List<Edit> more = new ArrayList<>(edits);
    more.add(new Edit(source, snippet, replacement));
    return new Guard(name, more);
  }

  @Override
  public String toString() {
    return name;
  }
}
