package io.agentjournal.it.model;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Classes of the server without one of its guards. */
final class Mutant {
  private static final Path SOURCES = Path.of("..", "server", "src", "main", "java");
  private static final String SUFFIX = ".class";
  private static final Path PACKAGE = Path.of("io", "agentjournal");

  private Mutant() {}

  /**
   * Compiles what the guard changes.
   *
   * @param directory an empty one
   * @return a folder of classes
   */
  static Path build(Guard guard, Path directory) throws IOException {
    Path sources = directory.resolve("sources");
    List<Path> changed = new ArrayList<>();
    for (Map.Entry<Path, String> source : changed(guard).entrySet()) {
      Path file = sources.resolve(source.getKey());
      Files.createDirectories(file.getParent());
      Files.writeString(file, source.getValue());
      changed.add(file);
    }
    Path classes = Files.createDirectories(directory.resolve("classes"));
    compile(changed, classes);
    return classes;
  }

  /** The classes of a folder by their names. */
  static Map<String, byte[]> read(Path classes) throws IOException {
    Map<String, byte[]> read = new HashMap<>();
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
        String name = classes.relativize(file).toString().replace(File.separatorChar, '.');
        read.put(name.substring(0, name.length() - SUFFIX.length()), Files.readAllBytes(file));
      }
    }
    return read;
  }

  /** Those of the server that have these names. */
  static Map<String, byte[]> originals(Set<String> names) throws IOException {
    Map<String, byte[]> originals = new HashMap<>();
    try (JarFile jar = new JarFile(System.getProperty("journal.server-jar", ""))) {
      for (String name : names) {
        ZipEntry entry = jar.getEntry(name.replace('.', '/') + SUFFIX);
        try (InputStream bytes = jar.getInputStream(entry)) {
          originals.put(name, bytes.readAllBytes());
        }
      }
    }
    return originals;
  }

  /** The sources with the guard taken out, by their names. */
  static Map<Path, String> changed(Guard guard) throws IOException {
    Map<Path, String> changed = new LinkedHashMap<>();
    for (Guard.Edit edit : guard.edits()) {
      Path name = PACKAGE.resolve(edit.source() + ".java");
      String before = changed.get(name);
      String text = before == null ? Files.readString(SOURCES.resolve(name)) : before;
      changed.put(name, edited(guard, edit, text));
    }
    return changed;
  }

  private static String edited(Guard guard, Guard.Edit edit, String text) {
    int at = text.indexOf(edit.snippet());
    if (at < 0 || text.indexOf(edit.snippet(), at + 1) >= 0) {
      throw new AssertionError(
          "not just once in %s, look after the guard \"%s\": %s"
              .formatted(edit.source(), guard.name(), edit.snippet()));
    }
    return text.replace(edit.snippet(), edit.replacement());
  }

  private static void compile(List<Path> sources, Path classes) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter told = new StringWriter();
    List<String> options =
        List.of(
            "-proc:none",
            "-nowarn",
            "-cp",
            System.getProperty("journal.server-jar", ""),
            "-d",
            classes.toString());
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean isCompiled =
          compiler
              .getTask(told, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
              .call();
      if (!isCompiled) {
        throw new AssertionError(told.toString());
      }
    }
  }
}
