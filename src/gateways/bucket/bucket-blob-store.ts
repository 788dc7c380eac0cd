// Blobs as objects of a bucket. An object is there whole or not at all, and there for good once the store has said so.

import type { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  type MultipartUpload,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { createId } from '../../lib/ids.ts'
import { BLOB_KEY, type BlobStore, LEFTOVER_AGE_MS_MIN } from '../files/blob-store.ts'
import { type BucketClient, objectKey, storeTime } from './bucket-client.ts'
import { failureOf } from './bucket-errors.ts'
import { areObjectsKept } from './kept-objects.ts'
import { spool } from './spooled-content.ts'
import { storeObject } from './store-object.ts'
import { openObject } from './stored-object.ts'

/** @param temporaryFolder where large contents are until they are sent */
export function createBucketBlobStore(client: BucketClient, temporaryFolder: string, clock: Clock = systemClock): BlobStore {
  const { s3, bucket, limits } = client
  const place = (key: string) => ({ Bucket: bucket.name, Key: checked(client, key) })

  async function put(key: string, content: Readable | Buffer): Promise<{ bytes: number }> {
    const { Key: _checked } = place(key)
    const spooled = await spool(content, temporaryFolder)
    try {
      await storeObject(client, key, spooled)
      return { bytes: spooled.bytes }
    } catch (error) {
      throw failureOf(error, 'store')
    } finally {
      await spooled.close()
    }
  }

  async function remove(key: string): Promise<void> {
    const removed = place(key)
    const abortSignal = AbortSignal.timeout(limits.removalMsMax)
    try {
      if (await areObjectsKept(client, clock.now(), abortSignal)) return
      await s3.send(new DeleteObjectCommand(removed), { abortSignal })
    } catch (error) {
      throw failureOf(error, 'remove')
    }
  }

  return {
    put,

    putBeside: () => ({
      async put(content) {
        const key = createId()
        return { key, ...(await put(key, content)) }
      },
      end: async () => {},
    }),

    async copy(key, copyKey) {
      const CopySource = `${bucket.name}/${checked(client, key)}`
      await s3.send(new CopyObjectCommand({ ...place(copyKey), CopySource })).catch((error) => {
        throw failureOf(error, 'store')
      })
    },

    async open(key, range) {
      checked(client, key)
      return openObject(client, key, range)
    },

    remove,

    async discard(keys) {
      await Promise.allSettled(keys.map(remove))
    },

    async size(key) {
      try {
        return (await s3.send(new HeadObjectCommand(place(key)))).ContentLength ?? null
      } catch (error) {
        const failure = failureOf(error, 'read')
        if (failure instanceof Failure && failure.kind === 'notFound') return null
        throw failure
      }
    },

    async *keysBefore(since) {
      try {
        for await (const { Contents: objects = [] } of paginateListObjectsV2(
          { client: s3 },
          { Bucket: bucket.name, Prefix: bucket.prefix },
        ))
          yield objects.flatMap(({ Key: name, LastModified: modified }) => {
            const key = keyOf(client, name)
            return key !== null && modified !== undefined && modified < storeTime(client, since) ? key : []
          })
      } catch (error) {
        throw failureOf(error, 'read')
      }
    },

    async removeLeftovers() {
      const oldest = new Date(clock.now().getTime() - LEFTOVER_AGE_MS_MIN)
      let removed = 0
      try {
        for await (const { Key, UploadId, Initiated: begun } of unfinishedUploads(client)) {
          if (keyOf(client, Key) === null || begun === undefined || begun >= storeTime(client, oldest)) continue
          await s3.send(new AbortMultipartUploadCommand({ Bucket: bucket.name, Key, UploadId }))
          removed += 1
        }
      } catch (error) {
        throw failureOf(error, 'remove')
      }
      return removed
    },
  }
}

function checked(client: BucketClient, key: string): string {
  if (!BLOB_KEY.test(key)) throw new Error('A blob is named by a UUID in lower case')
  return objectKey(client, key)
}

/** Null for an object that is no blob: others may be under the prefix too. */
function keyOf(client: BucketClient, name: string | undefined): string | null {
  const key = name?.slice(name.lastIndexOf('/') + 1) ?? ''
  return BLOB_KEY.test(key) && objectKey(client, key) === name ? key : null
}

async function* unfinishedUploads({ s3, bucket }: BucketClient): AsyncGenerator<MultipartUpload> {
  let after: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | null = {}
  while (after !== null) {
    const page: ListMultipartUploadsCommandOutput = await s3.send(
      new ListMultipartUploadsCommand({ Bucket: bucket.name, Prefix: bucket.prefix, ...after }),
    )
    yield* page.Uploads ?? []
    after = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : null
  }
}
