// Items that wait, handed out in turns: an owner with many of them does not hold up the others.

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
