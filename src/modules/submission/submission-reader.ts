import type { Readable } from 'node:stream'
import type { BlobStore } from '../../io/blobs/blob-store.ts'
import type { BlobPlace } from '../../io/blobs/open-blobs.ts'
import { storedBeside } from '../../io/blobs/store-mark.ts'
import { createReadingThread, type ThreadLoss } from '../../io/threads/reading-thread.ts'
import { Failure } from '../../lib/failure.ts'
import { createId } from '../../lib/ids.ts'
import { threadFile } from '../../lib/source-files.ts'
import { readSubmissionContent, type SubmissionContent } from './submission-content.ts'

/** `besideKey`: of the blob in whose folder the files are stored. */
type ReadingOptions = { besideKey: string; hasFingerprint: boolean }

/**
 * Stores the files of a message, and says what it holds.
 *
 * @throws what reading and storing throw; then nothing stays stored.
 */
export const readSubmission = (
  blobs: BlobStore,
  message: Readable | Buffer,
  { besideKey, hasFingerprint }: ReadingOptions,
): Promise<SubmissionContent> =>
  storedBeside(blobs, besideKey, (storeFile) => readSubmissionContent(message, { hasFingerprint, storeFile }))

// Reads messages that were submitted: a small one at once, a large one in a thread, because reading it may take seconds of a processor.

export type SubmissionReader = {
  /**
   * Stores its files, and says what it holds.
   *
   * @param message a small one itself, or the blob of a large one
   * @throws Failure `unavailable` if it took too long, there is no thread, or no room on the disk; errors for faults of our own.
   */
  read(message: Buffer | { blobKey: string }, options: { hasFingerprint: boolean }): Promise<SubmissionContent>
  /** Ends the thread. What waits fails. */
  close(): Promise<void>
}

export type SubmissionTask = { blobKey: string; hasFingerprint: boolean }

export type ThreadSettings = BlobPlace

/** The largest message takes four seconds of a processor, and some are read at once. Clients wait for ten minutes (RFC 5321, section 4.5.3.2.6). */
const DEADLINE_MS = 60_000

type Options = ThreadSettings & { blobs: BlobStore; deadlineMs?: number; file?: URL; onLoss?: (loss: ThreadLoss) => void }

export function createSubmissionReader({
  blobs,
  blobFolder,
  bucket,
  deadlineMs = DEADLINE_MS,
  file = threadFile('submission-thread', import.meta),
  onLoss,
}: Options): SubmissionReader {
  const thread = createReadingThread<SubmissionTask, SubmissionContent>({
    ...{ what: 'messages that were submitted', file, deadlineMs, onLoss },
    settings: { blobFolder, bucket } satisfies ThreadSettings,
  })
  return {
    async read(message, { hasFingerprint }) {
      if (Buffer.isBuffer(message)) return readSubmission(blobs, message, { besideKey: createId(), hasFingerprint })
      const content = await thread.read({ ...message, hasFingerprint })
      if (content === 'overdue') throw new Failure('unavailable', 'The message could not be read in time. Please send it again later.')
      return content
    },
    close: () => thread.close(),
  }
}
