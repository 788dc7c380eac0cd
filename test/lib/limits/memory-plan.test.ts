import { describe, expect, it } from 'vitest'
import { COPIES_OF_LARGE_BODY, COPIES_OF_SMALL_BODY, planMemory } from '../../../src/lib/limits/memory-plan.ts'

const MIB = 1024 * 1024
const plan = (mebibytes: number, { hasDatabase = false, requestBytesMax = 60 * MIB } = {}) =>
  planMemory({ limitBytes: mebibytes * MIB, requestBytesMax, hasDatabase })
const takenBy = ({ largeContentBytes, smallBodiesBytes, deliveriesBytes, ...images }: ReturnType<typeof plan>): number =>
  largeContentBytes * COPIES_OF_LARGE_BODY +
  smallBodiesBytes * COPIES_OF_SMALL_BODY +
  deliveriesBytes +
  (images.imageBytes - images.imageBytesOfLargeContent)

describe('the shares of content', () => {
  it.each([
    [512, false],
    [1_024, true],
    [1_024, false],
    [2_048, true],
    [24_000, true],
  ])('leave room for everything else in %s MB, with the embedded database: %s', (mebibytes, hasDatabase) => {
    expect(takenBy(plan(mebibytes, { hasDatabase }))).toBeLessThanOrEqual((mebibytes - 320 - (hasDatabase ? 384 : 0)) * MIB)
  })

  it('take no more of a large machine than has a use', () => {
    expect(plan(24_000)).toMatchObject({ largeContentBytes: 180 * MIB, smallBodiesBytes: 64 * MIB, deliveriesBytes: 64 * MIB })
  })

  it.each([
    [1_024, 256, 256],
    [2_048, 484, 0],
    [24_000, 704, 0],
  ])('leave images of %s MB %s MB, of which %s are there for large content otherwise', (mebibytes, image, ofLarge) => {
    const { imageBytes, imageBytesOfLargeContent } = plan(mebibytes, { hasDatabase: true })
    expect([Math.round(imageBytes / MIB), Math.round(imageBytesOfLargeContent / MIB)]).toEqual([image, ofLarge])
  })

  it('are never so small that nothing gets through', () => {
    expect(takenBy(plan(256, { hasDatabase: true }))).toBeGreaterThan(63 * MIB)
  })
})

it.each([
  [512, 256],
  [4_096, 2_048],
  [256, 192],
])('in %s MB the heap may take %s', (mebibytes, heapMebibytes) => {
  expect(plan(mebibytes).heapBytes).toBe(heapMebibytes * MIB)
})
