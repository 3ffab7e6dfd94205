package io.agentjournal.transcript;

import org.jspecify.annotations.Nullable;

/** A new entry with its parent (null: it is a root) and its place. */
record PlacedEntry(NewEntry entry, @Nullable String parentId, Place place) {}
