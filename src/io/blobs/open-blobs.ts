// The blobs of this installation, wherever STORAGE_URL says that they are.
import { readdir } from 'node:fs/promises'
import type { Clock } from '../../lib/clock.ts'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { type BlobStore, blobSize, createFileBlobStore, keepBlobs, openBlob } from './blob-store.ts'
import type { Bucket } from './storage-url.ts'
import { createFolderMark, type StoreMark } from './store-mark.ts'

/** With a bucket, the folder has only what is on its way there. */
export type BlobPlace = { blobFolder: string; bucket: Bucket | null }

/** @throws StartupProblem if they cannot be stored there */
export async function openBlobs(
  { blobFolder, bucket }: BlobPlace,
  { clock, isChecked }: { clock?: Clock; isChecked: boolean },
): Promise<OpenedBlobs> {
  if (bucket === null) return { blobs: await createFileBlobStore(blobFolder, clock), mark: createFolderMark(blobFolder), answers: null }
  const { openBucket } = await import('./bucket/bucket-blob-store.ts')
  return openBucket(bucket, { folder: blobFolder, clock, isChecked })
}

/** `answers`: whether the bucket does; null for a folder, whose disk is looked at elsewhere. */
export type OpenedBlobs = { blobs: BlobStore; mark: StoreMark; answers: (() => Promise<boolean>) | null }

/** What commands need. A folder is left as it is. */
export type StoredBlobs = Pick<BlobStore, 'open' | 'size'> & {
  /** The place, for people to read. */
  where: string
  /** While a backup copies them, no process removes any. Returns the function that ends it. */
  keepAll(): Promise<() => Promise<void>>
  isEmpty(): Promise<boolean>
}

export async function openStoredBlobs({ blobFolder, bucket }: BlobPlace): Promise<StoredBlobs> {
  if (bucket !== null) {
    const { openBucket } = await import('./bucket/bucket-blob-store.ts')
    const { blobs, keepAll, isEmpty } = await openBucket(bucket, { folder: blobFolder })
    return { open: blobs.open, size: blobs.size, where: `s3://${bucket.name}/${bucket.prefix}`, keepAll, isEmpty }
  }
  return {
    open: (key, range) => openBlob(blobFolder, key, range),
    size: (key) => blobSize(blobFolder, key),
    where: blobFolder,
    keepAll: () => keepBlobs(blobFolder),
    isEmpty: () => isMissingOrEmpty(blobFolder),
  }
}

async function isMissingOrEmpty(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length === 0
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    if (code === 'ENOENT') return true
    throw new StartupProblem(`${folder} cannot be read (${code}): name another place (STORAGE_URL, DATA_DIR).`, { cause: error })
  }
}
