// Refuses new work while there is still room to finish the old: PostgreSQL on a full disk stops for good, we stop for a while.
import { statfs } from 'node:fs/promises'
import type { Clock } from '../lib/clock.ts'

/** Room for what was accepted to be delivered, logged and cleaned up. */
export const FREE_BYTES_MIN = 256 * 1024 * 1024
/** The disk is looked at this often: fast writers fill less than the watermark meanwhile. */
const LOOKED_AT_EVERY_MS = 2_000

export type DiskSpace = {
  /** Whether less than the watermark is free on one of the disks, as of a moment ago. */
  isLow(): Promise<boolean>
}

export function createDiskSpace({
  folders,
  clock,
  freeBytesMin = FREE_BYTES_MIN,
}: {
  folders: string[]
  clock: Clock
  freeBytesMin?: number
}): DiskSpace {
  let known: { isLow: boolean; atMs: number } | null = null
  let looking: Promise<boolean> | null = null

  async function look(): Promise<boolean> {
    const free = await Promise.all(folders.map(freeBytes))
    const isLow = Math.min(...free) < freeBytesMin
    known = { isLow, atMs: clock.monotonicMs() }
    return isLow
  }

  return {
    async isLow() {
      if (known && clock.monotonicMs() - known.atMs < LOOKED_AT_EVERY_MS) return known.isLow
      looking ??= look().finally(() => {
        looking = null
      })
      return looking
    },
  }
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
