// While a backup copies blobs, none is removed: rows are copied first, and each of them must find its blob. Every process that uses the folder sees the
// mark. What is not removed has no row any longer, so the sweep removes it later.
import { open, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { StartupProblem } from '../../lib/startup-problem.ts'

const MARK = 'kept-for-backup'
const RENEWED_EVERY_MS = 10_000
/** The mark of a backup that was killed holds nothing up for longer. */
const VALID_MS = 120_000

/** Returns the function that ends it. */
export async function keepBlobs(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, MARK)
  const renew = async (): Promise<void> => {
    const file = await open(path, 'a', 0o600)
    await file.close()
    const now = new Date()
    await utimes(path, now, now)
  }
  await renew().catch((error) => {
    throw new StartupProblem(
      `${path} cannot be written, and without it the service may remove files that the backup needs: ${error.message}.`,
      {
        cause: error,
      },
    )
  })
  const timer = setInterval(() => void renew().catch(() => {}), RENEWED_EVERY_MS)
  return async () => {
    clearInterval(timer)
    await rm(path, { force: true })
  }
}

export async function areBlobsKept(folder: string, now: Date): Promise<boolean> {
  const mark = await stat(join(folder, MARK)).catch(() => null)
  return mark !== null && Math.abs(now.getTime() - mark.mtimeMs) < VALID_MS
}
