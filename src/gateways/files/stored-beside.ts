import type { Readable } from 'node:stream'
import type { BlobStore } from './blob-store.ts'

/** Stores a file, and says how long it was. */
export type StoreBeside = (file: Readable) => Promise<{ blobKey: string; bytes: number }>

/**
 * Does work that stores files in the folder of a blob.
 *
 * @throws what the work and storing throw; then nothing stays stored.
 */
export async function storedBeside<Result>(
  blobs: Pick<BlobStore, 'putBeside' | 'discard'>,
  besideKey: string,
  work: (store: StoreBeside) => Promise<Result>,
): Promise<Result> {
  const files = blobs.putBeside(besideKey)
  const stored: string[] = []
  try {
    const result = await work(async (file) => {
      const { key, bytes } = await files.put(file)
      stored.push(key)
      return { blobKey: key, bytes }
    })
    await files.end()
    return result
  } catch (error) {
    await blobs.discard(stored)
    throw error
  }
}
