package io.agentjournal.it.benchmark;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import org.junit.jupiter.api.Test;

final class ServerStatementTest {
  @Test
  void the_statements_of_the_databases_limit_are_in_the_server() throws Exception {
    assertNotNull(new DatabaseLimit(new JdbcAccess("", "", "")));
  }
}
