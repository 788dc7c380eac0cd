// What an object store or the way to it failed with. The client's own errors hold parts of requests, so none of them leaves this room.
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { Failure, notFound } from '../../../lib/failure.ts'
import { StartupProblem } from '../../../lib/startup-problem.ts'
import type { Bucket } from '../storage-url.ts'
import { STORE_MARK, type StoreMark } from '../store-mark.ts'

// The client of the object store: bounded in time and tries.

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

/** `code`: the name that the store or the system gave it. `status`: null if the store did not answer. */
type Reason = { code: string; status: number | null; message: string }

/** It may be back in a moment, and the client of the store has tried some times already. */
const RETRY_AFTER_SECONDS = 10

const MESSAGE_LENGTH_MAX = 300

/** For those who read the log: without headers, keys and signatures. */
export class BucketError extends Error {
  constructor(reason: Reason) {
    super(describeReason(reason))
    this.name = 'BucketError'
  }
}

const describeReason = ({ code, status, message }: Reason): string =>
  [`${code}${status === null ? '' : ` (${status})`}`, ...(message === WITHOUT_MESSAGE ? [] : [message.slice(0, MESSAGE_LENGTH_MAX)])].join(
    ': ',
  )

/** What the client says of an error for which the store has a code only, as radosgw. */
const WITHOUT_MESSAGE = 'UnknownError'

/** An error of the client as one that may be logged and shown. Other errors, such as those of a stream that is stored, stay as they are. */
export function toFailure(error: unknown, act: 'store' | 'read' | 'remove'): unknown {
  if (!isOfClient(error)) return error
  const reason = readReason(error)
  if (reason.code === 'NoSuchKey' || reason.code === 'NotFound') return notFound('File')
  return new Failure('unavailable', `The service cannot ${act} files at the moment. Try again later.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: new BucketError(reason),
  })
}

/** Covers a connection that is cut without a word of the client, too. */
export function readingFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  const failure = toFailure(error, 'read')
  if (failure instanceof Failure) return failure
  return new Failure('unavailable', 'The service cannot read files at the moment. Try again later.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: new BucketError(readReason(error)),
  })
}

/** Why the service cannot start with this bucket, in one line. */
export function toStartupProblem(error: unknown, { name, region, endpoint }: Bucket): StartupProblem {
  const reason = readReason(error)
  const where = endpoint ?? (region === null ? 'AWS' : `AWS in ${region}`)
  const cause = new BucketError(reason)
  const remedy = remedyFor(reason, { name, where })
  return new StartupProblem(`Attachments cannot be stored in the bucket ${name} at ${where}: ${remedy}`, { cause })
}

function remedyFor(reason: Reason, { name, where }: { name: string; where: string }): string {
  const { code, status, message } = reason
  if (code === 'NoSuchBucket') return `there is no such bucket. Create ${name}, or name another one with STORAGE_URL.`
  if (code === 'RequestTimeTooSkewed' || code === 'RequestExpired')
    return 'the clock of this machine is wrong. Set it by NTP; requests that are dated too far from now are refused.'
  if (CREDENTIALS_NOT_FOUND.has(code))
    return 'there are no credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give this machine a role.'
  if (CREDENTIALS_REFUSED.has(code))
    return `its credentials are refused (${code}). Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the role in their place.`
  if (WRONG_REGION.has(code) || message.includes('Region is missing') || status === 301)
    return 'it is in another region, or none is named. Say which with STORAGE_URL=s3://bucket?region=...'
  if (status === 403)
    return `its credentials may not do all that is needed (${code}): list the bucket and its unfinished uploads, and put, get and delete objects in it. See docs/operation.md.`
  if (status === null) return `${where} does not answer (${code}). Check the endpoint in STORAGE_URL, and the network.`
  return describeReason(reason)
}

const CREDENTIALS_NOT_FOUND: ReadonlySet<string> = new Set(['CredentialsProviderError', 'ProviderError'])
const CREDENTIALS_REFUSED: ReadonlySet<string> = new Set([
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidToken',
  'AccountProblem',
])
const WRONG_REGION: ReadonlySet<string> = new Set([
  'PermanentRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
])

function readReason(error: unknown): Reason {
  if (!(error instanceof Error)) return { code: 'Error', status: null, message: String(error) }
  if (error.name === ABORTED) return { code: 'Timeout', status: null, message: 'All tries together took too long.' }
  const code = systemCode(error) ?? error.name
  return { code, status: statusOf(error), message: error.message }
}

/** The code that the socket or the resolver gave. */
const systemCode = (error: Error): string | null => ('code' in error && typeof error.code === 'string' ? error.code : null)

function statusOf(error: object): number | null {
  const metadata: unknown = '$metadata' in error ? error.$metadata : null
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return null
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : null
}

/** By our own signal, after the time of all tries. */
const ABORTED = 'AbortError'

/** The client marks what it throws for a request that it made. */
const isOfClient = (error: unknown): error is Error =>
  error instanceof Error && ('$metadata' in error || error.name === ABORTED || CREDENTIALS_NOT_FOUND.has(error.name))

// The mark of `io/blobs/store-mark.ts`, as an object.

export function createBucketMark({ s3, bucket }: BucketClient): StoreMark {
  const place = { Bucket: bucket.name, Key: `${bucket.prefix}${STORE_MARK}` }
  return {
    where: `s3://${bucket.name}/${bucket.prefix}`,
    async read() {
      try {
        const { Body: body } = await s3.send(new GetObjectCommand(place))
        return (await body?.transformToString())?.trim() ?? null
      } catch (error) {
        if (error instanceof Error && (error.name === 'NotFound' || error.name === 'NoSuchKey')) return null
        throw toFailure(error, 'read')
      }
    },
    async write(owner) {
      await s3.send(new PutObjectCommand({ ...place, Body: Buffer.from(`${owner}\n`) })).catch((error) => {
        throw toFailure(error, 'store')
      })
    },
  }
}
