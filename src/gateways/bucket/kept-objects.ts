// The mark of `files/kept-blobs.ts`, as an object: while a backup copies blobs, no process removes any.
import { DeleteObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { type BucketClient, storeTime } from './bucket-client.ts'
import { failureOf, startupProblemOf } from './bucket-errors.ts'

const RENEWED_EVERY_MS = 60_000
/** Much longer than it takes to renew it. A mark that a kill left only delays what the sweep removes. */
const VALID_MS = 30 * 60_000

const markOf = ({ bucket }: BucketClient) => ({ Bucket: bucket.name, Key: `${bucket.prefix}kept-for-backup` })

/** Returns the function that ends it. */
export async function keepObjects(client: BucketClient): Promise<() => Promise<void>> {
  const renew = () => client.s3.send(new PutObjectCommand({ ...markOf(client), Body: Buffer.alloc(0) }))
  await renew().catch((error) => {
    throw startupProblemOf(error, client.bucket)
  })
  const timer = setInterval(() => void renew().catch(() => {}), RENEWED_EVERY_MS)
  return async () => {
    clearInterval(timer)
    await client.s3.send(new DeleteObjectCommand(markOf(client))).catch((error) => {
      throw new StartupProblem(`The mark ${markOf(client).Key} could not be removed: delete it, so that files can be removed again.`, {
        cause: failureOf(error, 'remove'),
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
