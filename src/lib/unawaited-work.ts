// Work that no answer waits for, but the end of the process does.

/** Does at most `max` of it at once: what is begun beyond that waits for a place. */
export function createUnawaitedWork({ max, onFailure }: { max: number; onFailure: (error: unknown) => void }) {
  const running = new Set<Promise<void>>()
  return {
    /** Returns once it has begun. */
    async begin(work: () => Promise<void>): Promise<void> {
      while (running.size >= max) await Promise.race(running)
      const one: Promise<void> = work()
        .catch(onFailure)
        .finally(() => running.delete(one))
      running.add(one)
    },

    /** Waits until all that has begun is over. */
    async ended(): Promise<void> {
      await Promise.all(running)
    },
  }
}
