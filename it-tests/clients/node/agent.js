// An agent: claims a submission, goes on where its predecessor stopped, settles it.
//   node agent.js --target 127.0.0.1:7400 --submission s1 --owner me --response recorded.jsonl
//
// Every step is a call that may be repeated; what was already done is not done again. Prints one line for each step.

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import grpc from '@grpc/grpc-js'
import { connect, refusal, seconds, sleep, unary } from './journal.js'
import * as model from './model.js'

const { say } = model
const { values: options } = parseArgs({ options: {
  target: { type: 'string' },
  protos: { type: 'string', default: '../../../proto/src/main/proto' },
  submission: { type: 'string' },
  owner: { type: 'string' },
  response: { type: 'string' }, // a file of recorded events, one for each line: the model
  lease: { type: 'string', default: '30' }, // seconds
  pause: { type: 'string', default: '0.025' } // seconds between tokens
} })
const lease = Number(options.lease)
const { segments, submissions, turns } = connect(options.target, options.protos)

// The write token, new for every claim.
const attempt = { submission_id: options.submission, attempt_id: randomUUID() }

// Waits for a predecessor's lease to end, when there is one.
async function claim () {
  while (true) {
    try {
      const claimed = await unary(submissions, 'ClaimSubmission',
        { attempt, lease: { owner: options.owner, duration: seconds(lease) } })
      const { action, because, stream } = claimed.plan
      say('claimed', { attempt: attempt.attempt_id, action, because, next_index: stream?.next_index ?? '0' })
      return claimed
    } catch (error) {
      const { reason, metadata } = refusal(error)
      if (reason !== 'LEASE_HELD') throw error
      say('lease_held', { remaining_ms: metadata.remaining_ms })
      await sleep(Math.min(500, Math.max(20, Number(metadata.remaining_ms))))
    }
  }
}

// Each call renews, waits, and answers early when the lease is lost or somebody asks to stop.
async function keepLease () {
  while (true) {
    try {
      const { renewals: [renewal] } = await unary(submissions, 'RenewLeases',
        { attempts: [attempt], duration: seconds(lease), wait: seconds(lease / 3) }, lease)
      // Whatever this agent writes next is refused, and says why.
      if (renewal.state !== 'RENEWAL_STATE_RENEWED') return
    } catch {
      await sleep(200)
    }
  }
}

async function goOn ({ submission, journal, plan }) {
  let events
  switch (plan.action) {
    case 'RECOVERY_ACTION_REPLAY_STREAM': // the response is stored whole
      events = await stored(plan.stream.stream_key)
      break
    case 'RECOVERY_ACTION_CONTINUE_STREAM':
    case 'RECOVERY_ACTION_CALL_MODEL_AGAIN':
      if (plan.stream.open) {
        events = await askModel(plan.stream.stream_key)
      } else {
        [journal, events] = await newTurn()
      }
      break
    case 'RECOVERY_ACTION_APPLY_INPUT':
      await unary(submissions, 'MarkInputApplied', { attempt, entries: [
        { entry_id: `${submission.submission_id}:input`, kind: 'user', payload: submission.input.payload }] });
      [journal, events] = await newTurn()
      break
    case 'RECOVERY_ACTION_BEGIN_TURN':
      [journal, events] = await newTurn()
      break
    default:
      throw new Error(`nothing to do for ${plan.action}: ${plan.because}`)
  }
  const answer = { json: `[${events.join(',')}]` }
  await unary(turns, 'CommitTurnJournal', {
    attempt,
    turn_id: journal.turn_id,
    expected_next_index: events.length,
    entries: [{ entry_id: `${journal.turn_id}:assistant`, kind: 'assistant', payload: answer }],
    settle: { outcome: 'OUTCOME_COMPLETED', result: answer }
  })
  say('settled')
}

async function newTurn () {
  const { journal } = await unary(turns, 'BeginTurnJournal',
    { attempt, turn_id: randomUUID(), start: { content_type: 'application/json' } })
  return [journal, await askModel(journal.stream_key)]
}

// Asks the model for what is not stored yet, and stores each token as it comes. One call for the whole response.
async function askModel (streamKey) {
  const call = segments.AppendSession()
  call.write({ open: { stream_key: streamKey, attempt } })
  let writing
  let failure
  for await (const { next_index: nextIndex } of call) { // throws the reason when the call is refused
    if (writing) {
      say('durable', { next_index: nextIndex })
    } else { // the first answer, at once: what is stored already
      say('streams', { stream_key: streamKey, start: nextIndex })
      writing = append(call, Number(nextIndex)).catch(error => { failure = error; call.end() })
    }
  }
  await writing
  if (failure) throw failure // what the model threw
  return stored(streamKey)
}

async function append (call, start) {
  let index = start
  for await (const text of model.stream(options.response, start, Number(options.pause))) {
    if (call.destroyed) return
    if (!call.write({ first_index: index++, segments: [{ text }] })) await once(call, 'drain')
  }
  call.end({ end: { finish_reason: 'stop', expected_next_index: index } })
}

// Every segment. A call that ends without `end` was cut: again from the next index.
async function stored (streamKey) {
  const events = []
  while (true) {
    try {
      for await (const { run, end } of segments.ReadSegments({ stream_key: streamKey, start_index: events.length })) {
        events.push(...(run?.segments ?? []).map(({ text }) => text))
        if (end) return events
      }
    } catch (error) {
      if (error.code !== grpc.status.UNAVAILABLE) throw error
    }
  }
}

try {
  const claimed = await claim()
  keepLease()
  await goOn(claimed)
  process.exit(0)
} catch (error) {
  if (typeof error.code !== 'number') throw error // not of gRPC
  // A zombie ends here: STALE_ATTEMPT, and who has the work now.
  const { reason, metadata } = refusal(error)
  say('refused', { code: grpc.status[error.code], reason, facts: metadata })
  process.exit(3)
}
