import type { Readable } from 'node:stream'
import type { EncodedContent } from '../../lib/inbound/received-content.ts'
import { utf8 } from '../../lib/utf8.ts'
import { readReceivedMessage } from '../../mail/received/received-content.ts'
import type { BlobStore } from '../files/blob-store.ts'
import { storedBeside } from '../files/stored-beside.ts'

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
