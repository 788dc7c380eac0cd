// Requests that arrive within the same few milliseconds share one commit, and every caller waits for its own.
import { Failure } from './failure.ts'

export type GroupCommit<Item, Result> = {
  /** @throws Failure `unavailable` if too much is waiting, and whatever `commit` throws. */
  submit(item: Item, bytes: number): Promise<Result>
}

export type GroupCommitOptions<Item, Result> = {
  /** Stores a batch in one commit; results in the order of the items. */
  commit(items: Item[]): Promise<Result[]>
  /** Whether an error may be the fault of one item. Then each item is committed alone, and only the faulty one fails. */
  isFaultOfOne(error: unknown): boolean
}

/** Larger batches gain nothing and make all callers wait for the slowest. */
const BATCH_ITEMS_MAX = 200
const BATCH_BYTES_MAX = 4 * 1024 * 1024
/** One batch is committed while the next is prepared. More would only make the batches smaller. */
const BATCHES_IN_FLIGHT_MAX = 2
/** A second batch costs its statement, which is much for few items. Fewer leave after a moment, or as soon as the first batch is committed. */
const SECOND_ITEMS_MIN = 16
const SECOND_WAIT_MS = 2
const WAITING_ITEMS_MAX = 2_000
const WAITING_BYTES_MAX = 64 * 1024 * 1024
const RETRY_AFTER_SECONDS = 1

type Waiting<Item, Result> = { item: Item; bytes: number; resolve: (result: Result) => void; reject: (error: unknown) => void }

export function createGroupCommit<Item, Result>({ commit, isFaultOfOne }: GroupCommitOptions<Item, Result>): GroupCommit<Item, Result> {
  let waiting: Waiting<Item, Result>[] = []
  let waitingBytes = 0
  let inFlight = 0
  let isScheduled = false
  let secondBatch: NodeJS.Timeout | undefined

  /** Once for each turn of the event loop, so that everything from this turn is together. */
  function schedule(): void {
    if (isScheduled || inFlight >= BATCHES_IN_FLIGHT_MAX || waiting.length === 0) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      if (inFlight === 0 || waiting.length >= SECOND_ITEMS_MIN) leave()
      else secondBatch ??= setTimeout(leave, SECOND_WAIT_MS)
    })
  }

  function leave(): void {
    clearTimeout(secondBatch)
    secondBatch = undefined
    while (waiting.length > 0 && inFlight < BATCHES_IN_FLIGHT_MAX) void run(nextBatch())
  }

  function nextBatch(): Waiting<Item, Result>[] {
    let count = 0
    let bytes = 0
    for (const entry of waiting) {
      if (count > 0 && (count >= BATCH_ITEMS_MAX || bytes + entry.bytes > BATCH_BYTES_MAX)) break
      count += 1
      bytes += entry.bytes
    }
    const batch = waiting.slice(0, count)
    waiting = waiting.slice(count)
    waitingBytes -= bytes
    return batch
  }

  async function run(batch: Waiting<Item, Result>[]): Promise<void> {
    inFlight += 1
    try {
      await commitTogether(batch)
    } finally {
      inFlight -= 1
      schedule()
    }
  }

  async function commitTogether(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await commit(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(resultAt(results, index))
    } catch (error) {
      if (batch.length > 1 && isFaultOfOne(error)) for (const entry of batch) await commitTogether([entry])
      else for (const { reject } of batch) reject(error)
    }
  }

  return {
    submit(item, bytes) {
      if (waiting.length >= WAITING_ITEMS_MAX || (waiting.length > 0 && waitingBytes + bytes > WAITING_BYTES_MAX)) {
        const failure = new Failure('unavailable', 'More is arriving than can be stored at the moment. Please try again in a second.', {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        })
        return Promise.reject(failure)
      }
      return new Promise((resolve, reject) => {
        waiting.push({ item, bytes, resolve, reject })
        waitingBytes += bytes
        schedule()
      })
    },
  }
}

function resultAt<Result>(results: Result[], index: number): Result {
  const result = results[index]
  if (result === undefined) throw new Error('A commit must answer one result for each of its items')
  return result
}
