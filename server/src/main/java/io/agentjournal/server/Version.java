package io.agentjournal.server;

import picocli.CommandLine.IVersionProvider;

/** Of this build, as its jar's manifest tells it. */
final class Version implements IVersionProvider {
  static String current() {
    String version = Version.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  @Override
  public String[] getVersion() {
    return new String[] {"agentjournal-server " + current()};
  }
}
