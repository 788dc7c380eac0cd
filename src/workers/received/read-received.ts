// Reads the emails that the SMTP server took for teams: many at once, because most of the time goes by while the DNS is asked.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import type { WaitingReceived } from '../../repositories/inbound/waiting-received.ts'
import { readEmail } from './read-email.ts'

const LOOK_EVERY_MS = 500
/** A short wait lets one look fill several places. */
const TOGETHER_MS = 10
/** A message whose sender's DNS does not answer takes ten seconds. */
const READ_AT_ONCE = 128
/**
 * The limit for all messages that are read at once. A larger one is read alone. The worst that strangers write takes a second of a processor for
 * each megabyte, and all have to be read before the first is overdue.
 */
const BYTES_AT_ONCE = 16 * 1024 * 1024
/** When the service stops, those that are read have this time. The others are read after the next start. */
const LAST_EMAILS_MS = 3_000
/** After the disk was full, or no thread began. */
const PAUSE_MS = 5_000

type Dependencies = Pick<Context, 'repositories' | 'gateways' | 'largeContent' | 'clock' | 'log' | 'metrics'>

export function startReadingReceived(
  context: Dependencies,
  { lookEveryMs = LOOK_EVERY_MS, lastEmailsMs = LAST_EMAILS_MS }: { lookEveryMs?: number; lastEmailsMs?: number } = {},
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const places = createPlaces(context)

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      await places.fill().catch((error) => context.log.warn({ err: error }, 'received emails not looked for'))
      await Promise.race([pause(lookEveryMs), places.freed()])
      await pause(TOGETHER_MS)
    }
  }

  const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => {})

  const following = follow()
  return {
    async stop() {
      stopping.abort()
      await following
      await Promise.race([places.empty(), sleep(lastEmailsMs, undefined, { ref: false })])
      await places.leave()
    },
  }
}

/**
 * Reads all that waits.
 *
 * @returns how many emails were taken.
 */
export async function readReceived(context: Dependencies): Promise<number> {
  const places = createPlaces(context)
  let taken = 0
  for (let batch = await places.fill(); batch > 0; batch = await places.fill()) {
    taken += batch
    await places.empty()
  }
  return taken
}

function createPlaces(context: Dependencies) {
  const { repositories, clock } = context
  const reading = new Map<string, { work: Promise<void>; bytes: number }>()
  /** One that was taken before may have ended its thread. It is read in another, one at a time. */
  let isSuspectReading = false
  let pausedUntilMs = Number.NEGATIVE_INFINITY

  const bytesReading = (): number => [...reading.values()].reduce((sum, { bytes }) => sum + bytes, 0)

  async function read(email: WaitingReceived): Promise<void> {
    const outcome = await readEmail(context, email)
    // It may have been left to others meanwhile.
    if (outcome === 'done' || !reading.has(email.id)) return
    pausedUntilMs = clock.monotonicMs() + PAUSE_MS
    await release([email.id])
  }

  function begin(email: WaitingReceived): void {
    const isSuspect = email.tries > 1
    if (isSuspect) isSuspectReading = true
    const work = read(email).finally(() => {
      reading.delete(email.id)
      if (isSuspect) isSuspectReading = false
    })
    reading.set(email.id, { work, bytes: email.bytes })
  }

  const release = (ids: string[]): Promise<void> =>
    repositories.waitingReceived
      .releaseAcrossTeams(ids)
      .catch((error) => context.log.warn({ err: error, ids: ids.length }, 'received emails not released'))

  const empty = async (): Promise<void> => void (await Promise.all([...reading.values()].map(({ work }) => work)))

  return {
    empty,

    /** Leaves what is still being read to the next worker that looks, without counting it. */
    async leave(): Promise<void> {
      const left = [...reading.keys()]
      reading.clear()
      await release(left)
    },

    /** Takes as many as there are places for. Returns how many. */
    async fill(): Promise<number> {
      const limit = READ_AT_ONCE - reading.size
      const bytesMax = BYTES_AT_ONCE - bytesReading()
      if (limit <= 0 || bytesMax <= 0 || clock.monotonicMs() < pausedUntilMs) return 0
      const room = { limit, bytesMax, withSuspects: !isSuspectReading }
      const taken = await repositories.waitingReceived.takeAcrossTeams(room, clock.now())
      for (const email of taken) begin(email)
      return taken.length
    },

    /** Resolves once a place becomes free. */
    async freed(): Promise<void> {
      await Promise.race([...reading.values()].map(({ work }) => work))
    },
  }
}
