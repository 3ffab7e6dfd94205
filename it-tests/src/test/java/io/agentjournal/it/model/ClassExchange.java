package io.agentjournal.it.model;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.IllegalConnectorArgumentsException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Puts other classes in the place of those that a server runs, without starting it again: a
 * debugger without breakpoints. A call that is under way ends in the class in which it began.
 */
final class ClassExchange implements AutoCloseable {
  private static final String CONNECTOR = "com.sun.jdi.SocketAttach";

  private final VirtualMachine server;
  private boolean isConnected = true;

  private ClassExchange(VirtualMachine server) {
    this.server = server;
  }

  static ClassExchange attach(int debugPort)
      throws IOException, IllegalConnectorArgumentsException {
    AttachingConnector connector =
        Bootstrap.virtualMachineManager().attachingConnectors().stream()
            .filter(one -> one.name().equals(CONNECTOR))
            .findFirst()
            .orElseThrow();
    Map<String, Connector.Argument> arguments = connector.defaultArguments();
    argument(arguments, "hostname", "127.0.0.1");
    argument(arguments, "port", Integer.toString(debugPort));
    return new ClassExchange(connector.attach(arguments));
  }

  private static void argument(
      Map<String, Connector.Argument> arguments, String name, String value) {
    Connector.Argument argument = arguments.get(name);
    if (argument == null) {
      throw new IllegalStateException("the connector knows no " + name);
    }
    argument.setValue(value);
  }

  /**
   * From the next call of their methods on.
   *
   * @param classes by their names; one that the server has not loaded stays what it is
   * @return false: nothing is changed, as they have other methods or fields than those before
   */
  boolean put(Map<String, byte[]> classes) {
    Map<ReferenceType, byte[]> loaded = new HashMap<>();
    classes.forEach(
        (name, bytes) -> server.classesByName(name).forEach(type -> loaded.put(type, bytes)));
    if (loaded.isEmpty()) {
      throw new IllegalStateException("no sequence has used any of " + classes.keySet());
    }
    try {
      server.redefineClasses(loaded);
      return true;
    } catch (UnsupportedOperationException othersThanBefore) {
      return false;
    } catch (VMDisconnectedException gone) {
      isConnected = false;
      return false;
    }
  }

  /** False: the server has ended. A Java virtual machine that is made to exchange classes may. */
  boolean isConnected() {
    return isConnected;
  }

  @Override
  public void close() {
    if (isConnected) {
      server.dispose();
    }
  }
}
