// The OpenAPI document, made from the operations as they are registered, and Swagger UI to browse it.
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { TSchema } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { bodySchema, type Operation, TAGS, type Upload } from '../routes/operation.ts'
import { ErrorReply } from '../schemas/common.ts'
import { jsonFields } from '../schemas/form-body.ts'
import { DOCUMENTED_FILTER, SegmentFilter } from '../schemas/segment-filters.ts'
import { ERRORS, errorBody, noSuchEndpoint, UNAVAILABLE_SENTENCE } from './errors.ts'
import { IDEMPOTENCY_KEY_LENGTH_MAX } from './idempotency.ts'

const DESCRIPTION = `Send, schedule and follow email over HTTP.

Every call carries the header \`Authorization: Bearer <API key>\`. Bodies are JSON. Lists return \`{ object, has_more, data }\`, newest first, and page with \`limit\`, \`after\` and \`before\`.
Errors return \`{ statusCode, name, message }\`, and every response bears an \`x-request-id\`. Fields that an operation does not know are ignored and named in the header \`x-ignored-fields\`.
A path that does not exist is a 404; a method that a path does not take is a 405, whose header \`allow\` names those that it takes.`

export async function openapi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Posthaste', description: DESCRIPTION, version: '0.1.0', license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: '/' }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: {
        headers: HEADERS,
        securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer', description: 'An API key: `re_...`.' } },
      },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `def-${index}`) },
    transform: ({ schema, url, route }) => {
      const declared = route.config?.operation
      return declared && schema ? { schema: documented(schema, declared), url } : { schema: { ...schema, hide: true }, url }
    },
    transformObject: (document) =>
      'openapiObject' in document ? withoutOwnWords(withFilter(withExamples(app, document.openapiObject))) : document.swaggerObject,
  })
  app.get('/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, async () => app.swagger())
  await app.register(async (docs) => {
    docs.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public' }
    })
    docs.addHook('onRequest', async ({ headers }) => {
      for (const name of CONDITIONS) delete headers[name]
    })
    docs.setErrorHandler((error) => {
      throw isNoFile(error) ? noSuchEndpoint() : error
    })
    await docs.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: DOCS_POLICY,
      theme: { title: 'Posthaste API' },
      uiConfig: {
        layout: 'BaseLayout',
        docExpansion: 'list',
        displayRequestDuration: true,
        // A key would stay in the storage of an origin that also shows other people's mail.
        persistAuthorization: false,
        tryItOutEnabled: true,
      },
    })
  })
}

/** The files are small and always given whole: a condition that fails would be an error without words of ours. */
const CONDITIONS = ['range', 'if-range', 'if-match', 'if-unmodified-since']

/** The file server refuses paths that lead out of its folder, and the file system those that it cannot hold. */
const isNoFile = (error: unknown): boolean =>
  error instanceof Error && (('statusCode' in error && error.statusCode === 403) || ('code' in error && error.code === 'ENAMETOOLONG'))

/** Everything from this origin. The library's own policy lacks the inline styles that it needs, and demands TLS, which a service at home has not. */
const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

type ErrorKind = keyof typeof ERRORS

/** The errors that an operation can answer, from what it declares. */
function errorKinds(declared: Operation): ErrorKind[] {
  const kinds: ErrorKind[] = declared.access === 'public' ? [] : ['missingApiKey', 'invalidApiKey', 'rateLimited']
  if (declared.params && !declared.allowsUnknown) kinds.push('notFound')
  if (declared.body) kinds.push('unreadableBody', 'requestTimeout', 'bodyTooLarge', 'unsupportedMediaType')
  if (declared.isIdempotent) kinds.push('invalidIdempotencyKey', 'idempotencyConflict')
  if (declared.body || declared.query || declared.params) kinds.push('validation')
  return [...kinds, 'unexpected', 'unavailable']
}

const ERROR_DESCRIPTIONS = new Map<number, string>([
  [400, 'The body is not JSON.'],
  [401, 'No API key was sent, or this key may not call this operation.'],
  [403, 'The API key is not valid.'],
  [404, 'The team has no such record.'],
  [408, 'The body did not arrive in time.'],
  [409, 'The idempotency key was used with another body in the last 24 hours.'],
  [413, 'The body is too large.'],
  [415, 'The body is not announced as JSON, or it is compressed.'],
  [422, 'The request is not valid; the message names the first problem.'],
  [429, 'Too many requests; `retry-after` says how many seconds to wait.'],
  [500, 'Something went wrong on our side.'],
  [503, 'Not possible at the moment; `retry-after` says how many seconds to wait.'],
])

