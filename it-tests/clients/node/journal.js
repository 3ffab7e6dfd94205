// What every Node program says to an agent-journal server: @grpc/grpc-js and @grpc/proto-loader, nothing of ours.

import grpc from '@grpc/grpc-js'
import protoLoader from '@grpc/proto-loader'
import protobuf from 'protobufjs'

// int64 comes as decimal text and may be sent as such: a number would lose digits above 2^53. Reckon with BigInt.
const LOADED = { keepCase: true, longs: String, enums: String, defaults: true, oneofs: true }

// Repeating any call with the same ids and indexes is safe, so the channel may do it by itself.
const RETRIES = JSON.stringify({ methodConfig: [{ name: [{}], retryPolicy: {
  maxAttempts: 5, initialBackoff: '0.1s', maxBackoff: '2s', backoffMultiplier: 3,
  retryableStatusCodes: ['UNAVAILABLE', 'RESOURCE_EXHAUSTED'] } }] })

// The services of one server. `protos` is the folder that has agentjournal/v1.
export function connect (target, protos) {
  const files = ['segment', 'submission', 'turn'].map(name => `agentjournal/v1/${name}.proto`)
  const { v1 } = grpc.loadPackageDefinition(
    protoLoader.loadSync(files, { ...LOADED, includeDirs: [protos] })).agentjournal
  const credentials = grpc.credentials.createInsecure()
  const options = { 'grpc.service_config': RETRIES }
  return {
    segments: new v1.SegmentService(target, credentials, options),
    submissions: new v1.SubmissionService(target, credentials, options),
    turns: new v1.TurnJournalService(target, credentials, options)
  }
}

// One unary call as a promise: unary(journal.submissions, 'GetSubmission', { submission_id: 's1' }).
export function unary (client, method, request, seconds = 20) {
  return new Promise((resolve, reject) => {
    const deadline = Date.now() + seconds * 1000
    client[method](request, { deadline }, (error, answer) => error ? reject(error) : resolve(answer))
  })
}

// What carries the details of a refusal, as google/rpc/status.proto and error_details.proto declare it.
const { google } = protobuf.parse(`
  syntax = "proto3";
  package google.rpc;
  message Any { string type_url = 1; bytes value = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message ErrorInfo { string reason = 1; string domain = 2; map<string, string> metadata = 3; }`, { keepCase: true }).root.nested
const { Status, ErrorInfo } = google.nested.rpc.nested

// Why a call was refused, {reason, metadata}; reason is '' when the server did not say (cut, deadline).
export function refusal (error) {
  for (const bytes of error.metadata?.get('grpc-status-details-bin') ?? []) {
    for (const detail of Status.decode(bytes).details) {
      if (detail.type_url.endsWith('/google.rpc.ErrorInfo')) return ErrorInfo.decode(detail.value)
    }
  }
  return { reason: '', metadata: {} }
}

export const sleep = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds))

// google.protobuf.Duration
export const seconds = n => ({ seconds: Math.trunc(n), nanos: Math.round((n % 1) * 1e9) })
