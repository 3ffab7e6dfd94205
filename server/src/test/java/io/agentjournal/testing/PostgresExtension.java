package io.agentjournal.testing;

import io.agentjournal.database.DatabaseAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Gives a test class the PostgreSQL that all classes of this JVM share. To be registered as a
 * static field. Where there is no database, the class fails.
 */
public final class PostgresExtension implements BeforeAllCallback {
  private static final Namespace NAMESPACE = Namespace.create(PostgresExtension.class);

  private @Nullable TestPostgres postgres;

  @Override
  public void beforeAll(ExtensionContext context) {
    postgres = shared(context);
  }

  /** Closed by JUnit after the last class. */
  static TestPostgres shared(ExtensionContext context) {
    return context
        .getRoot()
        .getStore(NAMESPACE)
        .computeIfAbsent(TestPostgres.class, key -> new TestPostgres(), TestPostgres.class);
  }

  /** The shared database: use keys of your own in it. */
  public DatabaseAddress address() {
    return postgres().address();
  }

  /** A database for one test. */
  public DatabaseAddress emptyDatabase() {
    return postgres().emptyDatabase();
  }

  private TestPostgres postgres() {
    return Objects.requireNonNull(postgres, "to be registered with @RegisterExtension, static");
  }
}
