package io.agentjournal.it.model;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Classes of the server without one of its guards. */
final class Mutant {
  private static final Path SOURCES = Path.of("..", "server", "src", "main", "java");
  private static final Path PACKAGE = Path.of("io", "agentjournal");

  private Mutant() {}

  /**
   * Compiles what the guard changes.
   *
   * @param directory an empty one
   * @return a folder of classes, to stand before the server's jar
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
