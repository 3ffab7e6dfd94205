package io.agentjournal.client;

/**
 * What a writer has done so far.
 *
 * @param calls AppendSession calls begun, the first one included
 * @param messages with segments or the end
 * @param segments sent, each time that one is sent
 * @param resentSegments of these, sent before
 * @param resentBelowNextIndex of these, sent again although the call's first answer said that they
 *     are durable: 0 unless there is a bug
 * @param duplicates segments that the server had before, with equal payload
 */
public record WriterCounters(
    long calls,
    long messages,
    long segments,
    long resentSegments,
    long resentBelowNextIndex,
    long duplicates) {}
