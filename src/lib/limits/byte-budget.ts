// Bounds what is held in memory at once. A caller who wants more than is left waits until others give some back.

export type ByteBudget = {
  /** Resolves when there is room. A request for more than the whole budget runs alone. */
  take(bytes: number): Promise<void>
  giveBack(bytes: number): void
}

export function createByteBudget(bytesMax: number): ByteBudget {
  let taken = 0
  const waiting: { bytes: number; resolve: () => void }[] = []

  function serve(): void {
    for (let [next] = waiting; next && (taken === 0 || taken + next.bytes <= bytesMax); [next] = waiting) {
      waiting.shift()
      taken += next.bytes
      next.resolve()
    }
  }

  return {
    take(bytes) {
      return new Promise((resolve) => {
        waiting.push({ bytes, resolve })
        serve()
      })
    },
    giveBack(bytes) {
      taken -= bytes
      serve()
    },
  }
}
