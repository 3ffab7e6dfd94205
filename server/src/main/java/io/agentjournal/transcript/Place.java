package io.agentjournal.transcript;

/**
 * Where an entry stands in its tree. Besides its parent every entry knows one ancestor further up,
 * chosen as in a skew-binary counter, so that any ancestor is found in a number of steps that grows
 * with the logarithm of the depth (Myers, "An applicative random-access stack"). A root's jump is
 * itself.
 */
record Place(String entryId, long depth, String jumpId, long jumpDepth) {

  static Place root(String entryId) {
    return new Place(entryId, 0, entryId, 0);
  }

  /** The place of a child of {@code parent}; {@code jump} is the place of the parent's jump. */
  static Place below(Place parent, Place jump, String entryId) {
    boolean sameReach = parent.depth - parent.jumpDepth == jump.depth - jump.jumpDepth;
    return sameReach
        ? new Place(entryId, parent.depth + 1, jump.jumpId, jump.jumpDepth)
        : new Place(entryId, parent.depth + 1, parent.entryId, parent.depth);
  }
}
