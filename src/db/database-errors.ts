// Reads from an error what went wrong in the database, however deeply a library wrapped it.

/** The greatest depth of causes that is read. Libraries wrap two or three times. */
const CAUSES_MAX = 6

/** The SQLSTATE of a write in a transaction that only reads, as all of a standby do, and of a primary that was demoted. */
export const READ_ONLY = '25006'

/** A connection leads to a server that takes no writes. */
export class ReadOnlyServer extends Error {
  readonly code = READ_ONLY

  constructor() {
    super('The database server is read-only: it is a standby, or was told to take no writes.')
  }
}

/** SQLSTATE classes, and codes of libraries, that mean "not now": connection lost or refused, resources exhausted, server shutting down, read-only. */
const UNAVAILABLE =
  /^(08|28|53|57)[0-9A-Z]{3}$|^25006$|^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|ENOTFOUND|P1000|P1001|P1002|P1008|P1010|P1011|P1017|P2024|P2028|P2037)$/
/** The server shows a certificate that is not accepted, such as one that has expired while the service runs. */
const REFUSED_CERTIFICATE =
  /^(CERT_(HAS_EXPIRED|NOT_YET_VALID)|ERR_TLS_CERT_ALTNAME_INVALID|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?)$/
/** The last is of a local socket whose queue is full. Prisma keeps nothing but this sentence of Node.js. */
const UNAVAILABLE_SENTENCES =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after calling end|could not extend file|\bconnect EAGAIN /

export const isUnavailable = (error: unknown): boolean =>
  chain(error).some(
    ({ codes, message }) =>
      codes.some((code) => UNAVAILABLE.test(code) || REFUSED_CERTIFICATE.test(code)) || UNAVAILABLE_SENTENCES.test(message),
  )

/** The data itself was refused (SQLSTATE classes 22 and 23). A retry without the other data of the batch can help. */
export const isRefusedData = (error: unknown): boolean =>
  chain(error).some(({ codes }) => codes.some((code) => /^2[23][0-9A-Z]{3}$/.test(code)))

/** A statement was cancelled before it was done. If it has a time limit of its own, that was the reason. */
export const isCanceled = (error: unknown): boolean => chain(error).some(({ codes }) => codes.includes('57014'))

/** The disk of the database is full. A quota of the file system has no code of its own. */
export const isDiskFull = (error: unknown): boolean =>
  chain(error).some(({ codes, message }) => codes.includes('53100') || message.includes('could not extend file'))

/** The server, the database or the role has as many connections as it may have, or pgbouncer has, which gave that no code of its own before 1.20. */
export const isOutOfConnections = (error: unknown): boolean =>
  chain(error).some(({ codes, message }) => codes.includes('53300') || message.includes('no more connections allowed'))

/** A unique index already has this value. */
export const isDuplicate = (error: unknown): boolean => chain(error).some(({ codes }) => codes.includes('23505'))

/** A row refers to one that is not there. */
export const isMissingReference = (error: unknown): boolean => chain(error).some(({ codes }) => codes.includes('23503'))

/** `taken`: what was to be saved has a value that another row has, and that only one may have. */
export async function orTaken<Result>(save: () => Promise<Result>): Promise<Result | 'taken'> {
  try {
    return await save()
  } catch (error) {
    if (isDuplicate(error)) return 'taken'
    throw error
  }
}

/** This transaction and another waited for each other, and this one was ended. It can be retried. */
/** Something still refers to a row. */
export const isReferenced = (error: unknown): boolean => chain(error).some(({ codes }) => codes.includes('23503'))

export const isDeadlock = (error: unknown): boolean => chain(error).some(({ codes }) => codes.includes('40P01'))

/** What a transaction saw at its beginning was changed by another one. It can be retried. */
export const isSerializationFailure = (error: unknown): boolean => chain(error).some(({ codes }) => codes.includes('40001'))

/**
 * The id of a row whose partitioned table has no partition for it; null for every other error. PostgreSQL reports both this and a violated check as
 * 23514, and names the constraint only for the latter. The id is in the detail, whose words depend on the server's language.
 */
export function idWithoutPartition(error: unknown): string | null {
  const found = chain(error).find(({ codes, hasConstraint }) => codes.includes('23514') && !hasConstraint)
  return PARTITION_KEY.exec(found?.detail ?? '')?.[1] ?? null
}

/** The first parenthesis: that of a row which violates a check begins with its values, and a text among them may look like this. */
const PARTITION_KEY = /^[^()]*\(id\) = \(([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\)/

type Link = { codes: string[]; message: string; detail: string; hasConstraint: boolean }

function chain(error: unknown): Link[] {
  const found: Link[] = []
  let at = error
  while (at instanceof Error && found.length < CAUSES_MAX) {
    found.push({ ...toLink(at), message: at.message })
    at = at.cause ?? adapterError(at) ?? ('errors' in at && Array.isArray(at.errors) ? at.errors[0] : undefined)
  }
  if (at !== null && typeof at === 'object' && !(at instanceof Error)) found.push(toLink(at))
  return found
}

/** Prisma stores what its adapter threw beside its own code, not as the cause. */
function adapterError(error: object): unknown {
  const meta = 'meta' in error ? error.meta : null
  return meta !== null && typeof meta === 'object' && 'driverAdapterError' in meta ? meta.driverAdapterError : undefined
}

const toLink = (error: object): Link => ({
  codes: errorCodes(error),
  message: '',
  detail: 'detail' in error && typeof error.detail === 'string' ? error.detail : '',
  hasConstraint: 'constraint' in error && typeof error.constraint === 'string',
})

function errorCodes(error: object): string[] {
  const codes: unknown[] = ['code' in error ? error.code : null, 'originalCode' in error ? error.originalCode : null]
  return codes.filter((code) => typeof code === 'string')
}
