// Blobs as objects of a bucket. An object is there whole or not at all, and there for good once the store has said so.
import type { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  DeleteObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  type MultipartUpload,
  PutObjectCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3'
import { type Clock, systemClock } from '../../../lib/clock.ts'
import { Failure } from '../../../lib/failure.ts'
import { createId } from '../../../lib/ids.ts'
import { BLOB_KEY, type BlobStore, checkUsable, LEFTOVER_AGE_MS_MIN, temporaryFolderOf } from '../blob-store.ts'
import type { Bucket } from '../storage-url.ts'
import type { StoreMark } from '../store-mark.ts'
import {
  type BucketClient,
  type BucketLimits,
  createBucketClient,
  createBucketMark,
  objectKey,
  storeTime,
  toFailure,
  toStartupProblem,
} from './bucket-client.ts'
import { areObjectsKept, keepObjects, openObject, spool, storeObject } from './objects.ts'

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
      throw toFailure(error, 'store')
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
      throw toFailure(error, 'remove')
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
        throw toFailure(error, 'store')
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
        const failure = toFailure(error, 'read')
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
        throw toFailure(error, 'read')
      }
    },

    async removeOrphans() {
      const oldest = new Date(clock.now().getTime() - LEFTOVER_AGE_MS_MIN)
      let removed = 0
      try {
        for await (const { Key, UploadId, Initiated: begun } of unfinishedUploads(client)) {
          if (keyOf(client, Key) === null || begun === undefined || begun >= storeTime(client, oldest)) continue
          await s3.send(new AbortMultipartUploadCommand({ Bucket: bucket.name, Key, UploadId }))
          removed += 1
        }
      } catch (error) {
        throw toFailure(error, 'remove')
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

// Loaded only if STORAGE_URL names a bucket: the client of the object store takes half a second and 35 MB.

export type OpenedBucket = {
  blobs: BlobStore
  mark: StoreMark
  /** Whether it answers a request that reads nothing. */
  answers(): Promise<boolean>
  /** While a backup copies them, no process removes any. Returns the function that ends it. */
  keepAll(): Promise<() => Promise<void>>
  isEmpty(): Promise<boolean>
}

type Options = { folder: string; clock?: Clock | undefined; limits?: Partial<BucketLimits>; isChecked?: boolean }

/**
 * @param folder of this machine, for large contents that arrive
 * @param isChecked whether it is tried out: listed, and an object put and deleted
 * @throws StartupProblem if the bucket cannot be used, or the folder cannot be written
 */
export async function openBucket(bucket: Bucket, { folder, clock, limits = {}, isChecked = true }: Options): Promise<OpenedBucket> {
  const temporaryFolder = temporaryFolderOf(folder)
  await checkUsable(folder, temporaryFolder)
  const client = createBucketClient(bucket, limits)
  if (isChecked)
    await tryOut(client).catch((error) => {
      throw toStartupProblem(error, bucket)
    })
  return {
    blobs: createBucketBlobStore(client, temporaryFolder, clock),
    mark: createBucketMark(client),
    answers: () =>
      client.s3.send(new HeadBucketCommand({ Bucket: bucket.name }), { abortSignal: AbortSignal.timeout(HEALTH_MS_MAX) }).then(
        () => true,
        () => false,
      ),
    keepAll: () => keepObjects(client),
    async isEmpty() {
      const { KeyCount: count } = await client.s3.send(new ListObjectsV2Command({ Bucket: bucket.name, Prefix: bucket.prefix, MaxKeys: 1 }))
      return count === 0
    },
  }
}

/** A request for the health of a process waits for a few seconds only. */
const HEALTH_MS_MAX = 3_000

/** All that is needed later, because what is refused then would be refused to those who send mail. */
async function tryOut({ s3, bucket }: BucketClient): Promise<void> {
  await s3.send(new ListObjectsV2Command({ Bucket: bucket.name, Prefix: bucket.prefix, MaxKeys: 1 }))
  const probe = { Bucket: bucket.name, Key: `${bucket.prefix}tried-out-at-start` }
  await s3.send(new PutObjectCommand({ ...probe, Body: Buffer.alloc(0) }))
  await s3.send(new HeadObjectCommand(probe))
  await s3.send(new DeleteObjectCommand(probe))
  await s3.send(new ListMultipartUploadsCommand({ Bucket: bucket.name, Prefix: bucket.prefix, MaxUploads: 1 }))
}
