package io.agentjournal.database;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/**
 * PostgreSQL's programs, unpacked from the jar once per version and user into a cache. Processes
 * that unpack at once do not meet: each unpacks beside the cache and moves the whole into place,
 * and the first one stays.
 */
record PostgresBinaries(Path home) {
  private static final String OWNER_ONLY = "rwx------";
  private static final int EXECUTABLE_BITS = 0111;

  Path program(String name) {
    return home.resolve("bin").resolve(name);
  }

  /** Blocks while it unpacks, for some seconds at the first time. */
  static PostgresBinaries unpackedInto(Path cache) {
    URL archive = archiveOfThisMachine();
    try {
      Path home = cache.resolve("postgresql-" + fingerprint(archive));
      if (!Files.isDirectory(home)) {
        Files.createDirectories(
            cache,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(OWNER_ONLY)));
        Path incomplete = Files.createTempDirectory(cache, "incomplete-");
        unpack(archive, incomplete);
        moveIntoPlace(incomplete, home);
      }
      return new PostgresBinaries(home);
    } catch (IOException e) {
      throw new StartRefused("PostgreSQL could not be unpacked into " + cache + ": " + e, e);
    }
  }

  private static URL archiveOfThisMachine() {
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String platform = system.startsWith("mac") ? "darwin" : system;
    String processor =
        switch (System.getProperty("os.arch")) {
          case "amd64", "x86_64" -> "x86_64";
          case "aarch64", "arm64" -> "arm_64";
          default -> System.getProperty("os.arch");
        };
    String name = "/postgres-" + platform + "-" + processor + ".txz";
    URL archive = PostgresBinaries.class.getResource(name);
    if (archive == null) {
      throw new StartRefused(
          "there is no PostgreSQL for this machine ("
              + name
              + "): name a database with --jdbc-url");
    }
    return archive;
  }

  /** Tells versions apart without reading the archive. */
  private static String fingerprint(URL archive) throws IOException {
    URLConnection connection = archive.openConnection();
    if (connection instanceof JarURLConnection jar) {
      return "%08x-%d".formatted(jar.getJarEntry().getCrc(), jar.getJarEntry().getSize());
    }
    return Long.toString(connection.getContentLengthLong());
  }

  private static void unpack(URL archive, Path target) throws IOException {
    try (InputStream packed = archive.openStream();
        TarArchiveInputStream files =
            new TarArchiveInputStream(
                new XZCompressorInputStream(new BufferedInputStream(packed)))) {
      for (TarArchiveEntry entry = files.getNextEntry();
          entry != null;
          entry = files.getNextEntry()) {
        Path path = target.resolve(entry.getName()).normalize();
        if (!path.startsWith(target)) {
          throw new IOException("the archive names a file outside itself: " + entry.getName());
        }
        if (entry.isDirectory()) {
          Files.createDirectories(path);
          continue;
        }
        Files.createDirectories(path.resolveSibling("."));
        if (entry.isSymbolicLink()) {
          Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
        } else {
          Files.copy(files, path);
          boolean executable = (entry.getMode() & EXECUTABLE_BITS) != 0;
          Files.setPosixFilePermissions(
              path, PosixFilePermissions.fromString(executable ? OWNER_ONLY : "rw-------"));
        }
      }
    }
  }

  private static void moveIntoPlace(Path incomplete, Path home) throws IOException {
    try {
      Files.move(incomplete, home, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileAlreadyExistsException
        | DirectoryNotEmptyException
        | AtomicMoveNotSupportedException e) {
      deleteTree(incomplete);
      if (!Files.isDirectory(home)) {
        throw e;
      }
    }
  }

  /** Deletes a directory with all that is in it, if it is there. */
  static void deleteTree(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> paths = Files.walk(directory)) {
      for (Path path : (Iterable<Path>) paths.sorted(Comparator.reverseOrder())::iterator) {
        Files.delete(path);
      }
    }
  }
}
