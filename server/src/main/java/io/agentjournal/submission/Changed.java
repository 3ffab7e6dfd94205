package io.agentjournal.submission;

/** A submission after a call that was to change it. */
public record Changed(boolean applied, Submission submission) {}
