import { Failure } from '../../lib/failure.ts'

/** An operator has to free a full disk. An earlier retry would only add load. */
const FULL_DISK_RETRY_AFTER_SECONDS = 60

/** No space, no quota, over the file size limit, or mounted read-only: an operator must fix each of them. */
const FULL_CODES: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS']

/** Fails with `unavailable` for a full disk, and with the error itself for any other. */
export function refuseFull(error: unknown): never {
  if (!(error instanceof Error && 'code' in error && FULL_CODES.includes(error.code))) throw error
  throw new Failure('unavailable', 'The service has no room to store files at the moment. Try again later.', {
    retryAfterSeconds: FULL_DISK_RETRY_AFTER_SECONDS,
    cause: error,
  })
}
