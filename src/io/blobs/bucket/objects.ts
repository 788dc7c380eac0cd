// The mark of `keepBlobs` (io/blobs/blob-store.ts), as an object: while a backup copies blobs, no process removes any.

import { createHash, type Hash, randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { within } from '../../../lib/clock.ts'
import { Failure } from '../../../lib/failure.ts'
import { createFairSemaphore } from '../../../lib/limits/fair-semaphore.ts'
import { StartupProblem } from '../../../lib/startup-problem.ts'
import { refuseFull } from '../../files/disk-space.ts'
import type { ByteRange } from '../blob-store.ts'
import { type BucketClient, objectKey, readingFailure, storeTime, toFailure, toStartupProblem } from './bucket-client.ts'

const RENEWED_EVERY_MS = 60_000
/** Much longer than it takes to renew it. A mark that a kill left only delays what the sweep removes. */
const VALID_MS = 30 * 60_000

const markOf = ({ bucket }: BucketClient) => ({ Bucket: bucket.name, Key: `${bucket.prefix}kept-for-backup` })

/** Returns the function that ends it. */
export async function keepObjects(client: BucketClient): Promise<() => Promise<void>> {
  const renew = () => client.s3.send(new PutObjectCommand({ ...markOf(client), Body: Buffer.alloc(0) }))
  await renew().catch((error) => {
    throw toStartupProblem(error, client.bucket)
  })
  const timer = setInterval(() => void renew().catch(() => {}), RENEWED_EVERY_MS)
  return async () => {
    clearInterval(timer)
    await client.s3.send(new DeleteObjectCommand(markOf(client))).catch((error) => {
      throw new StartupProblem(`The mark ${markOf(client).Key} could not be removed: delete it, so that files can be removed again.`, {
        cause: toFailure(error, 'remove'),
      })
    })
  }
}

export async function areObjectsKept(client: BucketClient, now: Date, abortSignal: AbortSignal): Promise<boolean> {
  try {
    const { LastModified: markedAt } = await client.s3.send(new HeadObjectCommand(markOf(client)), { abortSignal })
    return markedAt !== undefined && Math.abs(storeTime(client, now).getTime() - markedAt.getTime()) < VALID_MS
  } catch (error) {
    if (error instanceof Error && (error.name === 'NotFound' || error.name === 'NoSuchKey')) return false
    throw error
  }
}

// A content that is known whole before it is sent: its length, its digest, and any part of it as often as it is tried.

export type SpooledContent = {
  bytes: number
  /** SHA-256, in hexadecimal. */
  sha256: string
  part(start: number, end: number): Promise<Buffer>
  close(): Promise<void>
}

/** More than this goes to the disk, so that many large contents at once need little memory. */
const MEMORY_BYTES_MAX = 256 * 1024

/** @throws Failure `unavailable` if the disk is full; errors of the stream pass through. */
export async function spool(content: Readable | Buffer, temporaryFolder: string): Promise<SpooledContent> {
  if (Buffer.isBuffer(content)) return inMemory(content)
  const first: Buffer[] = []
  let bytes = 0
  const pieces: AsyncIterator<Buffer | string> = content[Symbol.asyncIterator]()
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    const piece = Buffer.from(next.value)
    first.push(piece)
    bytes += piece.length
    if (bytes > MEMORY_BYTES_MAX) return onDisk(first, pieces, temporaryFolder).catch(refuseFull)
  }
  return inMemory(Buffer.concat(first))
}

const inMemory = (content: Buffer): SpooledContent => ({
  bytes: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
  part: async (start, end) => content.subarray(start, end),
  close: async () => {},
})

async function onDisk(first: Buffer[], rest: AsyncIterator<Buffer | string>, temporaryFolder: string): Promise<SpooledContent> {
  const file = await openNameless(temporaryFolder)
  try {
    const hash = createHash('sha256')
    let bytes = 0
    const write = async (piece: Buffer): Promise<void> => {
      hash.update(piece)
      for (let at = 0; at < piece.length; ) at += (await file.write(piece, at, piece.length - at, bytes + at)).bytesWritten
      bytes += piece.length
    }
    for (const piece of first) await write(piece)
    for (let next = await rest.next(); !next.done; next = await rest.next()) await write(Buffer.from(next.value))
    return { bytes, sha256: hash.digest('hex'), part: (start, end) => read(file, start, end), close: () => file.close() }
  } catch (error) {
    await file.close()
    await rest.return?.()
    throw error
  }
}

