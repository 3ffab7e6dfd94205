package io.agentjournal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.agentjournal.server.JournalServer;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.TestPostgres;
import io.agentjournal.testing.Trial;
import io.agentjournal.testing.Wait;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A watch that comes when the streams of its submission are at rest. */
final class WatchCompactedStreamsTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  @Test
  void tells_the_same() {
    Trial trial = Story.told(JOURNAL);
    assertEquals(7, extents(trial));
    try (JournalServer server =
        JOURNAL.anotherServer("--compact-after=0s", "--compact-percent=100")) {
      Wait.until("the streams are compacted", () -> extents(trial) == 0);
      assertEquals(true, server.port() > 0);
    }
    assertEquals(Story.TOLD, Watching.of(JOURNAL.channel(), trial.id).awaitEnd().texts());
  }

  private static long extents(Trial trial) {
    try (Connection connection = TestPostgres.connect(JOURNAL.database());
        PreparedStatement statement =
            connection.prepareStatement(
                """
                SELECT count(*) FROM extents
                 WHERE stream_id IN (SELECT stream_id FROM streams WHERE submission_id = ?)
                """)) {
      statement.setString(1, trial.id);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}
