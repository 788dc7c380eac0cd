// Reads an object to its end, however often the connection is cut, and compares its digest.
import { createHash, type Hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import { Failure } from '../../lib/failure.ts'
import type { ByteRange } from '../files/blob-store.ts'
import { type BucketClient, objectKey } from './bucket-client.ts'
import { failureOf, readingFailure } from './bucket-errors.ts'

/** An object as metadata have its digest: of all of it, however many parts it was stored in. */
export const DIGEST = 'sha256'

/** In all, so that a server that cuts every connection after a few bytes ends it. */
const RESUMPTIONS_MAX = 10

type Part = { body: Readable; bytes: number; etag: string | null; sha256: string | null }

/**
 * The stream fails with `unavailable` if the store falls silent or its connection is cut too often, and at its end if the digest is not that of what
 * was stored. Of a range there is no digest: only its length is compared.
 *
 * @throws Failure `notFound` if there is no such blob
 */
export async function openObject(client: BucketClient, key: string, range?: ByteRange): Promise<Readable> {
  const start = range?.start ?? 0
  const first = await get(client, key, { from: start, end: range?.end, etag: null })
  let current = first
  const end = start + first.bytes

  async function* pieces(): AsyncGenerator<Buffer> {
    const hash = range === undefined && first.sha256 !== null ? createHash('sha256') : null
    let at = start
    for (let resumptions = 0; ; resumptions += 1) {
      try {
        for await (const piece of unsilenced(current.body, client.limits.silenceMsMax)) {
          hash?.update(piece)
          at += piece.length
          yield piece
        }
        if (at >= end) return compare(key, hash, first.sha256)
        throw new Error(`the content ended ${end - at} bytes early`)
      } catch (error) {
        current.body.destroy()
        if (error instanceof DamagedBlob || resumptions >= RESUMPTIONS_MAX)
          throw error instanceof DamagedBlob ? error : readingFailure(error)
        current = await get(client, key, { from: at, end: end - 1, etag: first.etag })
      }
    }
  }

  const stream = Readable.from(pieces(), { objectMode: false })
  // A reader may leave before the first piece was asked for.
  stream.once('close', () => current.body.destroy())
  return stream
}

/** What is in the store is not what was stored. */
class DamagedBlob extends Failure {
  constructor(key: string) {
    super('unavailable', `The stored file ${key} is not what was stored: its SHA-256 differs.`)
    this.name = 'DamagedBlob'
  }
}

function compare(key: string, hash: Hash | null, sha256: string | null): void {
  if (hash !== null && hash.digest('hex') !== sha256) throw new DamagedBlob(key)
}

type Asked = { from: number; end: number | undefined; etag: string | null }

async function get(client: BucketClient, key: string, { from, end, etag }: Asked): Promise<Part> {
  const isWhole = from === 0 && end === undefined
  try {
    const answer = await client.s3.send(
      new GetObjectCommand({
        ...{ Bucket: client.bucket.name, Key: objectKey(client, key) },
        ...(!isWhole && { Range: `bytes=${from}-${end ?? ''}` }),
        // Another content under the same key must not be joined to the beginning of the first.
        ...(etag !== null && { IfMatch: etag }),
      }),
    )
    const { Body: body, ContentLength: bytes, ETag: found, Metadata: metadata } = answer
    if (!(body instanceof Readable) || bytes === undefined) throw new Error('The store answered without a content')
    // Errors are met where it is read, which may be later.
    body.on('error', () => {})
    return { body, bytes, etag: found ?? null, sha256: metadata?.[DIGEST] ?? null }
  } catch (error) {
    throw failureOf(error, 'read')
  }
}

/** Fails if the store is silent for too long while a piece is waited for. The reader may take as long as it likes. */
async function* unsilenced(body: Readable, silenceMsMax: number): AsyncGenerator<Buffer> {
  const pieces: AsyncIterator<Buffer> = body[Symbol.asyncIterator]()
  try {
    for (;;) {
      const silence = Promise.withResolvers<never>()
      const timer = setTimeout(() => silence.reject(new Error('the store fell silent')), silenceMsMax)
      const next = pieces.next()
      // If the silence wins, nothing waits for it any longer.
      next.catch(() => {})
      const { done, value } = await Promise.race([next, silence.promise]).finally(() => clearTimeout(timer))
      if (done) return
      yield value
    }
  } finally {
    body.destroy()
  }
}
