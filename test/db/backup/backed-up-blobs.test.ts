import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sizeOfBlobs } from '../../../src/db/backup/backed-up-blobs.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backed-up-blobs-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the bytes that a backup will copy', () => {
  it('are those of all blobs, however many are asked for at once, and none of one that is missing', async () => {
    const keys = join(folder, 'keys')
    await writeFile(keys, Array.from({ length: 100 }, (_, number) => `${number}\n`).join(''))
    const sizeOf = async (key: string) => {
      await new Promise(setImmediate)
      return key === '50' ? null : Number(key)
    }

    expect(await sizeOfBlobs(keys, sizeOf)).toBe(4_950 - 50)
  })
})
