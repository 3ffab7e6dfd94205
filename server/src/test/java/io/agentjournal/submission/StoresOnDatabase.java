package io.agentjournal.submission;

import io.agentjournal.database.Database;
import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.database.Transactions;
import io.agentjournal.segment.StreamHeads;
import io.agentjournal.slot.SlotRows;
import io.agentjournal.transcript.SessionRows;
import io.agentjournal.transcript.TranscriptStore;

/** Stores as the server has them, for steps that calls take too fast to be interrupted between. */
final class StoresOnDatabase {
  private StoresOnDatabase() {}

  static NextClaimStore nextClaims(DatabaseAddress address) {
    SessionRows sessions = new SessionRows();
    SubmissionStores stores =
        new SubmissionStores(
            sessions, new TranscriptStore(sessions), new SlotRows(), new StreamHeads());
    return stores.nextClaims(new Transactions(new Database(address, 1)));
  }
}
