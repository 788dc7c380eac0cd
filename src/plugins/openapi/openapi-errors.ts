// What the document says about errors: which ones an operation can return, in which words, with which example.
import type { TSchema } from '@sinclair/typebox'
import type { Operation, Upload } from '../../routes/operation.ts'
import { ErrorReply } from '../../schemas/common.ts'
import { resourceOf } from '../../schemas/resources.ts'
import { ERRORS, errorBody, UNAVAILABLE_SENTENCE } from '../errors.ts'
import { headersOf } from './openapi-headers.ts'

/** An error as the document describes it. Errors that operations share have a name, by which operations refer to them. */
export type ErrorResponse = { status: number; name: string | null; response: object }

export const errorResponses = (declared: Operation): ErrorResponse[] =>
  [...new Set(errorKinds(declared).map((kind) => ERRORS[kind].status))]
    .sort((a, b) => a - b)
    .map((status) => ({ status, name: responseName(status, declared), response: errorResponse(status, declared) }))

type ErrorKind = keyof typeof ERRORS

/** The errors that an operation can return, derived from its declaration. */
function errorKinds(declared: Operation): ErrorKind[] {
  const kinds: ErrorKind[] = declared.access === 'public' ? [] : ['missingApiKey', 'invalidApiKey', 'rateLimited']
  if ((declared.params && !declared.allowsUnknown) || declared.names !== undefined) kinds.push('notFound')
  if (declared.expires) kinds.push('gone')
  if (declared.body) kinds.push('unreadableBody', 'requestTimeout', 'bodyTooLarge', 'unsupportedMediaType')
  if (declared.isIdempotent) kinds.push('invalidIdempotencyKey', 'idempotencyConflict')
  if (refusesUsed(declared)) kinds.push('inUse')
  if (declared.body || declared.query || declared.params) kinds.push('validation')
  return [...kinds, 'unexpected', 'unavailable']
}

const refusesUsed = ({ query }: Pick<Operation, 'query'>): boolean => query?.properties?.unless_used !== undefined

/** Null if the error depends on the operation alone and is described there. */
function responseName(status: number, { access, isIdempotent, upload, ...declared }: Operation): string | null {
  if (access === 'public') return null
  if (status === 404) return `${pascal(nounOf(declared) ?? '')}NotFound`
  if (status === 400 && isIdempotent) return 'BodyOrIdempotencyKeyInvalid'
  if (status === 409 && refusesUsed(declared)) return 'InUse'
  return upload && OF_UPLOADS.has(status) ? null : (NAMES.get(status) ?? null)
}

const NAMES = new Map<number, string>([
  [400, 'BodyNotJson'],
  [401, 'Unauthorized'],
  [403, 'InvalidApiKey'],
  [408, 'BodyTimeout'],
  [409, 'IdempotencyConflict'],
  [410, 'Gone'],
  [413, 'BodyTooLarge'],
  [415, 'UnsupportedMediaType'],
  [429, 'TooManyRequests'],
  [500, 'UnexpectedError'],
  [503, 'ServiceUnavailable'],
])
/** Errors that have other words if a file is uploaded. */
const OF_UPLOADS = new Set([400, 408, 413, 415])

const pascal = (noun: string): string =>
  noun.replaceAll(/(?:^| )([a-z])/gi, (_match, letter: string) => letter.toUpperCase()).replace('API', 'Api')

const errorResponse = (status: number, declared: Operation): object => ({
  description: errorDescription(status, declared),
  headers: headersOf(status, declared),
  content: {
    'application/json': { schema: { $ref: `#/components/schemas/${ErrorReply.$id}` }, example: errorExample(status, declared) },
  },
})

const DESCRIPTIONS = new Map<number, string>([
  [400, 'The body is not valid JSON.'],
  [401, 'The API key is missing, or it may not call this operation.'],
  [403, 'The API key is not valid.'],
  [404, 'The record does not exist.'],
  [410, "The event's data is no longer kept."],
  [408, 'The body did not arrive in time.'],
  [409, 'The idempotency key was used with another body in the last 24 hours.'],
  [413, 'The body is too large.'],
  [415, 'The body is not declared as JSON, or it is compressed.'],
  [422, 'The request is not valid. The message names the first problem.'],
  [429, 'Too many requests. The header `retry-after` says how many seconds to wait.'],
  [500, 'An unexpected error occurred in the service.'],
  [503, 'The service is temporarily unavailable. The header `retry-after` says how many seconds to wait.'],
])

/** The descriptions for operations that accept a file. */
const UPLOAD_DESCRIPTIONS = new Map<number, string>([
  [400, 'The body is not a valid form.'],
  [415, 'The body is not declared as a form, or it is compressed.'],
])

