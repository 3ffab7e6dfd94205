// Shows a response while it is written, each segment once. Comes back by itself when it is cut off.
//   node follow.js --target 127.0.0.1:7400 --stream KEY

import { parseArgs } from 'node:util'
import grpc from '@grpc/grpc-js'
import { connect, sleep } from './journal.js'
import { say } from './model.js'

const { values: options } = parseArgs({ options: {
  target: { type: 'string' },
  protos: { type: 'string', default: '../../../proto/src/main/proto' },
  stream: { type: 'string' }
} })

async function follow ({ segments }, streamKey) {
  let next = 0n
  while (true) {
    try {
      const call = segments.ReadSegments(
        { stream_key: streamKey, start_index: next.toString(), follow: true, wait_for_stream: true })
      for await (const { run, end } of call) {
        for (const { text } of run?.segments ?? []) say('segment', { index: Number(next++), text })
        if (end) return say('end', { reason: end.reason, next_index: end.next_index })
      }
    } catch (error) {
      if (error.code !== grpc.status.UNAVAILABLE) throw error
    }
    await sleep(200) // cut: again, from the next index
  }
}

await follow(connect(options.target, options.protos), options.stream)
process.exit(0)
