// Keeps a message while it arrives: a small one in memory, a large one on the disk.
import { Readable } from 'node:stream'
import type { Context } from '../../context.ts'
import { createId } from '../../lib/ids.ts'
import { HEAD_BYTES_MAX } from '../../mail/submission/head.ts'
import { type ArrivingContent, discardRest, watchedContent } from '../message-intake.ts'

export type Spooled = { beginning: Buffer; blobKey: string | null; bytes: number }

type Blobs = Context['gateways']['blobs']

/** A small message is stored in its row. It holds the largest header, so that this is read from memory. */
const SMALL_BYTES_MAX = HEAD_BYTES_MAX

/** @throws Refusal for what the message is; whatever the store and the stream throw. */
export async function spoolMessage(blobs: Blobs, arriving: ArrivingContent): Promise<Spooled> {
  const pieces = watchedContent(arriving)
  try {
    const first: Buffer[] = []
    let bytes = 0
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
      first.push(next.value)
      bytes += next.value.length
      if (bytes > SMALL_BYTES_MAX) return await storeLarge(blobs, { first: Buffer.concat(first), rest: pieces })
    }
    return { beginning: Buffer.concat(first), blobKey: null, bytes }
  } catch (error) {
    await discardRest(arriving)
    throw error
  }
}

async function storeLarge(blobs: Blobs, { first, rest }: { first: Buffer; rest: AsyncGenerator<Buffer> }): Promise<Spooled> {
  const blobKey = createId()
  const { bytes } = await blobs.put(blobKey, Readable.from(beginningWith(first, rest), { objectMode: false }))
  return { beginning: first, blobKey, bytes }
}

async function* beginningWith(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first
  yield* rest
}
