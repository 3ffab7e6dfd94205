/**
 * The way to PostgreSQL: a pool, transactions with a certain end, migrations, and a PostgreSQL of
 * the server's own where none was named. Outside this package only the stores see {@code java.sql}.
 */
@NullMarked
package io.agentjournal.database;

import org.jspecify.annotations.NullMarked;
