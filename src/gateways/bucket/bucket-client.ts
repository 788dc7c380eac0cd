// The client of the object store: bounded in time and tries.
import { S3Client } from '@aws-sdk/client-s3'
import type { Bucket } from '../../lib/storage-url.ts'

export type BucketLimits = {
  /** Tries of each request, the first included. The client waits between them, longer each time, at random. */
  attemptsMax: number
  connectMsMax: number
  /** How long a request may wait until its answer begins, and how long a read may pause between pieces. */
  silenceMsMax: number
  /** How long storing a content may take, all requests and tries together, plus a second for each megabyte. */
  storageMsMax: number
  /** How long removing an object or ending an upload may take. The sweep retries both. */
  removalMsMax: number
}

/**
 * What is never answered is given up after about a minute, all tries together, and two for a message of the largest size. So
 * clients are told, before their own connections end for their silence.
 */
const LIMITS: BucketLimits = { attemptsMax: 4, connectMsMax: 3_000, silenceMsMax: 15_000, storageMsMax: 60_000, removalMsMax: 10_000 }
/** The limit of a process. Other requests wait for a place. */
const SOCKETS_MAX = 100

export type BucketClient = { s3: S3Client; bucket: Bucket; limits: BucketLimits }

export function createBucketClient(bucket: Bucket, limits: Partial<BucketLimits> = {}): BucketClient {
  const bounds = { ...LIMITS, ...limits }
  const { attemptsMax, connectMsMax, silenceMsMax } = bounds
  const agent = { keepAlive: true, maxSockets: SOCKETS_MAX }
  const s3 = new S3Client({
    ...(bucket.region !== null && { region: bucket.region }),
    // Servers of one's own seldom have a name for each bucket.
    ...(bucket.endpoint !== null && { endpoint: bucket.endpoint, forcePathStyle: true }),
    maxAttempts: attemptsMax,
    retryMode: 'standard',
    // Each request is signed with the SHA-256 of its content, which every server checks. Older ones do not know newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      ...{ httpAgent: agent, httpsAgent: agent },
      ...{ connectionTimeout: connectMsMax, requestTimeout: silenceMsMax, throwOnRequestTimeout: true },
      // A reader of a content may be slow: only where a piece is waited for does silence count.
      socketTimeout: 0,
      socketAcquisitionWarningTimeout: NEVER_MS,
    },
    logger: SILENT,
  })
  return { s3, bucket, limits: bounds }
}

/** What the clock of the store says when that of this machine says `time`. The client measures the difference with each answer, and signs by it. */
export const storeTime = ({ s3 }: Pick<BucketClient, 's3'>, time: Date): Date => new Date(time.getTime() + s3.config.systemClockOffset)

/** What waits for a socket is no fault; a warning would go to the terminal. */
const NEVER_MS = 2 ** 31 - 1

/** It would print parts of requests. What fails is logged by those who asked. */
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }

/** Spread by the last two digits, as in a folder, so that either can be copied to the other. */
export const objectKey = ({ bucket }: Pick<BucketClient, 'bucket'>, key: string): string => `${bucket.prefix}${key.slice(-2)}/${key}`
