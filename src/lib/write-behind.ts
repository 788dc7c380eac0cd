// Collects items and writes them in batches, a little later. For what may be late but must not slow a request: logs, last uses.

export type WriteBehind<Item> = {
  /** Takes an item, or drops and counts it if too much is waiting. Never throws, never waits. */
  add(item: Item, bytes?: number): void
  /** Writes everything that waits now, and gives up what fails twice. */
  flush(): Promise<void>
}

export type WriteBehindOptions<Item> = {
  write(items: Item[]): Promise<void>
  everyMs: number
  batchItemsMax: number
  waitingItemsMax: number
  waitingBytesMax: number
  /** How often a batch is tried that fails, and how long after a failure nothing is written. */
  triesMax?: number
  retriesEveryMs?: number
  /** Called once for each batch or overflow: how many items were lost, and why. */
  onLost(count: number, reason: unknown): void
  /** Called with items that wait no longer, because they were written or lost. */
  onLeft?(items: Item[]): void
}

/** A failed batch is retried once with the next flush and then given up, so that batches do not pile up while a fault lasts. */
const TRIES_MAX = 2

export function createWriteBehind<Item>(options: WriteBehindOptions<Item>): WriteBehind<Item> {
  const { triesMax = TRIES_MAX, retriesEveryMs = options.everyMs } = options
  let hasFailed = false
  let waiting: { item: Item; bytes: number; tries: number }[] = []
  let waitingBytes = 0
  let dropped = 0
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> | null = null

  function schedule(): void {
    if (timer !== null) return
    timer = setTimeout(
      () => {
        timer = null
        void flush()
      },
      hasFailed ? retriesEveryMs : options.everyMs,
    ).unref()
  }

  async function writeBatch(isLastTry: boolean): Promise<void> {
    const batch = waiting.splice(0, options.batchItemsMax)
    try {
      const items = batch.map(({ item }) => item)
      await options.write(items)
      options.onLeft?.(items)
    } catch (error) {
      const mayTryAgain = ({ tries }: { tries: number }) => tries + 1 < triesMax && !isLastTry
      const again = batch.filter(mayTryAgain).map((entry) => ({ ...entry, tries: entry.tries + 1 }))
      options.onLeft?.(batch.filter((entry) => !mayTryAgain(entry)).map(({ item }) => item))
      if (again.length < batch.length) options.onLost(batch.length - again.length, error)
      waiting = [...again, ...waiting]
      waitingBytes += again.reduce((sum, { bytes }) => sum + bytes, 0)
      if (again.length > 0) throw error
    } finally {
      waitingBytes -= batch.reduce((sum, { bytes }) => sum + bytes, 0)
    }
  }

  async function writeAll(isLastTry: boolean): Promise<void> {
    hasFailed = false
    if (dropped > 0) {
      options.onLost(dropped, new Error('too much was waiting'))
      dropped = 0
    }
    while (waiting.length > 0) await writeBatch(isLastTry)
  }

  function flush(isLastTry = false): Promise<void> {
    writing ??= writeAll(isLastTry)
      .catch(() => {
        hasFailed = true
      })
      .finally(() => {
        writing = null
        if (waiting.length > 0) schedule()
      })
    return writing
  }

  return {
    add(item, bytes = 0) {
      if (waiting.length >= options.waitingItemsMax || waitingBytes + bytes > options.waitingBytesMax) {
        dropped += 1
        options.onLeft?.([item])
        return schedule()
      }
      waiting.push({ item, bytes, tries: 0 })
      waitingBytes += bytes
      if (waiting.length >= options.batchItemsMax && !hasFailed) void flush()
      else schedule()
    },
    async flush() {
      await flush()
      if (waiting.length > 0) await flush(true)
    },
  }
}
