// Items that wait, handed out in turns: an owner with many of them does not hold up the others.
import { createKeyCounts } from './counts.ts'

export type FairQueue<Item> = {
  /** False if as many wait as may, of this owner or in all: the item is not taken. */
  add(owner: string, item: Item): boolean
  /** The first item of the owner whose turn it is; undefined if none waits. */
  take(): Item | undefined
}

export function createFairQueue<Item>({
  itemsMax,
  itemsPerOwnerMax = itemsMax,
}: {
  itemsMax: number
  itemsPerOwnerMax?: number
}): FairQueue<Item> {
  /** The lines, in the order of their turns. */
  const lines = new Map<string, Item[]>()
  let count = 0
  return {
    add(owner, item) {
      const line = lines.get(owner)
      if (count >= itemsMax || (line?.length ?? 0) >= itemsPerOwnerMax) return false
      count += 1
      if (line === undefined) lines.set(owner, [item])
      else line.push(item)
      return true
    },
    take() {
      const [next] = lines
      if (next === undefined) return undefined
      const [owner, line] = next
      count -= 1
      lines.delete(owner)
      const item = line.shift()
      if (line.length > 0) lines.set(owner, line)
      return item
    },
  }
}

// Divides room among owners, so that one who wants all of it takes none from the others.

export type FairQuota = {
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
export function createFairQuota(room: number): FairQuota {
  const taken = createKeyCounts()
  const reserved = room * RESERVED_PART
  return {
    take(owner, size) {
      const free = room - taken.total
      const had = taken.of(owner)
      const own = had + size
      const isFirst = had === 0 && size <= reserved
      if (isFirst ? size > free : own > OF_FREE_MAX * (free - reserved - size)) return false
      taken.add(owner, size)
      return true
    },
    giveBack: taken.takeAway,
  }
}
