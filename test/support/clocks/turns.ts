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
