// Reads received messages in threads of their own.
import type { Readable } from 'node:stream'
import type { BlobStore } from '../../../io/blobs/blob-store.ts'
import type { BlobPlace } from '../../../io/blobs/open-blobs.ts'
import { storedBeside } from '../../../io/blobs/store-mark.ts'
import { createReadingThread, type ReadingThread, type ThreadLoss } from '../../../io/threads/reading-thread.ts'
import { threadFile } from '../../../lib/source-files.ts'
import { utf8 } from '../../../lib/text.ts'
import { type EncodedContent, readReceivedMessage } from '../content/received-content.ts'
import type { Verdicts } from '../content/sender-verdicts.ts'
import type { Origin } from '../content/verdicts.ts'

/**
 * Stores the files of a message beside it, and says what it holds.
 *
 * @throws what reading and storing throw; then no file stays stored.
 */
export const readContent = (blobs: BlobStore, blobKey: string, message: Readable | Buffer): Promise<EncodedContent> =>
  storedBeside(blobs, blobKey, async (storeFile) => {
    const { html, text, ...content } = await readReceivedMessage(message, storeFile)
    return { ...content, html: utf8(html), text: utf8(text) }
  })

// What the thread that reads received messages is asked, and what it answers.

/** `bytes`: of the message. */
export type ReceivedTask = Origin & { blobKey: string; bytes: number }

/** 'missing': there is no such blob. */
export type ReadEmail = { content: EncodedContent; verdicts: Verdicts } | 'missing'

export type ThreadSettings = BlobPlace & { dnsServers: readonly string[]; mailHostname: string }

export type ReceivedReader = {
  /**
   * 'overdue': this message, or another that was read beside it, took too long.
   *
   * @param isAlone in a thread where nothing else is read: for a message that may have ended one before
   * @throws Failure `unavailable` if there is no thread, or no room on the disk; errors for faults of our own.
   */
  read(task: ReceivedTask, options?: { isAlone?: boolean }): Promise<ReadEmail | 'overdue'>
  /** Ends the threads. What waits fails. */
  close(): Promise<void>
}

/** The largest message takes four seconds of a processor, and the DNS up to ten. */
const DEADLINE_MS = 25_000

/** `aloneBytesMin`: messages of this size are read alone, in a thread that ends afterwards, because it takes 110 MB then, and would keep them. */
type Options = { deadlineMs?: number; aloneBytesMin?: number; file?: URL; onLoss?: (loss: ThreadLoss) => void }

export function createReceivedReader(
  settings: ThreadSettings,
  {
    deadlineMs = DEADLINE_MS,
    aloneBytesMin = Number.POSITIVE_INFINITY,
    file = threadFile('received-thread', import.meta),
    onLoss,
  }: Options = {},
): ReceivedReader {
  const create = (): ReadingThread<ReceivedTask, ReadEmail> =>
    createReadingThread({ what: 'received messages', file, settings, deadlineMs, onLoss })
  const [together, alone] = [create(), create()]
  return {
    async read(task, { isAlone = false } = {}) {
      const isLarge = task.bytes >= aloneBytesMin
      try {
        return await (isAlone || isLarge ? alone : together).read(task)
      } finally {
        if (isLarge) await alone.rest()
      }
    },
    close: async () => void (await Promise.all([together.close(), alone.close()])),
  }
}