function errorDescription(status: number, { isIdempotent, upload, ...declared }: Operation): string {
  if (status === 409 && refusesUsed(declared)) return 'The record is in use, and was to be deleted only if it is not.'
  const ofUpload = upload && UPLOAD_DESCRIPTIONS.get(status)
  if (ofUpload) return ofUpload
  return status === 400 && isIdempotent
    ? 'The body is not valid JSON, or the idempotency key is not valid.'
    : (DESCRIPTIONS.get(status) ?? '')
}

function errorExample(status: number, declared: Operation): object {
  const name = Object.values(ERRORS).find((entry) => entry.status === status)?.name
  return { statusCode: status, name, message: errorSentence(status, declared) }
}

function errorSentence(status: number, declared: Operation): string {
  const noun = nounOf(declared)
  const sentence =
    status === 404 ? noun && `${noun} not found` : status === 422 ? invalidSentence(declared) : commonSentence(status, declared)
  if (!sentence) throw new Error(`The document has no sentence for the ${status} of ${declared.id}`)
  return sentence
}

/** The last id of a path identifies the record that is not found. */
const nounOf = (declared: Pick<Operation, 'params' | 'names'>): string | undefined =>
  resourceOf(lastParameter(declared))?.noun ?? declared.names

const lastParameter = ({ params }: Pick<Operation, 'params'>): string => Object.keys(params?.properties ?? {}).at(-1) ?? ''

const commonSentence = (status: number, { upload, ...declared }: Operation): string | undefined =>
  (status === 409 && refusesUsed(declared) ? IN_USE : undefined) ?? (upload && uploadSentence(status, upload)) ?? SENTENCES.get(status)

/** What the service says in one case of each; a test compares it. */
const SENTENCES = new Map<number, string>([
  [400, 'The request body is not valid JSON at line 1, column 2.'],
  [401, 'Missing API key. Send the API key as `Authorization: Bearer re_...`.'],
  [403, 'This API key is not valid. It may have been deleted.'],
  [408, 'The request body did not arrive within 60 seconds.'],
  [409, 'This `Idempotency-Key` was used with another request body in the last 24 hours. Use a new key for a new request.'],
  [410, 'Events are kept for 30 days. This one can no longer be sent.'],
  [413, 'The request body is too large.'],
  [415, 'The request body must be sent with `Content-Type: application/json`.'],
  [429, 'Your team may make 100 requests a second. Please wait and try again.'],
  [500, errorBody(null).message],
  [503, UNAVAILABLE_SENTENCE],
])

const IN_USE =
  'The template is in use by one record: automation `0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10` (Welcome). Change that first, or delete the template without `unless_used`: what cannot go on is then disabled or canceled.'

/** The sentences for operations that accept a file. */
function uploadSentence(status: number, { part, bytesMax }: Upload): string | undefined {
  if (status === 413) return `The \`${part}\` field is too large: at most ${bytesMax / MIB} MB are taken. Send it in several files.`
  return UPLOAD_SENTENCES.get(status)
}

const MIB = 1024 * 1024
const UPLOAD_SENTENCES = new Map<number, string>([
  [400, 'The request body is not valid multipart/form-data.'],
  [408, 'The file arrives too slowly: at least 4 KB a second are needed, and a pause may last 30 seconds.'],
  [415, 'The request body must be sent with `Content-Type: multipart/form-data`.'],
])

function invalidSentence(declared: Operation): string {
  const { body, query, params } = declared
  const [required] = body?.required ?? []
  if (typeof required === 'string') return `Missing \`${required}\` field.`
  const fields: unknown = body?.['x-one-of']
  if (Array.isArray(fields)) return `Missing ${fields.map((field) => `\`${field}\``).join(' or ')} field.`
  if (body?.type === 'array') return 'The request body must be an array.'
  const lastId = lastParameter(declared)
  // A contact is identified by its id or its address.
  const isUuid = params?.properties?.[lastId]?.format === 'uuid'
  if (lastId !== '' && !isUuid) return `The \`${lastId}\` parameter holds a NUL or half of a surrogate pair; neither can be stored.`
  if (lastId !== '') return `The \`${lastId}\` parameter must be a UUID.`
  const [name, choice] = Object.entries<TSchema>(query?.properties ?? {}).find(([, schema]) => Array.isArray(schema.enum)) ?? []
  if (choice)
    return `The \`${name}\` parameter must be one of: ${choice.enum.map((value: string) => `\`${value}\``).join(', ')}. It is "0".`
  const limit = query?.properties?.limit
  return `The \`limit\` parameter must be a number from ${limit?.minimum} to ${limit?.maximum}. It is 0.`
}
