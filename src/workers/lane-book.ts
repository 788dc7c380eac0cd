// Which lanes have work: read from the queue in rounds, and kept for a moment, because most lanes last longer than a claim.
import type { Context } from '../context.ts'
import { type Allotment, LANES_MAX, type Lane, type LaneClass } from '../lib/lanes.ts'
import type { ClaimedDelivery } from '../repositories/deliveries.ts'

/** Lanes that were found are believed for so long, unless a claim finds them empty. */
const KEPT_MS = 20
/** Due rows are looked for this often; more often only while there are many. */
const PROMOTED_EVERY_MS = 250
/** As many as one statement moves (repositories/lanes.ts). */
const PROMOTED_FULLY = 1_000

export function createLaneBook({ repositories, clock }: Pick<Context, 'repositories' | 'clock'>) {
  let known: Lane[] = []
  let readAtMs = Number.NEGATIVE_INFINITY
  let promotedAtMs = Number.NEGATIVE_INFINITY
  /** Where the last round of a class ended, if it was not at the end. */
  const resumeBehind: Record<LaneClass, Lane | null> = { transactional: null, bulk: null }

  async function round(kind: LaneClass): Promise<Lane[]> {
    const lanes = await repositories.lanes.listAcrossTeams(kind, resumeBehind[kind])
    resumeBehind[kind] = lanes.length === LANES_MAX ? (lanes.at(-1) ?? null) : null
    return lanes
  }

  return {
    /** Brings due work into its lanes. True: there may be more of it. */
    async promote(): Promise<boolean> {
      if (clock.monotonicMs() - promotedAtMs < PROMOTED_EVERY_MS) return false
      const isFull = (await repositories.lanes.promoteAcrossTeams(clock.now())) === PROMOTED_FULLY
      promotedAtMs = isFull ? Number.NEGATIVE_INFINITY : clock.monotonicMs()
      return isFull
    },

    async lanes(): Promise<Lane[]> {
      if (known.length === 0 || clock.monotonicMs() - readAtMs >= KEPT_MS) {
        known = (await Promise.all([round('transactional'), round('bulk')])).flat()
        readAtMs = clock.monotonicMs()
      }
      return known
    },

    /** A lane that gave less than it was asked for is empty for now. */
    note(allotments: Allotment[], claimed: ClaimedDelivery[]): void {
      const emptied = new Set(allotments.filter((one) => claimed.filter((delivery) => isIn(delivery, one)).length < one.count).map(keyOf))
      if (emptied.size > 0) known = known.filter((lane) => !emptied.has(keyOf(lane)))
    },
  }
}

const isIn = (a: Lane, b: Lane): boolean => a.destination === b.destination && a.teamId === b.teamId && a.class === b.class
const keyOf = ({ class: kind, teamId, destination }: Lane): string => `${kind} ${teamId} ${destination}`
