import type { Readable } from 'node:stream'
import { readSubmissionContent, type SubmissionContent } from '../../mail/submission/submission-content.ts'
import type { BlobStore } from '../files/blob-store.ts'
import { storedBeside } from '../files/stored-beside.ts'

/** `besideKey`: of the blob in whose folder the files are stored. */
type Options = { besideKey: string; hasFingerprint: boolean }

/**
 * Stores the files of a message, and says what it holds.
 *
 * @throws what reading and storing throw; then nothing stays stored.
 */
export const readSubmission = (
  blobs: BlobStore,
  message: Readable | Buffer,
  { besideKey, hasFingerprint }: Options,
): Promise<SubmissionContent> =>
  storedBeside(blobs, besideKey, (storeFile) => readSubmissionContent(message, { hasFingerprint, storeFile }))