/** Of operations that take a file. */
const UPLOAD_DESCRIPTIONS = new Map<number, string>([
  [400, 'The body is not a form.'],
  [415, 'The body is not announced as a form, or it is compressed.'],
])

function errorDescription(status: number, { isIdempotent, upload }: Operation): string {
  const ofUpload = upload && UPLOAD_DESCRIPTIONS.get(status)
  if (ofUpload) return ofUpload
  return status === 400 && isIdempotent
    ? 'The body is not JSON, or the idempotency key is not valid.'
    : (ERROR_DESCRIPTIONS.get(status) ?? '')
}

function documented(schema: object, declared: Operation): object {
  const statuses = [...new Set(errorKinds(declared).map((kind) => ERRORS[kind].status))].sort((a, b) => a - b)
  const failures = Object.fromEntries(
    statuses.map((status) => [status, { description: errorDescription(status, declared), $ref: ErrorReply.$id }]),
  )
  const success = 'response' in schema ? schema.response : {}
  return {
    ...schema,
    ...(declared.body && { body: bodySchema(declared.body) }),
    security: declared.access === 'public' ? [] : [{ bearerAuth: [] }],
    ...(declared.isIdempotent && { headers: withIdempotencyKey(declared) }),
    response: { ...(success as object), ...failures },
  }
}

const withIdempotencyKey = ({ headers }: Operation): object => ({
  type: 'object',
  properties: {
    ...headers?.properties,
    'Idempotency-Key': {
      type: 'string',
      minLength: 1,
      maxLength: IDEMPOTENCY_KEY_LENGTH_MAX,
      description:
        'Makes the request safe to repeat for 24 hours: the same key with the same body returns the first answer and sends nothing again.',
    },
  },
})

type Media = { example?: unknown; schema?: unknown; encoding?: object }
type Documented = {
  requestBody?: { content?: Record<string, Media>; required?: boolean }
  responses?: Record<string, { description?: string; headers?: object; content?: Record<string, Media> }>
}

/** Puts the declared examples where consumers of the document look for them, and says in words what a success means and which headers come with what. */
function withExamples<D extends { paths?: object }>(app: FastifyInstance, document: D): D {
  const declared = new Map(app.operations.map((one) => [one.id, one]))
  for (const item of Object.values<Record<string, Documented & { operationId?: string }>>({ ...document.paths })) {
    for (const described of Object.values(item)) {
      const operation = declared.get(described.operationId ?? '')
      if (!operation) continue
      const { example, body, status = 200 } = operation
      // An object none of whose fields must be there need not be there itself.
      if (described.requestBody && body?.type === 'object') described.requestBody.required = (body.required ?? []).length > 0
      for (const media of Object.values(described.requestBody?.content ?? {})) {
        media.example = example.body
        if (operation.upload && body) media.encoding = encodingOf(body)
      }
      for (const [code, response] of Object.entries(described.responses ?? {})) {
        if (code === String(status)) response.description = 'Success.'
        response.headers = headersOf(Number(code), operation)
        for (const media of Object.values(response.content ?? {})) {
          media.example = code === String(status) ? example.reply : errorExample(Number(code), operation)
        }
      }
    }
  }
  return document
}

/** The validator leaves the rules of a filter to their parser; whoever reads the document wants to see them. */
function withFilter<D extends { components?: { schemas?: object } }>(document: D): D {
  const components = { ...document.components, schemas: { ...document.components?.schemas, [SegmentFilter.$id ?? '']: DOCUMENTED_FILTER } }
  return { ...document, components }
}

/** `x-...`: what schemas say to our own validator and request log alone. A copy, because these still read the schemas. */
function withoutOwnWords<Part>(part: Part, holdsNames = false): Part {
  if (part === null || typeof part !== 'object') return part
  if (Array.isArray(part)) return part.map((entry) => withoutOwnWords(entry)) as Part
  const kept = Object.entries(part).filter(([word]) => holdsNames || !word.startsWith('x-'))
  return Object.fromEntries(kept.map(([word, inner]) => [word, withoutOwnWords(inner, !holdsNames && HOLD_NAMES.has(word))])) as Part
}

/** What stands in these are names that somebody gave, also when one is called `properties` itself. */
const HOLD_NAMES = new Set(['headers', 'properties'])

