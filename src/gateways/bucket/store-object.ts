// Stores a content under a key, whole or not at all: in one request, or in parts that the store joins.
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { Failure } from '../../lib/failure.ts'
import { createTurns } from '../../lib/limits/turns.ts'
import { type BucketClient, objectKey } from './bucket-client.ts'
import type { SpooledContent } from './spooled-content.ts'
import { DIGEST } from './stored-object.ts'

/** At least 5 MiB, and at most 10,000 of them. */
const PART_BYTES = 8 * 1024 * 1024

/** Parts that a process holds in memory. */
const PARTS_AT_ONCE = 8

/** 8 Mbit/s on the whole, and 1.6 Mbit/s in one try. */
const [STORAGE_BYTES_PER_MS_MIN, UPLOAD_BYTES_PER_MS_MIN] = [1_000, 200]

const turns = createTurns({
  atOnceMax: { perKey: PARTS_AT_ONCE, inAll: PARTS_AT_ONCE },
  waitingMax: { perKey: 1_000, inAll: 1_000 },
  waitMsMax: 60_000,
  refusal: () => new Failure('unavailable', 'The service stores too many files at the moment. Try again later.', { retryAfterSeconds: 10 }),
})

export async function storeObject(client: BucketClient, key: string, content: SpooledContent): Promise<void> {
  const { bytes, sha256 } = content
  const abortSignal = AbortSignal.timeout(Math.ceil(client.limits.storageMsMax + bytes / STORAGE_BYTES_PER_MS_MIN))
  if (bytes > PART_BYTES) return storeInParts(client, key, { content, abortSignal })
  await turns.take('part', async () => {
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
      const etag = await turns.take('part', async () => {
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
