// What a worker holds in the database without knowing of it: the answer to a claim can be lost, but not its commit. It would be held as long as the
// worker lives.
import type { Clock } from '../../lib/clock.ts'

const LOOKED_FOR_EVERY_MS = 10_000

export type LostClaimsOptions = {
  clock: Pick<Clock, 'monotonicMs'>
  /** What the database says that this worker holds. */
  held(): Promise<string[]>
  release(ids: string[]): Promise<void>
  onFound(count: number): void
}

/**
 * Looks now and then, and releases what was unknown at two looks: what is unknown at one may be a claim whose answer is on its way.
 *
 * @returns to be called often, with what the worker knows to hold
 */
export function createLostClaims({ clock, held, release, onFound }: LostClaimsOptions): (known: ReadonlySet<string>) => Promise<void> {
  let lookedAtMs = clock.monotonicMs()
  let unknownBefore = new Set<string>()

  return async (known) => {
    if (clock.monotonicMs() - lookedAtMs < LOOKED_FOR_EVERY_MS) return
    lookedAtMs = clock.monotonicMs()
    const unknown = (await held()).filter((id) => !known.has(id))
    const strays = unknown.filter((id) => unknownBefore.has(id))
    unknownBefore = new Set(unknown)
    if (strays.length === 0) return
    await release(strays)
    onFound(strays.length)
  }
}
