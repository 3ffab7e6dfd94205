package io.agentjournal.event;

import io.agentjournal.segment.StreamStretch;
import io.agentjournal.segment.StretchRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Looks for news of many watches at once, one statement for each kind of news, inside a caller's
 * transaction. Stateless and thread-safe.
 */
final class WaitingRows {
  static final String WITH_EVENTS =
      """
      SELECT told.place
        FROM unnest(?::text[], ?::text[], ?::bigint[])
             WITH ORDINALITY AS told (in_namespace, of_submission, told_number, place)
       CROSS JOIN LATERAL (SELECT 1
                             FROM submission_events
                            WHERE namespace = told.in_namespace
                              AND submission_id = told.of_submission
                              AND event_number > told.told_number
                            LIMIT 1) AS next
      """;

  static final String MOVED_SESSIONS =
      """
      SELECT told.place
        FROM unnest(?::text[], ?::text[], ?::bigint[])
             WITH ORDINALITY AS told (in_namespace, of_session, told_sequence, place)
        LEFT JOIN sessions ON sessions.namespace = told.in_namespace
                          AND sessions.session_key = told.of_session
       WHERE sessions.session_key IS NULL
          OR sessions.deleting_since IS NOT NULL
          OR sessions.next_sequence <> told.told_sequence + 1
      """;

  private final StretchRows streams = new StretchRows();

  /**
   * Those that have news.
   *
   * @return for each how its stream went on, which is all; or nothing: it has to look for itself
   */
  Map<WaitingWatch, Optional<StreamStretch>> news(Connection connection, List<WaitingWatch> watches)
      throws SQLException {
    // The streams first: an event that is not found afterwards stands behind what was found of
    // them.
    Map<WaitingWatch, Optional<StreamStretch>> news = moved(connection, watches);
    List<WaitingWatch> ofSubmissions = new ArrayList<>();
    List<WaitingWatch> ofSessions = new ArrayList<>();
    for (WaitingWatch watch : watches) {
      (watch.position().submission() == null ? ofSessions : ofSubmissions).add(watch);
    }
    if (!ofSubmissions.isEmpty()) {
      withEvents(connection, ofSubmissions).forEach(watch -> news.put(watch, Optional.empty()));
    }
    if (!ofSessions.isEmpty()) {
      movedSessions(connection, ofSessions).forEach(watch -> news.put(watch, Optional.empty()));
    }
    return news;
  }

  private Map<WaitingWatch, Optional<StreamStretch>> moved(
      Connection connection, List<WaitingWatch> watches) throws SQLException {
    List<WaitingWatch> ofStreams = new ArrayList<>();
    List<StretchRows.Place> places = new ArrayList<>();
    for (WaitingWatch watch : watches) {
      StretchRows.Place place = watch.position().stream();
      if (place != null) {
        ofStreams.add(watch);
        // Without segments only the end is news.
        places.add(
            watch.withSegments() ? place : new StretchRows.Place(place.key(), Long.MAX_VALUE));
      }
    }
    Map<WaitingWatch, Optional<StreamStretch>> news = new HashMap<>();
    if (!places.isEmpty()) {
      streams
          .moved(connection, places)
          .forEach((number, stretch) -> news.put(ofStreams.get(number), Optional.of(stretch)));
    }
    return news;
  }

  private static List<WaitingWatch> withEvents(Connection connection, List<WaitingWatch> watches)
      throws SQLException {
    return found(
        connection,
        WITH_EVENTS,
        watches,
        watches.stream()
            .map(watch -> watch.position().requireSubmission().id().id())
            .toArray(String[]::new),
        watches.stream().mapToLong(watch -> watch.position().eventNumber()).toArray());
  }

  private static List<WaitingWatch> movedSessions(Connection connection, List<WaitingWatch> watches)
      throws SQLException {
    return found(
        connection,
        MOVED_SESSIONS,
        watches,
        watches.stream()
            .map(watch -> ((WatchTarget.OfSession) watch.target()).session().key())
            .toArray(String[]::new),
        watches.stream().mapToLong(watch -> watch.position().sequence()).toArray());
  }

  private static List<WaitingWatch> found(
      Connection connection,
      String statementText,
      List<WaitingWatch> watches,
      String[] keys,
      long[] told)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(statementText)) {
      statement.setObject(
          1,
          watches.stream().map(watch -> watch.target().namespace().name()).toArray(String[]::new));
      statement.setObject(2, keys);
      statement.setObject(3, told);
      try (ResultSet row = statement.executeQuery()) {
        List<WaitingWatch> found = new ArrayList<>();
        while (row.next()) {
          found.add(watches.get((int) row.getLong(1) - 1));
        }
        return found;
      }
    }
  }
}
