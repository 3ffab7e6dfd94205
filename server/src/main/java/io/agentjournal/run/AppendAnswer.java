package io.agentjournal.run;

/** Hears, once, what became of an append; on the thread that found out, which it must not block. */
interface AppendAnswer {
  /** It is stored and committed. */
  void appended(Appended appended);

  /** Refused, or not known: the failure says which. */
  void failed(Throwable failure);
}
