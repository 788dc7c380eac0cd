// What the document says about responses: their headers, which are components that every response refers to, and the errors of each operation.

import type { TSchema } from '@sinclair/typebox'
import { type Access, isForPeople, type Operation, type Upload } from '../../http/operation.ts'
import type { AnyResource } from '../../http/resource.ts'
import { changedMeanwhile } from '../../lib/changed-meanwhile.ts'
import { ErrorReply, EXAMPLE_TIME } from '../../lib/validation/common.schema.ts'
import { TOO_MANY_OPERATOR_KEYS } from '../../modules/accounts/operator-keys.ts'
import { NO_PART, QueuePart } from '../../modules/console/operation/operation.schema.ts'
import { MISSING_OPERATOR_KEY, NOT_SIGNED_IN, WRONG_OPERATOR_KEY } from '../authentication.ts'
import { ERRORS, errorBody, noSuchEndpoint, UNAVAILABLE_SENTENCE } from '../errors.ts'

export const HEADERS = {
  'x-request-id': { description: 'Id of the request. Mention it when you report a problem.', schema: { type: 'string', format: 'uuid' } },
  'x-ignored-fields': {
    description:
      'Unknown query parameters, and unknown fields of the body, which were ignored, separated by commas. Absent if there are none.',
    schema: { type: 'string' },
  },
  'x-warnings': {
    description:
      'What to look at although the request succeeded, separated by commas: a code, or a code, `=` and what it is about, such as an id. At most 512 bytes; if not all fit, the last one is `more=` with their number. Absent if there is none.',
    schema: { type: 'string' },
  },
  'ratelimit-limit': {
    description: 'Number of requests that are allowed in a window. Absent if there is no rate limit.',
    schema: { type: 'integer' },
  },
  'ratelimit-remaining': { description: 'Number of requests that are left in the current window.', schema: { type: 'integer' } },
  'ratelimit-reset': { description: 'Seconds until the next window starts.', schema: { type: 'integer' } },
  'ratelimit-policy': {
    description: 'The rate limit and the length of its window in seconds, such as `"default";q=100;w=1`.',
    schema: { type: 'string' },
  },
  ratelimit: {
    description: 'What is left of the rate limit, and the seconds until the next window starts, such as `"default";r=99;t=1`.',
    schema: { type: 'string' },
  },
  'www-authenticate': {
    description:
      'Where programs without an API key get an access token, or which scope an access token lacks. Absent for an API key that is not valid.',
    schema: { type: 'string' },
  },
  'retry-after': { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer' } },
} as const

export function responseHeaders(status: number, { access, warns }: Operation): Record<string, object> {
  const names: (keyof typeof HEADERS)[] = ['x-request-id']
  if (access !== 'public' && access !== 'operator')
    names.push('ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy', 'ratelimit')
  if (access !== 'operator' && !isForPeople(access) && (status === 401 || status === 403)) names.push('www-authenticate')
  if (status < 300) names.push('x-ignored-fields')
  if (warns && status < 300) names.push('x-warnings')
  if (status === 429 || status === 503) names.push('retry-after')
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** An error as the document describes it. Errors that operations share have a name, by which operations refer to them. */
export type ErrorResponse = { status: number; name: string | null; response: object }

/** @param resources that a path can name */
export function errorResponses(operation: Operation, resources: readonly AnyResource[]): ErrorResponse[] {
  const parameter = lastParameter(operation)
  const noun = resources.find((resource) => resource.parameter === parameter)?.noun ?? operation.names
  const declared = { ...operation, noun }
  return errorStatuses(operation).map((status) => ({
    status,
    name: responseName(status, declared),
    response: errorResponse(status, declared),
  }))
}

export const errorStatuses = (declared: Operation): number[] =>
  [...new Set(errorKinds(declared).map((kind) => ERRORS[kind].status))].sort((a, b) => a - b)

/** `noun`: of the record that is not found, which the last id of the path identifies. */
type Declared = Operation & { noun: string | undefined }

type ErrorKind = keyof typeof ERRORS

/** The errors that an operation can return, derived from its declaration. */
function errorKinds(declared: Operation): ErrorKind[] {
  const kinds: ErrorKind[] = declared.access === 'public' ? [] : ['missingApiKey', 'invalidApiKey', 'rateLimited']
  if ((declared.params && !declared.allowsUnknown) || declared.names !== undefined || declared.access === 'operator') kinds.push('notFound')
  if (declared.expires) kinds.push('gone')
  if (declared.body) kinds.push('malformedRequest', 'requestTimeout', 'bodyTooLarge', 'unsupportedMediaType')
  if (declared.isIdempotent) kinds.push('invalidIdempotencyKey', 'idempotencyConflict')
  const conflict = conflictOf(declared)
  if (conflict) kinds.push(conflict.kind)
  if (declared.body || declared.query || declared.params) kinds.push('validation')
  return [...kinds, 'unexpected', 'unavailable']
}

/** What a 409 means that is not about an idempotency key, by the field that asks for it. */
function conflictOf({ query, body }: Pick<Operation, 'query' | 'body'>): (OwnError & { kind: ErrorKind }) | null {
  if (query?.properties?.unless_used !== undefined) return IN_USE
  return body?.properties?.expected_version === undefined ? null : CHANGED_MEANWHILE
}

/** Null if the error depends on the operation alone and is described there. */
function responseName(status: number, { access, isIdempotent, upload, noun, ...declared }: Declared): string | null {
  if (access === 'public') return null
  const ofAccess = OF_ACCESS[access]?.[status]
  if (ofAccess) return ofAccess.name
  if (status === 404) return noun === undefined ? 'NoSuchEndpoint' : `${pascal(noun)}NotFound`
  if (status === 400 && isIdempotent) return 'BodyOrIdempotencyKeyInvalid'
  const conflict = status === 409 ? conflictOf(declared) : null
  if (conflict) return conflict.name
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
type OwnError = { name: string; description: string; sentence: string }

/** What the credential of the operator meets. */
const OPERATOR_ERRORS: Record<number, OwnError> = {
  401: { name: 'OperatorKeyMissing', description: 'The operator key is missing.', sentence: MISSING_OPERATOR_KEY },
  403: { name: 'OperatorKeyInvalid', description: 'The operator key is not valid.', sentence: WRONG_OPERATOR_KEY },
  429: {
    name: 'TooManyOperatorKeys',
    description: 'Too many wrong operator keys came from this address. The header `retry-after` says how many seconds to wait.',
    sentence: TOO_MANY_OPERATOR_KEYS,
  },
}
const PERSON_ERRORS: Record<number, OwnError> = {
  401: { name: 'NotSignedIn', description: 'No one is signed in.', sentence: NOT_SIGNED_IN },
  403: {
    name: 'NotAPerson',
    description: 'A key or a program calls, the session has ended, or the person has to confirm first (`confirmation_required`).',
    sentence: 'This API key is not valid. It may have been deleted.',
  },
}
const OF_ACCESS: Partial<Record<Access, Record<number, OwnError>>> = {
  operator: OPERATOR_ERRORS,
  person: PERSON_ERRORS,
  member: PERSON_ERRORS,
}
/** Errors that have other words if a file is uploaded. */
const OF_UPLOADS = new Set([400, 408, 413, 415])

const pascal = (noun: string): string =>
  noun.replaceAll(/(?:^| )([a-z])/gi, (_match, letter: string) => letter.toUpperCase()).replace('API', 'Api')

const errorResponse = (status: number, declared: Declared): object => ({
  description: errorDescription(status, declared),
  headers: responseHeaders(status, declared),
  content: {
    'application/json': { schema: { $ref: `#/components/schemas/${ErrorReply.$id}` }, example: errorExample(status, declared) },
  },
})

const DESCRIPTIONS = new Map<number, string>([
  [400, 'The body is not valid JSON.'],
  [401, 'The API key is missing, or it may not call this operation.'],
  [403, 'The API key is not valid, or its team is suspended or deleted.'],
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

function errorDescription(status: number, { isIdempotent, upload, ...declared }: Declared): string {
  const ofAccess = OF_ACCESS[declared.access]?.[status]
  if (ofAccess) return ofAccess.description
  const conflict = status === 409 ? conflictOf(declared) : null
  if (conflict) return conflict.description
  if (status === 404 && declared.noun === undefined) return 'A key of a team was sent, which does not reach this path.'
  const ofUpload = upload && UPLOAD_DESCRIPTIONS.get(status)
  if (ofUpload) return ofUpload
  return status === 400 && isIdempotent
    ? 'The body is not valid JSON, or the idempotency key is not valid.'
    : (DESCRIPTIONS.get(status) ?? '')
}

function errorExample(status: number, declared: Declared): object {
  const name = Object.values(ERRORS).find((entry) => entry.status === status)?.name
  return { statusCode: status, name, message: errorSentence(status, declared) }
}

function errorSentence(status: number, { noun, ...declared }: Declared): string {
  const sentence =
    status === 404
      ? noun === undefined
        ? noSuchEndpoint().message
        : `${noun} not found`
      : status === 422
        ? invalidSentence(declared)
        : commonSentence(status, declared)
  if (!sentence) throw new Error(`The document has no sentence for the ${status} of ${declared.id}`)
  return sentence
}

const lastParameter = ({ params }: Pick<Operation, 'params'>): string => Object.keys(params?.properties ?? {}).at(-1) ?? ''

const commonSentence = (status: number, { upload, ...declared }: Operation): string | undefined =>
  OF_ACCESS[declared.access]?.[status]?.sentence ??
  (status === 409 ? conflictOf(declared)?.sentence : undefined) ??
  (upload && uploadSentence(status, upload)) ??
  SENTENCES.get(status)

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

const IN_USE = {
  kind: 'inUse',
  name: 'InUse',
  description: 'The record is in use, and `unless_used` was true.',
  sentence:
    'The template is in use by one record: automation `0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10` (Welcome). Change that first, or delete the template without `unless_used`: what needs it is then disabled or canceled.',
} as const
const CHANGED_MEANWHILE = {
  kind: 'changedMeanwhile',
  name: 'ChangedMeanwhile',
  description: 'Someone else has changed the record since the version that `expected_version` names.',
  sentence: changedMeanwhile('template', { name: 'Ada Lovelace', at: new Date(EXAMPLE_TIME) }).message,
} as const

/** The sentences for operations that accept a file. */
function uploadSentence(status: number, { part, bytesMax }: Upload): string | undefined {
  if (status === 413) return `The \`${part}\` field is too large: at most ${bytesMax / MIB} MB are accepted. Send it in several files.`
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
  if (body === QueuePart) return NO_PART
  const fields: unknown = body?.['x-one-of']
  if (Array.isArray(fields)) return `Missing ${fields.map((field) => `\`${field}\``).join(' or ')} field.`
  if (body?.type === 'array') return 'The request body must be an array.'
  const lastId = lastParameter(declared)
  const kept = lastId === '' && Object.entries<TSchema>(body?.properties ?? {}).find(([, schema]) => schema['x-kept'] === true)
  if (kept) return `The \`${kept[0]}\` field must be a ${kept[1].type}. Leave it out to keep what is there.`
  // A contact is identified by its id or its address.
  const isUuid = params?.properties?.[lastId]?.format === 'uuid'
  if (lastId !== '' && !isUuid)
    return `The \`${lastId}\` parameter holds a NUL or half of a surrogate pair, which cannot be stored. Remove it.`
  if (lastId !== '') return `The \`${lastId}\` parameter must be a UUID.`
  const [name, choice] = Object.entries<TSchema>(query?.properties ?? {}).find(([, schema]) => Array.isArray(schema.enum)) ?? []
  if (choice)
    return `The \`${name}\` parameter must be one of: ${choice.enum.map((value: string) => `\`${value}\``).join(', ')}. It is "0".`
  const limit = query?.properties?.limit
  const id = Object.entries<TSchema>(query?.properties ?? {}).find(([, schema]) => schema.format === 'uuid')?.[0]
  const [missing] = (query?.required ?? []) as string[]
  if (!limit && missing !== undefined) return `Missing \`${missing}\` parameter.`
  if (!limit && id) return `The \`${id}\` parameter must be a UUID. It is "0".`
  return `The \`limit\` parameter must be a number from ${limit?.minimum} to ${limit?.maximum}. It is 0.`
}
