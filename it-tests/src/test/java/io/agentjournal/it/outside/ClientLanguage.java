package io.agentjournal.it.outside;

/** In what example agents are written, with the stock tooling of each and nothing of ours. */
enum ClientLanguage {
  PYTHON,
  PYTHON_ASYNCIO,
  NODE,
  GO;

  /**
   * Installs what they need. What this machine does not have skips the test or, where CI is true,
   * fails it.
   */
  ClientPrograms prepare() {
    return switch (this) {
      case PYTHON -> PythonPrograms.of("follow.py", "agent.py", "--session");
      case PYTHON_ASYNCIO -> PythonPrograms.of("follow_asyncio.py", "agent_asyncio.py");
      case NODE -> NodePrograms.prepared();
      case GO -> GoPrograms.prepared();
    };
  }
}
