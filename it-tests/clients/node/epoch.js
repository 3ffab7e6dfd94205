// Writes a stand-alone stream as a writer with a given epoch, and tells what the server has: every digit of 64 bits.
//   node epoch.js --target 127.0.0.1:7400 --stream KEY --epoch 9007199254740993

import { parseArgs } from 'node:util'
import { connect, unary } from './journal.js'
import { say } from './model.js'

const { values: options } = parseArgs({ options: {
  target: { type: 'string' },
  protos: { type: 'string', default: '../../../proto/src/main/proto' },
  stream: { type: 'string' },
  epoch: { type: 'string' }
} })
const { segments } = connect(options.target, options.protos)
await unary(segments, 'PutSegments', { open: { stream_key: options.stream, writer_epoch: options.epoch } })
const { stream } = await unary(segments, 'GetStream', { stream_key: options.stream })
say('epoch', { writer_epoch: stream.writer_epoch, next: (BigInt(stream.writer_epoch) + 1n).toString() })
process.exit(0)
