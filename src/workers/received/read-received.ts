// Reads the emails that the SMTP server took for teams: many at once, because most of the time goes by while the DNS is asked.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import type { WaitingReceived } from '../../repositories/inbound/waiting-received.ts'
import { readEmail } from './read-email.ts'

const LOOK_EVERY_MS = 500
/** So that one look fills several places. */
const TOGETHER_MS = 10
/** Those whose sender's DNS does not answer take ten seconds. */
const READ_AT_ONCE = 128
/** Of all that are read at once. A larger one is read alone. */
const BYTES_AT_ONCE = 64 * 1024 * 1024
/** When the service stops, those that are read have this time. The others are read after the next start. */
const LAST_EMAILS_MS = 3_000

type Dependencies = Pick<Context, 'repositories' | 'gateways' | 'clock' | 'log' | 'metrics'>

export function startReadingReceived(
  context: Dependencies,
  { lookEveryMs = LOOK_EVERY_MS }: { lookEveryMs?: number } = {},
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
      await Promise.race([places.empty(), sleep(LAST_EMAILS_MS, undefined, { ref: false })])
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
  /** One that was taken before may have ended its thread, so nothing else is read beside it. */
  let isSuspectReading = false

  const bytesReading = (): number => [...reading.values()].reduce((sum, { bytes }) => sum + bytes, 0)

  function begin(email: WaitingReceived): void {
    const work = readEmail(context, email).finally(() => reading.delete(email.id))
    reading.set(email.id, { work, bytes: email.bytes })
  }

  const empty = async (): Promise<void> => void (await Promise.all([...reading.values()].map(({ work }) => work)))

  return {
    empty,

    /** Takes as many as there are places for. Returns how many. */
    async fill(): Promise<number> {
      const limit = READ_AT_ONCE - reading.size
      const bytesMax = BYTES_AT_ONCE - bytesReading()
      if (isSuspectReading || limit <= 0 || bytesMax <= 0) return 0
      const taken = await repositories.waitingReceived.takeAcrossTeams({ limit, bytesMax }, clock.now())
      const [first] = taken
      if (first !== undefined && first.tries > 1) {
        isSuspectReading = true
        await empty()
        begin(first)
        await empty()
        isSuspectReading = false
      } else for (const email of taken) begin(email)
      return taken.length
    },

    /** Resolves once a place becomes free. */
    async freed(): Promise<void> {
      await Promise.race([...reading.values()].map(({ work }) => work))
    },
  }
}
