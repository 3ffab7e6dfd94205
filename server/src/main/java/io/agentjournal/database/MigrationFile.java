package io.agentjournal.database;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * A migration that this server brings.
 *
 * @param version as Flyway writes it into its history
 * @param checksum as Flyway computes it: of the lines without their ends
 */
record MigrationFile(String version, int checksum) {
  private static final String FOLDER = "db/migration";

  /** As the class path has them, in a jar or in a folder. */
  static List<MigrationFile> all() {
    URL folder = MigrationFile.class.getResource("/" + FOLDER);
    if (folder == null) {
      throw new IllegalStateException("no " + FOLDER + " on the class path");
    }
    try {
      return names(folder).filter(name -> name.endsWith(".sql")).map(MigrationFile::named).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Stream<String> names(URL folder) throws IOException {
    URLConnection connection = folder.openConnection();
    if (connection instanceof JarURLConnection jar) {
      return jar.getJarFile().stream()
          .map(entry -> entry.getName())
          .filter(name -> name.startsWith(FOLDER + "/"))
          .map(name -> name.substring(FOLDER.length() + 1));
    }
    try (Stream<Path> files = Files.list(Path.of(URI.create(folder.toString())))) {
      return files.map(file -> file.getFileName().toString()).toList().stream();
    }
  }

  private static MigrationFile named(String name) {
    String version = name.substring(1, name.indexOf("__"));
    return new MigrationFile(version, checksum("/" + FOLDER + "/" + name));
  }

  private static int checksum(String resource) {
    CRC32 checksum = new CRC32();
    try (InputStream file = MigrationFile.class.getResourceAsStream(resource);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        checksum.update(line.getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return (int) checksum.getValue();
  }
}
