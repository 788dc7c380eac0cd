// Divides room among owners, so that one who wants all of it takes none from the others.

export type FairShares = {
  /** False if the owner may not have as much now. */
  take(owner: string, size: number): boolean
  giveBack(owner: string, size: number): void
}

/**
 * An owner may have this many times as much as is free. So one alone gets two thirds of what is shared, and two that want all of it two fifths each:
 * the dynamic thresholds by which network switches divide their memory among queues.
 */
const OF_FREE_MAX = 2

/**
 * The part of the room that is kept for owners that have nothing. Many owners that want all of it leave a place for the next one, until as many as
 * fit here hold one each.
 */
const RESERVED_PART = 0.1

/** @param room in the unit of the sizes */
export function createFairShares(room: number): FairShares {
  const taken = new Map<string, number>()
  const reserved = room * RESERVED_PART
  let free = room
  return {
    take(owner, size) {
      const had = taken.get(owner) ?? 0
      const own = had + size
      const isFirst = had === 0 && size <= reserved
      if (isFirst ? size > free : own > OF_FREE_MAX * (free - reserved - size)) return false
      taken.set(owner, own)
      free -= size
      return true
    },
    giveBack(owner, size) {
      const left = (taken.get(owner) ?? 0) - size
      if (left > 0) taken.set(owner, left)
      else taken.delete(owner)
      free += size
    },
  }
}
