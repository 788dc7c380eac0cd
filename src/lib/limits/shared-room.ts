// Room for a number of bytes at once. Each owner may take a share at most, so that others find some left.
import { createKeyCounts } from './counts.ts'

/** Takes room for what a request makes, until it is answered. @throws Failure `unavailable` if there is none. */
export type TakeRoom = (bytes: number) => void

export type RoomAnswer = 'taken' | 'full' | 'shareFull'

export type SharedRoom = {
  readonly bytesMax: number
  readonly shareBytesMax: number
  /** Takes nothing if all of the room, or the owner's share of it, is taken. What is larger than either has it alone. */
  take(owner: string, bytes: number): RoomAnswer
  /** Waits for room, but not longer than `msMax`, and not once `signal` is aborted. Those who wait get it in the order in which they came. */
  takeSoon(owner: string, bytes: number, wait: { msMax: number; signal?: AbortSignal }): Promise<RoomAnswer>
  giveBack(owner: string, bytes: number): void
}

/** Who comes while so many wait is answered at once. */
const WAITING_MAX = 500

export function createSharedRoom({ bytesMax, shareBytesMax }: { bytesMax: number; shareBytesMax: number }): SharedRoom {
  const shares = createKeyCounts()
  const line: { owner: string; bytes: number; leave: (answer: RoomAnswer) => void }[] = []

  function answerTo(owner: string, bytes: number): RoomAnswer {
    const share = shares.of(owner)
    if (share > 0 && share + bytes > shareBytesMax) return 'shareFull'
    return shares.total > 0 && shares.total + bytes > bytesMax ? 'full' : 'taken'
  }

  function take(owner: string, bytes: number): RoomAnswer {
    const answer = answerTo(owner, bytes)
    if (answer === 'taken') shares.add(owner, bytes)
    return answer
  }

  /** The first who waits keeps its place before all others, unless its own share is taken. */
  function serve(): void {
    for (const waiting of [...line]) {
      const answer = take(waiting.owner, waiting.bytes)
      if (answer === 'full') return
      if (answer === 'taken') waiting.leave('taken')
    }
  }

  return {
    bytesMax,
    shareBytesMax,
    take,

    takeSoon(owner, bytes, { msMax, signal }) {
      // A newcomer does not overtake one that only waits for enough room.
      const mustWait = line.some((waiting) => waiting.owner === owner || answerTo(waiting.owner, waiting.bytes) !== 'shareFull')
      const answer = mustWait ? 'full' : take(owner, bytes)
      if (answer === 'taken' || line.length >= WAITING_MAX) return Promise.resolve(answer)
      return new Promise((resolve) => {
        const leave = (last: RoomAnswer) => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', giveUp)
          line.splice(line.indexOf(waiting), 1)
          resolve(last)
        }
        const giveUp = () => leave(answerTo(owner, bytes) === 'shareFull' ? 'shareFull' : 'full')
        const waiting = { owner, bytes, leave }
        const timer = setTimeout(giveUp, msMax)
        signal?.addEventListener('abort', giveUp)
        line.push(waiting)
      })
    },

    giveBack(owner, bytes) {
      shares.takeAway(owner, bytes)
      serve()
    },
  }
}
