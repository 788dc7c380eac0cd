// Everything that reads text from strangers takes time in proportion to its length, whatever the text.
import { expect, it } from 'vitest'
import { forEvery } from '../support/for-every.ts'
import { HOSTILE_PARTS } from './hostile-parts.ts'
import { TEXT_READERS } from './text-readers/text-readers.ts'

const LENGTH = 1_000_000

/** A linear reader takes less than a tenth of it. One whose time grows with the square takes many times as long. */
const CPU_MS_MAX = 2_000
const ATTEMPTS = 5

/**
 * Time of this thread alone: what else the machine does is not counted. A small part first, and four times as much each time: a slow reader is
 * caught before it takes hours. It is asked no further once it would be in time even if it took the square of it for the whole; or if that is
 * not far off, and it took no more than in proportion for a quarter: whatever grows with the square and fails at the whole would show by then.
 */
async function cpuMs(read: (text: string) => unknown, part: string, maxMs = CPU_MS_MAX): Promise<number> {
  let spentMs = 0
  for (const length of LENGTHS) {
    const earlierMs = spentMs
    spentMs = await cpuMsOf(read, part, length)
    const asSquareMs = spentMs * (LENGTH / length) ** 2
    if (spentMs > maxMs || asSquareMs <= maxMs) break
    if (asSquareMs > 3 * maxMs) continue
    // For the first of the lengths, the shorter one is read now. By then the code is compiled, so that its time is not too long.
    const quarterMs = length === LENGTHS[0] ? await cpuMsOf(read, part, length / 4) : earlierMs
    if (spentMs <= 5 * quarterMs) break
  }
  return spentMs
}

const LENGTHS = [LENGTH / 64, LENGTH / 16, LENGTH / 4, LENGTH]

async function cpuMsOf(read: (text: string) => unknown, part: string, length: number): Promise<number> {
  const text = `${part.repeat(Math.ceil(length / part.length))}x`
  const before = process.threadCpuUsage()
  await read(text)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

it('a megabyte of any part is read by each of them in time', { timeout: 900_000 }, () =>
  forEvery(
    TEXT_READERS,
    async ([, read]) => {
      const slow: Record<string, number> = {}
      for (const part of HOSTILE_PARTS) {
        let spentMs = await cpuMs(read, part)
        // Memory of earlier tests may have been collected meanwhile, or the machine have stood still: only what is slow each time is slow.
        for (let attempt = 1; attempt < ATTEMPTS && spentMs > CPU_MS_MAX; attempt++) spentMs = Math.min(spentMs, await cpuMs(read, part))
        if (spentMs > CPU_MS_MAX) slow[part] = spentMs
      }
      expect(slow).toEqual({})
    },
    ([name]) => name,
  ),
)

it('would tell of a pattern that is not linear', async () => {
  const quadratic = (text: string) => /<img\b[^>]*\bsrc="/i.test(text)
  // A quarter of a second is a hundred times what it takes to look at each character of a megabyte once.
  expect(await cpuMs(quadratic, '<img ', 250)).toBeGreaterThan(250)
})
