// Refuses new work while there is room to finish the old. PostgreSQL on a full disk stops for good; the service stops for a while.
import { statfs } from 'node:fs/promises'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'

/** The watermark: below it nothing new is accepted, so that there is room to deliver, log and clean up what was. */
export const FREE_BYTES_MIN = 256 * 1024 * 1024

/** How often the disk is checked. Other writers fill less than the watermark in this time. */
const LOOKED_AT_EVERY_MS = 2_000

export type DiskSpace = {
  /** Whether less than the watermark is free on one of the disks, as of a moment ago. */
  isLow(): Promise<boolean>
  /** Free bytes on the fullest of the disks, as of a moment ago. */
  freeBytes(): Promise<number>
  /** Bytes that are about to be written count at once, so that many writers together do not pass the watermark between two looks. */
  use(bytes: number): void
}

export function createDiskSpace({
  folders,
  clock,
  freeBytesMin = FREE_BYTES_MIN,
  onCrossing = () => {},
  freeBytesOf = askDisk,
}: {
  folders: string[]
  clock: Clock
  freeBytesMin?: number
  /** Called when the watermark is reached, and when there is room again, but not if there is room at the first check. */
  onCrossing?: (crossing: { isLow: boolean; freeBytes: number }) => void
  freeBytesOf?: (folder: string) => Promise<number>
}): DiskSpace {
  let known: { freeBytes: number; atMs: number } | null = null
  let looking: Promise<number> | null = null
  let wasLow = false

  async function look(): Promise<number> {
    const freeBytes = Math.min(...(await Promise.all(folders.map(freeBytesOf))))
    known = { freeBytes, atMs: clock.monotonicMs() }
    const isLow = freeBytes < freeBytesMin
    if (isLow !== wasLow) onCrossing({ isLow, freeBytes })
    wasLow = isLow
    return freeBytes
  }

  async function freeBytes(): Promise<number> {
    if (known && clock.monotonicMs() - known.atMs < LOOKED_AT_EVERY_MS) return known.freeBytes
    looking ??= look().finally(() => {
      looking = null
    })
    return looking
  }

  return {
    freeBytes,
    isLow: async () => (await freeBytes()) < freeBytesMin,
    use(bytes) {
      if (known) known.freeBytes -= bytes
    },
  }
}

/** Free bytes on the disk of a folder. */
export async function askDisk(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** An operator has to free a full disk. An earlier retry would only add load. */
const FULL_DISK_RETRY_AFTER_SECONDS = 60

/** No space, no quota, over the file size limit, or mounted read-only: an operator must fix each of them. */
const FULL_CODES: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS']

/** Fails with `unavailable` for a full disk, and with the error itself for any other. */
export function refuseFull(error: unknown): never {
  if (!(error instanceof Error && 'code' in error && FULL_CODES.includes(error.code))) throw error
  throw new Failure('unavailable', 'The service has no room to store files at the moment. Try again later.', {
    retryAfterSeconds: FULL_DISK_RETRY_AFTER_SECONDS,
    cause: error,
  })
}
