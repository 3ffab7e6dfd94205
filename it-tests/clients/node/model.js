// A model that answers at token speed with a recorded response, and can go on after a prefix of it. In its place
// stands the streaming call of a provider. Every token that is asked of it is told: what is told twice is bought twice.

import { readFileSync } from 'node:fs'
import { sleep } from './journal.js'

// One line for whoever watches.
export const say = (step, more = {}) => process.stdout.write(JSON.stringify({ step, ...more }) + '\n')

// The events of a recorded response, one in each line, from the given one on.
export async function * stream (file, start, pauseSeconds) {
  const events = readFileSync(file, 'utf8').replace(/\n$/, '').split('\n')
  for (let index = start; index < events.length; index++) {
    await sleep(pauseSeconds * 1000)
    say('asked', { index })
    yield events[index]
  }
}
