import type { Readable } from 'node:stream'
import { readSubmissionContent, type SubmissionContent } from '../../mail/submission/submission-content.ts'
import type { BlobStore } from '../files/blob-store.ts'

/** `besideKey`: of the blob in whose folder the files are stored. */
type Options = { besideKey: string; hasFingerprint: boolean }

/**
 * Stores the files of a message, and says what it holds.
 *
 * @throws what reading and storing throw; then nothing stays stored.
 */
export async function readSubmission(
  blobs: BlobStore,
  message: Readable | Buffer,
  { besideKey, hasFingerprint }: Options,
): Promise<SubmissionContent> {
  const files = blobs.putBeside(besideKey)
  const stored: string[] = []
  try {
    const content = await readSubmissionContent(message, {
      hasFingerprint,
      async storeFile(file) {
        const { key, bytes } = await files.put(file)
        stored.push(key)
        return { blobKey: key, bytes }
      },
    })
    await files.end()
    return content
  } catch (error) {
    await blobs.discard(stored)
    throw error
  }
}
