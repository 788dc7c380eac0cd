// Answers many simultaneous questions with few statements. The number of statements follows the clock, not how often someone asks.
import { createKeyCounts } from './counts.ts'

export type PacedLookups<Value> = {
  /** Null if there is no such thing. `tooMany` if this asker, or all of them together, already wait for as many answers as they may. */
  find(asker: string, key: string): Promise<Value | null | 'tooMany'>
}

export type PacedLookupsOptions<Value> = {
  /** From the first question to the statement that answers it, and from the end of one statement to the next. */
  everyMs: number
  keysMax: number
  keysPerAskerMax: number
  findAll(keys: string[]): Promise<Map<string, Value>>
}

export function createPacedLookups<Value>({ everyMs, keysMax, keysPerAskerMax, findAll }: PacedLookupsOptions<Value>): PacedLookups<Value> {
  let batch = createBatch()
  let isRunning = false

  function createBatch() {
    return { answers: Promise.withResolvers<Map<string, Value>>(), keys: new Set<string>(), askers: createKeyCounts() }
  }

  function run(): void {
    const { answers, keys } = batch
    batch = createBatch()
    findAll([...keys])
      .then(answers.resolve, answers.reject)
      .finally(() => {
        isRunning = false
        if (batch.keys.size > 0) schedule()
      })
  }

  function schedule(): void {
    if (isRunning) return
    isRunning = true
    setTimeout(run, everyMs)
  }

  return {
    async find(asker, key) {
      const { answers, keys, askers } = batch
      if (!keys.has(key)) {
        if (keys.size >= keysMax || askers.of(asker) >= keysPerAskerMax) return 'tooMany'
        askers.add(asker)
        keys.add(key)
        schedule()
      }
      return (await answers.promise).get(key) ?? null
    },
  }
}