/** Without a name it is gone when the process ends, however that is. */
async function openNameless(folder: string): Promise<FileHandle> {
  const path = join(folder, randomUUID())
  const file = await open(path, 'wx+', 0o600)
  await rm(path)
  return file
}

async function read(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const part = Buffer.allocUnsafe(end - start)
  for (let at = 0; at < part.length; ) {
    const { bytesRead } = await file.read(part, at, part.length - at, start + at)
    if (bytesRead === 0) throw new Error('A spooled file is shorter than what was written')
    at += bytesRead
  }
  return part
}

// Reads an object to its end, however often the connection is cut, and compares its digest.

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
    throw toFailure(error, 'read')
  }
}

/** Fails if the store is silent for too long while a piece is waited for. The reader may take as long as it likes. */
async function* unsilenced(body: Readable, silenceMsMax: number): AsyncGenerator<Buffer> {
  const pieces: AsyncIterator<Buffer> = body[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done, value } = await within(silenceMsMax, pieces.next(), () => {
        throw new Error('the store fell silent')
      })
      if (done) return
      yield value
    }
  } finally {
    body.destroy()
  }
}

// Stores a content under a key, whole or not at all: in one request, or in parts that the store joins.

/** At least 5 MiB, and at most 10,000 of them. */
const PART_BYTES = 8 * 1024 * 1024

/** Parts that a process holds in memory. */
const PARTS_AT_ONCE = 8

/** 8 Mbit/s on the whole, and 1.6 Mbit/s in one try. */
const [STORAGE_BYTES_PER_MS_MIN, UPLOAD_BYTES_PER_MS_MIN] = [1_000, 200]

const semaphore = createFairSemaphore({
  atOnceMax: { perKey: PARTS_AT_ONCE, inAll: PARTS_AT_ONCE },
  waitingMax: { perKey: 1_000, inAll: 1_000 },
  waitMsMax: 60_000,
  refusal: () => new Failure('unavailable', 'The service stores too many files at the moment. Try again later.', { retryAfterSeconds: 10 }),
})

export async function storeObject(client: BucketClient, key: string, content: SpooledContent): Promise<void> {
  const { bytes, sha256 } = content
  const abortSignal = AbortSignal.timeout(Math.ceil(client.limits.storageMsMax + bytes / STORAGE_BYTES_PER_MS_MIN))
  if (bytes > PART_BYTES) return storeInParts(client, key, { content, abortSignal })
  await semaphore.run('part', async () => {
    const command = { ...placeOf(client, key), Body: await content.part(0, bytes), Metadata: { [DIGEST]: sha256 } }
    await client.s3.send(new PutObjectCommand(command), { abortSignal, ...uploading(client, bytes) })
  })
}

type InParts = { content: SpooledContent; abortSignal: AbortSignal }

async function storeInParts(client: BucketClient, key: string, { content, abortSignal }: InParts): Promise<void> {
  const { s3, limits } = client
  const place = placeOf(client, key)
  const begin = new CreateMultipartUploadCommand({ ...place, Metadata: { [DIGEST]: content.sha256 } })
  const { UploadId: uploadId } = await s3.send(begin, { abortSignal })
  if (uploadId === undefined) throw new Error('The store began an upload without a name')
  try {
    const parts: { PartNumber: number; ETag: string | undefined }[] = []
    for (let start = 0; start < content.bytes; start += PART_BYTES) {
      const number = parts.length + 1
      const etag = await semaphore.run('part', async () => {
        const part = await content.part(start, Math.min(content.bytes, start + PART_BYTES))
        const command = new UploadPartCommand({ ...place, UploadId: uploadId, PartNumber: number, Body: part })
        return (await s3.send(command, { abortSignal, ...uploading(client, part.length) })).ETag
      })
      parts.push({ PartNumber: number, ETag: etag })
    }
    await s3.send(new CompleteMultipartUploadCommand({ ...place, UploadId: uploadId, MultipartUpload: { Parts: parts } }), {
      abortSignal,
      ...uploading(client, content.bytes),
    })
  } catch (error) {
    // What stays is removed by the sweep of leftovers.
    const end = new AbortMultipartUploadCommand({ ...place, UploadId: uploadId })
    await s3.send(end, { abortSignal: AbortSignal.timeout(limits.removalMsMax) }).catch(() => {})
    throw error
  }
}

const placeOf = (client: BucketClient, key: string) => ({ Bucket: client.bucket.name, Key: objectKey(client, key) })

/** The limits of one try, until its answer begins. */
const uploading = ({ limits }: BucketClient, bytes: number) => ({
  requestTimeout: Math.ceil(limits.silenceMsMax + bytes / UPLOAD_BYTES_PER_MS_MIN),
})
