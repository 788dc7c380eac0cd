// Limits how much expensive work runs at once, in all and for each key, so that one busy caller leaves room for the others.

type Bound = { perKey: number; inAll: number }

export type FairSemaphore = {
  /**
   * Does the work as soon as there is room for it.
   * @throws what `refusal` makes if that takes too long or too many wait already.
   */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>
  /** Refuses what waits, and what would have to. */
  close(): void
}

export type FairSemaphoreOptions = { atOnceMax: Bound; waitingMax: Bound; waitMsMax: number; refusal: () => Error }

export function createFairSemaphore({ atOnceMax, waitingMax, waitMsMax, refusal }: FairSemaphoreOptions): FairSemaphore {
  const running: string[] = []
  const line: { key: string; call(): void; reject(): void }[] = []
  let isClosed = false

  function wait(key: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        line.splice(line.indexOf(waiting), 1)
      }
      const waiting = {
        key,
        call() {
          leave()
          resolve()
        },
        reject() {
          leave()
          reject(refusal())
        },
      }
      const timer = setTimeout(waiting.reject, waitMsMax)
      line.push(waiting)
    })
  }

  /** The key with the fewest places is next; among equals, the one that came first. What else its key waits for goes to the end of the line. */
  function end(key: string): void {
    running.splice(running.indexOf(key), 1)
    const [next] = line
      .filter((waiting) => hasRoom(running, waiting.key, atOnceMax))
      .sort((one, other) => count(running, one.key) - count(running, other.key))
    if (!next) return
    running.push(next.key)
    next.call()
    line.sort((one, other) => Number(one.key === next.key) - Number(other.key === next.key))
  }

  return {
    async run(key, work) {
      // If there is room for a newcomer, no one is waiting who could have it.
      if (hasRoom(running, key, atOnceMax)) running.push(key)
      else if (!isClosed && hasRoom(keysOf(line), key, waitingMax)) await wait(key)
      else throw refusal()
      try {
        return await work()
      } finally {
        end(key)
      }
    },

    close() {
      isClosed = true
      for (const waiting of [...line]) waiting.reject()
    },
  }
}

const count = (keys: string[], key: string): number => keys.filter((each) => each === key).length

const hasRoom = (keys: string[], key: string, { perKey, inAll }: Bound): boolean => keys.length < inAll && count(keys, key) < perKey

const keysOf = (line: { key: string }[]): string[] => line.map(({ key }) => key)
