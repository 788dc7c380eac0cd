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

const turns = createTurns({
  atOnceMax: { perKey: PARTS_AT_ONCE, inAll: PARTS_AT_ONCE },
  waitingMax: { perKey: 1_000, inAll: 1_000 },
  waitMsMax: 60_000,
  refusal: () => new Failure('unavailable', 'The service stores too many files at the moment. Try again later.', { retryAfterSeconds: 10 }),
})

export async function storeObject(client: BucketClient, key: string, content: SpooledContent): Promise<void> {
  const { bytes, sha256 } = content
  if (bytes > PART_BYTES) return storeInParts(client, key, content)
  await turns.take('part', async () => {
    const command = { ...placeOf(client, key), Body: await content.part(0, bytes), Metadata: { [DIGEST]: sha256 } }
    await client.s3.send(new PutObjectCommand(command), uploading(client))
  })
}

async function storeInParts(client: BucketClient, key: string, content: SpooledContent): Promise<void> {
  const { s3 } = client
  const place = placeOf(client, key)
  const { UploadId: uploadId } = await s3.send(new CreateMultipartUploadCommand({ ...place, Metadata: { [DIGEST]: content.sha256 } }))
  if (uploadId === undefined) throw new Error('The store began an upload without a name')
  try {
    const parts: { PartNumber: number; ETag: string | undefined }[] = []
    for (let start = 0; start < content.bytes; start += PART_BYTES) {
      const number = parts.length + 1
      const etag = await turns.take('part', async () => {
        const part = await content.part(start, Math.min(content.bytes, start + PART_BYTES))
        const command = new UploadPartCommand({ ...place, UploadId: uploadId, PartNumber: number, Body: part })
        return (await s3.send(command, uploading(client))).ETag
      })
      parts.push({ PartNumber: number, ETag: etag })
    }
    await s3.send(
      new CompleteMultipartUploadCommand({ ...place, UploadId: uploadId, MultipartUpload: { Parts: parts } }),
      uploading(client),
    )
  } catch (error) {
    // What stays is removed by the sweep of leftovers.
    await s3.send(new AbortMultipartUploadCommand({ ...place, UploadId: uploadId })).catch(() => {})
    throw error
  }
}

const placeOf = (client: BucketClient, key: string) => ({ Bucket: client.bucket.name, Key: objectKey(client, key) })

const uploading = ({ limits }: BucketClient) => ({ requestTimeout: limits.uploadMsMax })
