// The thread of images: what takes it too long or too much memory is refused, and the next image is processed.
import { afterEach, expect, it } from 'vitest'
import type { ThreadLoss } from '../../../../src/io/threads/reading-thread.ts'
import { createImageWork, type ImageWork } from '../../../../src/modules/images/processing/image-work.ts'
import { largeWebp, png } from '../../../support/builders/images.ts'

const MIB = 1024 * 1024
const LARGE = { width: 5_000, height: 5_000 }
const PIXELS_MAX = 25_000_000
const TOO_MUCH =
  'The `content` field must be an image that this service can decode within 10 seconds and the memory that it has. Give it fewer pixels, or fewer frames.'

let work: ImageWork | undefined
afterEach(() => work?.close())

const taskOf = (bytes: Uint8Array, pixels = 12, type: 'image/png' | 'image/webp' = 'image/png') => ({
  ...{ bytes, type, isLossless: true, pixels, pixelsMax: PIXELS_MAX },
})

it('ends what takes too long', async () => {
  const losses: ThreadLoss[] = []
  work = createImageWork({ memoryBytesMax: 704 * MIB, deadlineMs: 100, onLoss: (loss) => losses.push(loss) })
  await expect(work.encodeAnew('team', taskOf(png(LARGE), PIXELS_MAX))).rejects.toThrow(TOO_MUCH)
  expect(losses).toMatchObject([{ reason: 'overdue', messages: 1 }])
  await work.close()
  work = createImageWork({ memoryBytesMax: 256 * MIB })
  expect(await work.encodeAnew('team', taskOf(png()))).toMatchObject({ width: 4, height: 3, frames: 1 })
})

it('refuses what needs more memory than it may take, however small the file is', async () => {
  work = createImageWork({ memoryBytesMax: 256 * MIB })
  await expect(work.encodeAnew('team', taskOf(largeWebp(LARGE), PIXELS_MAX, 'image/webp'))).rejects.toThrow(TOO_MUCH)
  expect(await work.encodeAnew('team', taskOf(png()))).toMatchObject({ width: 4 })
})

it('refuses what has more pixels for the decoder than its header said', async () => {
  work = createImageWork({ memoryBytesMax: 256 * MIB })
  await expect(work.encodeAnew('team', { ...taskOf(png({ width: 100, height: 100 })), pixelsMax: 9_999 })).rejects.toThrow(TOO_MUCH)
})

it('works on one at a time, and lets no team wait with more than a few', async () => {
  work = createImageWork({ memoryBytesMax: 256 * MIB })
  const encoding = work.encodeAnew
  const all = await Promise.allSettled([
    ...Array.from({ length: 8 }, () => encoding('team', taskOf(png()))),
    encoding('other', taskOf(png())),
  ])
  expect(all.map(({ status }) => status)).toEqual([...Array(6).fill('fulfilled'), 'rejected', 'rejected', 'fulfilled'])
  expect(String((all[6] as PromiseRejectedResult).reason)).toContain('Too many images are being processed')
})
