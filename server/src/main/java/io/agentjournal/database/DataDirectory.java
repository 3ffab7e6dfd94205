package io.agentjournal.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a server with a PostgreSQL of its own, held exclusively from construction to
 * {@link #close}: the operating system lets go of the lock however the process ends.
 */
final class DataDirectory implements AutoCloseable {
  private static final Set<PosixFilePermission> OWNER_ONLY_DIRECTORY =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> OWNER_ONLY_FILE =
      PosixFilePermissions.fromString("rw-------");
  private static final int PASSWORD_BYTES = 24;
  private static final long LOG_KEPT_BYTES = 16L << 20;

  private final Path root;
  private final FileChannel lockFile;

  DataDirectory(Path directory) {
    try {
      if (!Files.exists(directory)) {
        Files.createDirectories(
            directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY_DIRECTORY));
      }
      // PostgreSQL knows its directory by the real path: so can be recognised by it later.
      this.root = directory.toRealPath();
      this.lockFile = locked(root.resolve("lock"));
    } catch (IOException e) {
      throw new StartRefused("the data directory " + directory + " cannot be used: " + e, e);
    }
  }

  private static FileChannel locked(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (lockOf(channel) == null) {
      channel.close();
      throw new StartRefused(
          "another agent-journal server is running on the data directory " + file.getParent());
    }
    return channel;
  }

  private static @Nullable FileLock lockOf(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException heldByThisProcess) {
      return null;
    }
  }

  Path root() {
    return root;
  }

  /** PostgreSQL's own directory; it exists once it is complete. */
  Path cluster() {
    return root.resolve("postgresql");
  }

  /** Where a cluster is made before it is moved to {@link #cluster()}. */
  Path clusterInTheMaking() {
    return root.resolve("postgresql.incomplete");
  }

  /** Where PostgreSQL and its tools log. */
  Path log() {
    return root.resolve("postgresql.log");
  }

  Path passwordFile() {
    return root.resolve("password");
  }

  /** The database's password, made at first use and readable by the owner alone. */
  String password() throws IOException {
    Path file = passwordFile();
    if (!Files.exists(file)) {
      byte[] random = new byte[PASSWORD_BYTES];
      new SecureRandom().nextBytes(random);
      Files.deleteIfExists(root.resolve("password.incomplete"));
      Path incomplete =
          Files.createFile(
              root.resolve("password.incomplete"),
              PosixFilePermissions.asFileAttribute(OWNER_ONLY_FILE));
      Files.writeString(incomplete, Base64.getUrlEncoder().withoutPadding().encodeToString(random));
      makeDurable(incomplete);
      Files.move(incomplete, file);
      makeDurable(root);
    }
    return Files.readString(file);
  }

  /** Keeps the log of one earlier time when it has grown large. */
  void rotateLog() throws IOException {
    if (Files.exists(log()) && Files.size(log()) > LOG_KEPT_BYTES) {
      Files.move(log(), root.resolve("postgresql.log.1"), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** Forces a file's bytes, or a directory's names, to the disk. */
  static void makeDurable(Path path) throws IOException {
    StandardOpenOption mode =
        Files.isDirectory(path) ? StandardOpenOption.READ : StandardOpenOption.WRITE;
    try (FileChannel channel = FileChannel.open(path, mode)) {
      channel.force(true);
    }
  }

  @Override
  public void close() {
    try {
      lockFile.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
