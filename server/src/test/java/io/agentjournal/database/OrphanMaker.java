package io.agentjournal.database;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Statement;

/** A process to be killed: it commits one row in a PostgreSQL of its own, says so, and waits. */
final class OrphanMaker {
  private OrphanMaker() {}

  public static void main(String[] arguments) throws IOException {
    OwnPostgres postgres = new OwnPostgres(Path.of(arguments[0]), Path.of(arguments[1]));
    try (Database database = new Database(postgres.address(), 2)) {
      new Transactions(database)
          .run(
              "row",
              connection -> {
                try (Statement statement = connection.createStatement()) {
                  return statement.execute(
                      "DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT 42 AS answer");
                }
              });
      System.out.println("committed");
      int unused = System.in.read();
    }
  }
}
