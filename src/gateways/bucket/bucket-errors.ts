// What an object store or the way to it failed with. The client's own errors hold parts of requests, so none of them leaves this room.
import { Failure, notFound } from '../../lib/failure.ts'
import { StartupProblem } from '../../lib/startup-problem.ts'
import type { Bucket } from '../../lib/storage-url.ts'

/** `code`: the name that the store or the system gave it. `status`: null if the store did not answer. */
type Reason = { code: string; status: number | null; message: string }

/** It may be back in a moment, and the client of the store has tried some times already. */
const RETRY_AFTER_SECONDS = 10

const MESSAGE_LENGTH_MAX = 300

/** For those who read the log: without headers, keys and signatures. */
export class BucketError extends Error {
  constructor(reason: Reason) {
    super(inWords(reason))
    this.name = 'BucketError'
  }
}

const inWords = ({ code, status, message }: Reason): string =>
  [`${code}${status === null ? '' : ` (${status})`}`, ...(message === WITHOUT_MESSAGE ? [] : [message.slice(0, MESSAGE_LENGTH_MAX)])].join(
    ': ',
  )

/** What the client says of an error for which the store has a code only, as radosgw. */
const WITHOUT_MESSAGE = 'UnknownError'

/** An error of the client as one that may be logged and shown. Other errors, such as those of a stream that is stored, stay as they are. */
export function failureOf(error: unknown, act: 'store' | 'read' | 'remove'): unknown {
  if (!isOfClient(error)) return error
  const reason = reasonOf(error)
  if (reason.code === 'NoSuchKey' || reason.code === 'NotFound') return notFound('File')
  return new Failure('unavailable', `The service cannot ${act} files at the moment. Try again later.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: new BucketError(reason),
  })
}

/** Covers a connection that is cut without a word of the client, too. */
export function readingFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  const failure = failureOf(error, 'read')
  if (failure instanceof Failure) return failure
  return new Failure('unavailable', 'The service cannot read files at the moment. Try again later.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: new BucketError(reasonOf(error)),
  })
}

/** Why the service cannot start with this bucket, in one line. */
export function startupProblemOf(error: unknown, { name, region, endpoint }: Bucket): StartupProblem {
  const reason = reasonOf(error)
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
    return `its credentials are refused (${code}). Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or what stands for them.`
  if (WRONG_REGION.has(code) || message.includes('Region is missing') || status === 301)
    return 'it is in another region, or none is named. Say which with STORAGE_URL=s3://bucket?region=...'
  if (status === 403)
    return `its credentials may not do all that is needed (${code}): list the bucket and its unfinished uploads, and put, get and delete objects in it. See docs/operation.md.`
  if (status === null) return `${where} does not answer (${code}). Check the endpoint in STORAGE_URL, and the way to it.`
  return inWords(reason)
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

function reasonOf(error: unknown): Reason {
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
