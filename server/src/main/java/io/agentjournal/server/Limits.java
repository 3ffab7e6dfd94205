package io.agentjournal.server;

import io.agentjournal.key.Identifier;
import io.agentjournal.key.StreamKey;
import io.agentjournal.payload.Payload;
import io.agentjournal.rpc.PageRequest;
import io.agentjournal.segment.AppendLimits;
import io.agentjournal.slot.TurnJournal;
import io.agentjournal.transcript.NewEntries;
import java.util.Map;

/** The limits that a caller may run into, each by the name that GetServerInfo tells. */
final class Limits {
  private Limits() {}

  static Map<String, Long> byName(AppendLimits appends) {
    return Map.ofEntries(
        Map.entry("id_bytes", (long) Identifier.MAX_BYTES),
        Map.entry("stream_key_bytes", (long) StreamKey.MAX_BYTES),
        Map.entry("segment_bytes", (long) appends.maxSegmentBytes()),
        Map.entry("append_message_bytes", (long) appends.maxMessageBytes()),
        Map.entry("append_message_segments", (long) appends.maxSegments()),
        Map.entry("append_call_bytes_under_way", appends.maxCallBytes()),
        Map.entry("append_server_bytes_under_way", appends.maxServerBytes()),
        Map.entry("stream_bytes", appends.maxStreamBytes()),
        Map.entry("payload_bytes", (long) Payload.MAX_BYTES),
        Map.entry("unary_answer_payload_bytes", (long) Payload.MAX_INLINE_BYTES),
        Map.entry("unary_answer_arguments_bytes", (long) TurnJournal.MAX_INLINE_ARGUMENT_BYTES),
        Map.entry("request_entries", (long) NewEntries.MAX_ENTRIES),
        Map.entry("request_bytes", NewEntries.MAX_BYTES),
        Map.entry("page_size", (long) PageRequest.MAX_SIZE));
  }
}
