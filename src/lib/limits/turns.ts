// Limits how much expensive work runs at once, in all and for each key, so that one busy caller leaves room for the others.

type Bound = { perKey: number; inAll: number }

export type Turns = {
  /**
   * Does the work as soon as there is room for it.
   * @throws what `refusal` makes if that takes too long or too many wait already.
   */
  take<Result>(key: string, work: () => Promise<Result>): Promise<Result>
}

export type TurnsOptions = { atOnceMax: Bound; waitingMax: Bound; waitMsMax: number; refusal: () => Error }

export function createTurns({ atOnceMax, waitingMax, waitMsMax, refusal }: TurnsOptions): Turns {
  const running: string[] = []
  const line: { key: string; call(): void }[] = []

  function wait(key: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => line.splice(line.indexOf(waiting), 1)
      const timer = setTimeout(() => {
        leave()
        reject(refusal())
      }, waitMsMax)
      const waiting = {
        key,
        call() {
          clearTimeout(timer)
          leave()
          resolve()
        },
      }
      line.push(waiting)
    })
  }

  /** The key with the fewest places is next; among equals, the one that came first. */
  function end(key: string): void {
    running.splice(running.indexOf(key), 1)
    const [next] = line
      .filter((waiting) => hasRoom(running, waiting.key, atOnceMax))
      .sort((one, other) => count(running, one.key) - count(running, other.key))
    if (!next) return
    running.push(next.key)
    next.call()
  }

  return {
    async take(key, work) {
      // If there is room for a newcomer, no one is waiting who could have it.
      if (hasRoom(running, key, atOnceMax)) running.push(key)
      else if (hasRoom(keysOf(line), key, waitingMax)) await wait(key)
      else throw refusal()
      try {
        return await work()
      } finally {
        end(key)
      }
    },
  }
}

const count = (keys: string[], key: string): number => keys.filter((each) => each === key).length

const hasRoom = (keys: string[], key: string, { perKey, inAll }: Bound): boolean => keys.length < inAll && count(keys, key) < perKey

const keysOf = (line: { key: string }[]): string[] => line.map(({ key }) => key)
