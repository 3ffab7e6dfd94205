package io.agentjournal.it.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.client.JournalClient;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;

/** The client's jar as users get it. */
final class ClientJarTest {
  private final Path jar;

  ClientJarTest() throws Exception {
    jar = Path.of(JournalClient.class.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  @Test
  void it_is_a_module_with_a_name_of_its_own() {
    assertTrue(Files.isRegularFile(jar), jar + " is a jar");
    assertEquals(
        List.of("io.agentjournal.client"),
        ModuleFinder.of(jar).findAll().stream().map(module -> module.descriptor().name()).toList());
  }

  @Test
  void it_holds_no_class_of_anybody_else() throws Exception {
    try (JarFile opened = new JarFile(jar.toFile())) {
      List<String> classes =
          opened.stream().map(JarEntry::getName).filter(name -> name.endsWith(".class")).toList();
      assertTrue(classes.size() > 50, classes.size() + " classes");
      assertEquals(
          List.of(),
          classes.stream().filter(name -> !name.startsWith("io/agentjournal/client/")).toList());
    }
  }
}
