// Room for a number of bytes at once. Each owner may take a share at most, so that others find some left.

/** Takes room for what a request makes, until it is answered. @throws Failure `unavailable` if there is none. */
export type TakeRoom = (bytes: number) => void

export type SharedRoom = {
  readonly bytesMax: number
  readonly shareBytesMax: number
  /** Takes nothing if all of the room, or the owner's share of it, is taken. */
  take(owner: string, bytes: number): 'taken' | 'full' | 'shareFull'
  giveBack(owner: string, bytes: number): void
}

export function createSharedRoom({ bytesMax, shareBytesMax }: { bytesMax: number; shareBytesMax: number }): SharedRoom {
  const shares = new Map<string, number>()
  let taken = 0

  function add(owner: string, bytes: number): void {
    const share = (shares.get(owner) ?? 0) + bytes
    taken += bytes
    if (share === 0) shares.delete(owner)
    else shares.set(owner, share)
  }

  return {
    bytesMax,
    shareBytesMax,
    take(owner, bytes) {
      if ((shares.get(owner) ?? 0) + bytes > shareBytesMax) return 'shareFull'
      if (taken + bytes > bytesMax) return 'full'
      add(owner, bytes)
      return 'taken'
    },
    giveBack: (owner, bytes) => add(owner, -bytes),
  }
}
