// The longest time of a processor that this thread spent without letting others have a turn. The time of other programs is not counted.

export function watchTurns(): { /** @returns milliseconds */ stop(): number } {
  let longestUs = 0
  let before = process.threadCpuUsage()
  const look = () => {
    const { user, system } = process.threadCpuUsage(before)
    longestUs = Math.max(longestUs, user + system)
    before = process.threadCpuUsage()
    looking = setImmediate(look)
  }
  let looking = setImmediate(look)
  return {
    stop() {
      clearImmediate(looking)
      const { user, system } = process.threadCpuUsage(before)
      return Math.max(longestUs, user + system) / 1_000
    },
  }
}

/** What `slowness` does takes so long on a quiet machine with a processor of 2.5 GHz. */
const USUAL_MS = 36
const TEXT = '\ufffd'.repeat(1_000_000)
const TIMES = 4

/** How many times as long as usual this thread takes for the same work just now, from 1 to 3: other programs share the processor's caches and units. */
export function slowness(): number {
  const before = process.threadCpuUsage()
  for (let time = 0; time < TIMES; time += 1) Buffer.from(TEXT)
  const { user, system } = process.threadCpuUsage(before)
  return Math.min(3, Math.max(1, (user + system) / 1_000 / USUAL_MS))
}
