import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDiskSpace } from '../../../src/io/files/disk-space.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthaste-test-disk-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('the free-space watermark', () => {
  it('is not reached on a disk with room, and is reached when less is free than asked for', async () => {
    const clock = createMovingClock()
    expect(await createDiskSpace({ folders: [folder], clock, freeBytesMin: 1 }).isLow()).toBe(false)
    expect(await createDiskSpace({ folders: [folder], clock, freeBytesMin: Number.MAX_SAFE_INTEGER }).isLow()).toBe(true)
  })

  it('looks at the disk again only after a while, and answers from memory until then', async () => {
    const clock = createMovingClock()
    const gone = await mkdtemp(join(tmpdir(), 'posthaste-test-disk-'))
    const disk = createDiskSpace({ folders: [gone], clock, freeBytesMin: 1 })
    expect(await disk.isLow()).toBe(false)
    await rm(gone, { recursive: true })
    expect(await disk.isLow()).toBe(false)
    clock.advance(2_000)
    await expect(disk.isLow()).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('is reached by what is about to be written too, until the disk is looked at again', async () => {
    const clock = createMovingClock()
    const disk = createDiskSpace({ folders: ['/blobs'], clock, freeBytesMin: 100, freeBytesOf: async () => 150 })
    disk.use(1_000)
    expect(await disk.freeBytes()).toBe(150)
    disk.use(50)
    expect([await disk.isLow(), await disk.freeBytes()]).toEqual([false, 100])
    disk.use(1)
    expect(await disk.isLow()).toBe(true)
    clock.advance(2_000)
    expect(await disk.isLow()).toBe(false)
  })

  it('is reported once each time it is crossed, however often it is read', async () => {
    const clock = createMovingClock()
    const told: object[] = []
    let left = 100
    const disk = createDiskSpace({
      folders: ['/blobs', '/data'],
      clock,
      freeBytesMin: 100,
      onCrossing: (crossing) => told.push(crossing),
      freeBytesOf: async (folder) => (folder === '/data' ? left : 1_000),
    })
    for (const free of [100, 99, 50, 100, 99]) {
      left = free
      clock.advance(2_000)
      expect(await Promise.all([disk.isLow(), disk.freeBytes(), disk.isLow()])).toEqual([free < 100, free, free < 100])
    }
    expect(told).toEqual([
      { isLow: true, freeBytes: 99 },
      { isLow: false, freeBytes: 100 },
      { isLow: true, freeBytes: 99 },
    ])
  })
})
