package io.agentjournal.it.benchmark;

import java.lang.reflect.Field;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;

/** A statement of the server, read from the class of its jar that has it as a constant. */
final class ServerStatement {
  private static final String PACKAGE = "io.agentjournal.";

  private final ClassLoader server;

  ServerStatement() throws MalformedURLException {
    URL jar = Path.of(System.getProperty("journal.server-jar", "")).toUri().toURL();
    // Its manifest names the jars that it needs; the parent knows nothing of the server.
    this.server = new URLClassLoader(new URL[] {jar}, ClassLoader.getPlatformClassLoader());
  }

  /**
   * Its text.
   *
   * @param className behind the packages that all have in common
   */
  String text(String className, String constant) throws ReflectiveOperationException {
    Field field = Class.forName(PACKAGE + className, true, server).getDeclaredField(constant);
    field.setAccessible(true);
    return (String) field.get(null);
  }
}