/** Of a form: what is sent as JSON. A list is one part. */
const encodingOf = (body: TSchema): object =>
  Object.fromEntries(jsonFields(body).map((name) => [name, { contentType: 'application/json' }]))

/** Headers of responses, as components of the document. */
const HEADERS = {
  'x-request-id': { description: 'Id of this request, for questions about it.', schema: { type: 'string', format: 'uuid' } },
  'x-ignored-fields': {
    description: 'Fields of the body that the operation does not know, separated by commas. Absent when it knows them all.',
    schema: { type: 'string' },
  },
  'ratelimit-limit': {
    description: 'Requests that may be made in a window. Absent when the service has no limit.',
    schema: { type: 'integer' },
  },
  'ratelimit-remaining': { description: 'Requests that are left in this window.', schema: { type: 'integer' } },
  'ratelimit-reset': { description: 'Seconds until the next window begins.', schema: { type: 'integer' } },
  'ratelimit-policy': { description: 'The limit and the length of its window in seconds, such as `100;w=1`.', schema: { type: 'string' } },
  'retry-after': { description: 'Seconds to wait before trying again.', schema: { type: 'integer' } },
} as const

function headersOf(status: number, { access, body }: Operation): Record<string, object> {
  const names: (keyof typeof HEADERS)[] = ['x-request-id']
  if (access !== 'public') names.push('ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy')
  if (body && status < 300) names.push('x-ignored-fields')
  if (status === 429 || status === 503) names.push('retry-after')
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** What the service says in a case of each; a test asks it. */
const ERROR_SENTENCES = new Map<number, string>([
  [400, 'The request body is not valid JSON.'],
  [401, 'Missing API key. Send it in the header `Authorization: Bearer re_...`.'],
  [403, 'This API key is not valid. It may have been deleted.'],
  [408, 'The request body did not arrive within 60 seconds.'],
  [409, 'This `Idempotency-Key` was used with another request body in the last 24 hours. Use a new key for a new request.'],
  [413, 'The request body is too large.'],
  [415, 'The request body must be sent with `Content-Type: application/json`.'],
  [429, 'Your team may make 100 requests a second. Please wait and try again.'],
  [500, errorBody(null).message],
  [503, UNAVAILABLE_SENTENCE],
])

/** The same of operations that take a file. */
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

/** What is not found is what the last id of the path means. */
const NOT_FOUND_SENTENCES = new Map([
  ['email_id', 'Email not found'],
  ['attachment_id', 'Attachment not found'],
  ['api_key_id', 'API key not found'],
  ['log_id', 'Log not found'],
  ['contact_id', 'Contact not found'],
  ['contact_property_id', 'Contact property not found'],
  ['contact_import_id', 'Contact import not found'],
  ['segment_id', 'Segment not found'],
  ['audience_id', 'Audience not found'],
  ['topic_id', 'Topic not found'],
])

function errorExample(status: number, declared: Operation): object {
  const name = Object.values(ERRORS).find((entry) => entry.status === status)?.name
  return { statusCode: status, name, message: errorSentence(status, declared) }
}

function errorSentence(status: number, declared: Operation): string {
  const lastId = Object.keys(declared.params?.properties ?? {}).at(-1) ?? ''
  const sentence =
    status === 404 ? NOT_FOUND_SENTENCES.get(lastId) : status === 422 ? invalidSentence(declared, lastId) : commonSentence(status, declared)
  if (sentence === undefined) throw new Error(`The document has no sentence for the ${status} of ${declared.id}`)
  return sentence
}

const commonSentence = (status: number, { upload }: Operation): string | undefined =>
  (upload && uploadSentence(status, upload)) ?? ERROR_SENTENCES.get(status)

function invalidSentence({ body, query, params }: Operation, lastId: string): string {
  const [required] = body?.required ?? []
  if (typeof required === 'string') return `Missing \`${required}\` field.`
  if (body?.type === 'array') return 'The request body must be an array.'
  // A contact is named by its id or its address.
  const isUuid = params?.properties?.[lastId]?.format === 'uuid'
  if (lastId !== '' && !isUuid) return `The \`${lastId}\` parameter holds a NUL or half of a surrogate pair; neither can be stored.`
  if (lastId !== '') return `The \`${lastId}\` parameter must be a UUID.`
  const limit = query?.properties?.limit
  return `The \`limit\` parameter must be a number from ${limit?.minimum} to ${limit?.maximum}.`
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every operation that was registered, in order. */
    operations: Operation[]
  }
}
