// The time of a processor that this thread needs. What other programs do meanwhile is not counted, but collecting memory of earlier tests is, and on some
// machines the time in which they stand still.

const ATTEMPTS = 5

/** The least of several attempts, in milliseconds: only what is slow each time is slow. Ends with the first that takes less than `enoughMs`. */
export async function leastCpuMs(act: () => unknown, enoughMs: number): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY
  for (let attempt = 1; attempt <= ATTEMPTS && leastMs >= enoughMs; attempt++) {
    const before = process.threadCpuUsage()
    await act()
    // That of the system grows several times on a busy virtual machine.
    leastMs = Math.min(leastMs, process.threadCpuUsage(before).user / 1_000)
  }
  return leastMs
}
