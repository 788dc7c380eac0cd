/** Everything that can go wrong for a reason that the caller may read. Only `plugins/errors.ts` knows the wire name and status of each kind. */
export type FailureKind =
  | 'validation'
  | 'malformedRequest'
  | 'invalidIdempotencyKey'
  | 'missingApiKey'
  | 'restrictedApiKey'
  | 'invalidApiKey'
  | 'invalidAccessToken'
  | 'invalidPermission'
  | 'confirmationRequired'
  | 'invalidAccess'
  | 'forbidden'
  | 'invalidLink'
  | 'notFound'
  | 'gone'
  | 'methodNotAllowed'
  | 'requestTimeout'
  | 'idempotencyConflict'
  | 'inUse'
  | 'changedMeanwhile'
  | 'bodyTooLarge'
  | 'unsupportedMediaType'
  | 'rateLimited'
  | 'storageFull'
  | 'dailyQuotaExceeded'
  | 'monthlyQuotaExceeded'
  | 'unavailable'

/** What the client reads of anything else. Nothing of the cause may be revealed. */
export const UNEXPECTED_SENTENCE =
  'Something went wrong on our side. Please try again; if it happens again, report the request id of this response.'

/** A sentence that the client may read, and how long to wait if waiting helps. */
export class Failure extends Error {
  readonly kind: FailureKind
  readonly retryAfterSeconds: number | undefined

  constructor(kind: FailureKind, message: string, options: { retryAfterSeconds?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'Failure'
    this.kind = kind
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

export const invalid = (message: string): Failure => new Failure('validation', message)
export const notFound = (thing: string): Failure => new Failure('notFound', `${thing} not found`)

/** The key of a request was that of another one. */
export const idempotencyConflict = (): Failure =>
  new Failure(
    'idempotencyConflict',
    'This `Idempotency-Key` was used with another request body in the last 24 hours. Use a new key for a new request.',
  )
