// Whose the stored files are. Files that no row names are removed after a day, so a database must never sweep those of another.
import type { PlatformContext } from '../http/platform.context.ts'
import type { BlobStore } from '../io/blobs/blob-store.ts'
import { STORE_MARK, type StoreMark } from '../io/blobs/store-mark.ts'
import { Failure } from '../lib/failure.ts'
import { StartupProblem } from '../lib/startup-problem.ts'

type Context = PlatformContext

type Store = { mark: StoreMark; blobs: Pick<BlobStore, 'keysBefore'> }

/**
 * Makes the store that of this database if it is empty, or if both are from a version that made no marks.
 *
 * @throws StartupProblem if it has files that are not known to be of this database
 */
export async function claimStorage({ mark, blobs }: Store, owners: Context['repositories']['storageOwner']): Promise<void> {
  const [marked, known] = await Promise.all([mark.read(), owners.find()])
  if (marked !== null && marked === known?.owner) return
  // Its own files, from before there were marks.
  const mayAdopt = marked === null && known?.isMarked === false
  if (!mayAdopt && (await hasBlobs(blobs))) throw ofOther(mark.where, { marked, known: known?.owner ?? null })
  const { owner } = await owners.findOrCreate()
  try {
    await mark.write(owner)
  } catch (error) {
    // A service whose disk is full starts, and delivers what it has accepted. Until a later start, no file is removed.
    if (error instanceof Failure && error.kind === 'unavailable') return
    throw error
  }
  await owners.setMarked()
}

async function hasBlobs(blobs: Store['blobs']): Promise<boolean> {
  for await (const keys of blobs.keysBefore(END_OF_TIME)) if (keys.length > 0) return true
  return false
}

const END_OF_TIME = new Date('9999-01-01T00:00:00Z')

function ofOther(where: string, { marked, known }: { marked: string | null; known: string | null }): StartupProblem {
  const files = marked === null ? `${where} has files that are not marked as` : `The files in ${where} are`
  const which = marked === null ? 'those of this database' : 'those of another database'
  const remedy =
    known === null
      ? 'The database is new: set DATABASE_URL, DATA_DIR and STORAGE_URL to what belongs together, or name an empty place for the files.'
      : `Set DATABASE_URL, DATA_DIR and STORAGE_URL to what belongs together. If these files are of this database, write ${known} into ${where.replace(/\/$/, '')}/${STORE_MARK}.`
  return new StartupProblem(`${files} ${which}, which would delete them as orphans. ${remedy}`)
}
