// Loaded only if STORAGE_URL names a bucket: the client of the object store takes half a second and 35 MB.
import {
  DeleteObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import type { Clock } from '../../lib/clock.ts'
import type { Bucket } from '../../lib/storage-url.ts'
import { type BlobStore, checkUsable, temporaryFolderOf } from '../files/blob-store.ts'
import type { StoreMark } from '../files/store-mark.ts'
import { createBucketBlobStore } from './bucket-blob-store.ts'
import { type BucketClient, type BucketLimits, createBucketClient } from './bucket-client.ts'
import { startupProblemOf } from './bucket-errors.ts'
import { createBucketMark } from './bucket-mark.ts'
import { keepObjects } from './kept-objects.ts'

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
      throw startupProblemOf(error, bucket)
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
