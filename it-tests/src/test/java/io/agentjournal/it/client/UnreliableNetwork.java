package io.agentjournal.it.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A TCP proxy in front of a server: what a network does to connections, done when a test says so.
 */
public final class UnreliableNetwork implements AutoCloseable {
  private static final int BUFFER_BYTES = 16_384;

  private volatile int serverPort;
  private final ServerSocket listening;
  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
  private final AtomicInteger accepted = new AtomicInteger();
  private volatile boolean refusing;

  public UnreliableNetwork(int serverPort) {
    this.serverPort = serverPort;
    try {
      this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    daemon(this::accept);
  }

  public String target() {
    return "127.0.0.1:" + listening.getLocalPort();
  }

  /** How many connections there have been. */
  public int accepted() {
    return accepted.get();
  }

  /** Closes every connection as a peer that goes away in order. */
  public void cut() {
    connections.forEach(Connection::close);
  }

  /** Closes every connection as a peer that is gone. */
  public void reset() {
    connections.forEach(Connection::reset);
  }

  /**
   * Existing connections stay and pass nothing on any more, in neither direction. New ones work.
   */
  public void blackhole() {
    swallowRequests();
    swallowAnswers();
  }

  /** Existing connections pass on what the client sends, and nothing of what the server answers. */
  public void swallowAnswers() {
    connections.forEach(connection -> connection.swallowsAnswers = true);
  }

  /** Existing connections pass on what the server sends, and nothing of what the client answers. */
  public void swallowRequests() {
    connections.forEach(connection -> connection.swallowsRequests = true);
  }

  /** Existing connections hold everything back for a while, and then pass it on. */
  public void delay(Duration delay) {
    long until = System.nanoTime() + delay.toNanos();
    connections.forEach(connection -> connection.heldUntil = until);
  }

  /** New connections reach another server. */
  public void leadTo(int serverPort) {
    this.serverPort = serverPort;
  }

  /** No new connection gets through until {@code refusing} is false again. */
  public void refuseConnections(boolean refusing) {
    this.refusing = refusing;
  }

  @Override
  public void close() {
    try {
      listening.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    cut();
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket client = listening.accept();
        if (refusing) {
          client.close();
          continue;
        }
        accepted.incrementAndGet();
        connect(client);
      } catch (IOException e) {
        // The listener was closed.
      }
    }
  }

  /** Where there is no server, the client sees its connection end. */
  private void connect(Socket client) throws IOException {
    try {
      Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
      Connection connection = new Connection(client, server);
      connections.add(connection);
      daemon(() -> connection.pass(true));
      daemon(() -> connection.pass(false));
    } catch (IOException noServer) {
      client.close();
    }
  }

  private static void daemon(Runnable task) {
    Thread thread = new Thread(task, "unreliable-network");
    thread.setDaemon(true);
    thread.start();
  }

  private final class Connection {
    private final Socket client;
    private final Socket server;
    private volatile boolean swallowsAnswers;
    private volatile boolean swallowsRequests;
    private volatile long heldUntil = System.nanoTime();

    Connection(Socket client, Socket server) throws IOException {
      this.client = client;
      this.server = server;
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
    }

    void pass(boolean toServer) {
      byte[] buffer = new byte[BUFFER_BYTES];
      try {
        InputStream from = (toServer ? client : server).getInputStream();
        OutputStream to = (toServer ? server : client).getOutputStream();
        for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
          awaitRelease();
          boolean isSwallowed = toServer ? swallowsRequests : swallowsAnswers;
          if (!isSwallowed) {
            to.write(buffer, 0, read);
          }
        }
      } catch (IOException cut) {
        // As it is meant to be.
      }
      close();
    }

    private void awaitRelease() {
      for (long left = heldUntil - System.nanoTime();
          left > 0;
          left = heldUntil - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
    }

    void reset() {
      try {
        client.setSoLinger(true, 0);
        server.setSoLinger(true, 0);
      } catch (IOException alreadyClosed) {
        // Then there is nothing to reset.
      }
      close();
    }

    void close() {
      connections.remove(this);
      try (client;
          server) {
        return;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
