// The OpenAPI document, made from the operations as they are registered, and Swagger UI to browse it.
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { bodySchema, type Operation, TAGS } from '../routes/operation.ts'
import { ErrorReply } from '../schemas/common.ts'
import { ERRORS } from './errors.ts'
import { IDEMPOTENCY_KEY_LENGTH_MAX } from './idempotency.ts'

const DESCRIPTION = `Send, schedule and follow email over HTTP.

Every call carries the header \`Authorization: Bearer <API key>\`. Bodies are JSON. Lists return \`{ object, has_more, data }\`, newest first, and page with \`limit\`, \`after\` and \`before\`.
Errors return \`{ statusCode, name, message }\`, and every response bears an \`x-request-id\`. Fields that an operation does not know are ignored and named in the header \`x-ignored-fields\`.`

export async function openapi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Posthaste', description: DESCRIPTION, version: '0.1.0', license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: '/' }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: { securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer', description: 'An API key: `re_...`.' } } },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `def-${index}`) },
    transform: ({ schema, url, route }) => {
      const declared = route.config?.operation
      return declared && schema ? { schema: documented(schema, declared), url } : { schema: { ...schema, hide: true }, url }
    },
    transformObject: (document) => ('openapiObject' in document ? withExamples(app, document.openapiObject) : document.swaggerObject),
  })
  app.get('/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, async () => app.swagger())
  await app.register(async (docs) => {
    docs.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public' }
    })
    await docs.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: DOCS_POLICY,
      theme: { title: 'Posthaste API' },
      uiConfig: {
        layout: 'BaseLayout',
        docExpansion: 'list',
        displayRequestDuration: true,
        persistAuthorization: true,
        tryItOutEnabled: true,
      },
    })
  })
}

/** Everything from this origin. The library's own policy lacks the inline styles that it needs, and demands TLS, which a service at home has not. */
const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

type ErrorKind = keyof typeof ERRORS

/** The errors that an operation can answer, from what it declares. */
function errorKinds(declared: Operation): ErrorKind[] {
  const kinds: ErrorKind[] = declared.access === 'public' ? [] : ['missingApiKey', 'invalidApiKey', 'rateLimited']
  if (declared.params) kinds.push('notFound')
  if (declared.body) kinds.push('unreadableBody', 'bodyTooLarge', 'unsupportedMediaType')
  if (declared.isIdempotent) kinds.push('idempotencyConflict')
  if (declared.body || declared.query || declared.params) kinds.push('validation')
  return [...kinds, 'unexpected', 'unavailable']
}

const ERROR_DESCRIPTIONS = new Map<number, string>([
  [400, 'The body is not JSON, or the idempotency key is not valid.'],
  [401, 'No API key was sent, or this key may not call this operation.'],
  [403, 'The API key is not valid.'],
  [404, 'The team has no such record.'],
  [409, 'The idempotency key was used with another body in the last 24 hours.'],
  [413, 'The body is too large.'],
  [415, 'The body is not announced as JSON.'],
  [422, 'The request is not valid; the message names the first problem.'],
  [429, 'Too many requests; `retry-after` says how many seconds to wait.'],
  [500, 'Something went wrong on our side.'],
  [503, 'Not possible at the moment; `retry-after` says how many seconds to wait.'],
])

function documented(schema: object, declared: Operation): object {
  const statuses = [...new Set(errorKinds(declared).map((kind) => ERRORS[kind].status))].sort((a, b) => a - b)
  const failures = Object.fromEntries(
    statuses.map((status) => [status, { description: ERROR_DESCRIPTIONS.get(status) ?? '', $ref: ErrorReply.$id }]),
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

type Media = { example?: unknown; schema?: unknown }
type Documented = {
  requestBody?: { content?: Record<string, Media>; required?: boolean }
  responses?: Record<string, { description?: string; content?: Record<string, Media> }>
}

/** Puts the declared examples where consumers of the document look for them, and says in words what a success means. */
function withExamples<D extends { paths?: object }>(app: FastifyInstance, document: D): D {
  const declared = new Map(app.operations.map((one) => [one.id, one]))
  for (const item of Object.values<Record<string, Documented & { operationId?: string }>>({ ...document.paths })) {
    for (const described of Object.values(item)) {
      const { example, body, status = 200 } = declared.get(described.operationId ?? '') ?? {}
      if (!example) continue
      // An object none of whose fields must be there need not be there itself.
      if (described.requestBody && body?.type === 'object') described.requestBody.required = (body.required ?? []).length > 0
      for (const media of Object.values(described.requestBody?.content ?? {})) media.example = example.body
      for (const [code, response] of Object.entries(described.responses ?? {})) {
        if (code === String(status)) response.description = 'Success.'
        for (const media of Object.values(response.content ?? {})) {
          media.example = code === String(status) ? example.reply : errorExample(Number(code))
        }
      }
    }
  }
  return document
}

function errorExample(status: number): object {
  const name = Object.values(ERRORS).find((entry) => entry.status === status)?.name
  return { statusCode: status, name, message: ERROR_DESCRIPTIONS.get(status) }
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every operation that was registered, in order. */
    operations: Operation[]
  }
}
