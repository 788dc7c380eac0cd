// The OpenAPI document, made from the operations as they are registered.

import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { TSchema } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import packageJson from '../../../package.json' with { type: 'json' }
import { IDEMPOTENCY_KEY_LENGTH_MAX } from '../../http/headers.ts'
import { bodySchema, isForPeople, type Operation } from '../../http/operation.ts'
import type { AnyResource } from '../../http/resource.ts'
import { OPERATOR_SECTION_LIST, PERSON_SECTION_LIST, SECTION_LIST } from '../../http/sections.ts'
import { jsonFields } from '../../http/validation/form-body.ts'
import { isRecord } from '../../lib/validation/field-tree.ts'
import { READ_NUMBERS, requiredScopes, SCOPES, SEND_BROADCASTS } from '../../modules/accounts/scopes.ts'
import { DOCUMENTED_FILTER, SegmentFilter } from '../../modules/audience/segments/segments.schema.ts'
import { AutomationRule, DOCUMENTED_RULE } from '../../modules/automations/graph/rules.schema.ts'
import { AutomationStep, DOCUMENTED_STEP } from '../../modules/automations/graph/steps.schema.ts'
import { withCodeSamples } from './code-samples.ts'
import { errorResponses, HEADERS, responseHeaders } from './openapi-errors.ts'
import { documentedWebhooks } from './openapi-webhooks.ts'
import { serveDocument } from './served-document.ts'

const DESCRIPTION = `Send, schedule and track email over HTTP.

Send your API key with every request, in the header \`Authorization: Bearer <API key>\`. Bodies are JSON. Lists return \`{ object, has_more, data }\`, newest first; \`limit\`, \`after\` and \`before\` select a page.
Errors return \`{ statusCode, name, message }\`. Every response has an \`x-request-id\` header. Unknown fields and query parameters are ignored and named in the header \`x-ignored-fields\`.
The response to an unknown path is a 404. The response to a method that a path does not support is a 405, whose \`allow\` header lists the supported methods.`

/** @param options `resources`: those that the paths of operations can name */
export async function openapi(
  app: FastifyInstance,
  { publicUrl, resources, hasOperator }: { publicUrl: string; resources: readonly AnyResource[]; hasOperator: boolean },
): Promise<void> {
  await app.register(swagger, {
    openapi: frame({ hasOperator }),
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `def-${index}`) },
    transform: ({ schema, url, route }) => {
      const declared = route.config?.operation
      return { schema: declared && schema ? documented(schema, declared) : { ...schema, hide: true }, url }
    },
    transformObject: (document) =>
      'openapiObject' in document
        ? withCodeSamples(
            withoutOwnWords({
              ...withParsed(withForms(app, withResponses(app, document.openapiObject, resources))),
              webhooks: documentedWebhooks(),
            }),
            publicUrl,
          )
        : document.swaggerObject,
  })
  await serveDocument(app, { publicUrl })
}

/** Generators take only absolute addresses. That of an installation is known where it serves the document. */
const SERVER = {
  url: '{scheme}://{host}',
  description: 'Your installation: its host, and its port unless that follows from the scheme.',
  variables: { scheme: { enum: ['https', 'http'], default: 'http' }, host: { default: 'localhost:3000' } },
}

/** What the document says beside the operations. */
const frame = ({ hasOperator }: { hasOperator: boolean }): NonNullable<FastifyDynamicSwaggerOptions['openapi']> => ({
  openapi: '3.1.0',
  info: { title: 'Posthaste', description: DESCRIPTION, version: packageJson.version, license: { name: 'MIT', identifier: 'MIT' } },
  servers: [SERVER],
  tags: [...SECTION_LIST, ...PERSON_SECTION_LIST, ...(hasOperator ? OPERATOR_SECTION_LIST : [])],
  components: {
    headers: HEADERS,
    securitySchemes: {
      bearerAuth: {
        type: 'http',
        scheme: 'bearer',
        description: 'An API key, such as `re_...`. Enter only the key, without `Bearer`.',
      },
      oauth: {
        type: 'oauth2',
        description: 'An access token of a program. It needs the scope that the operation names, or `full_access`.',
        flows: {
          authorizationCode: {
            authorizationUrl: '/oauth/authorize',
            tokenUrl: '/oauth/token',
            refreshUrl: '/oauth/token',
            scopes: Object.fromEntries(SCOPES),
          },
        },
      },
      session: SESSION,
      ...(hasOperator && { operatorKey: OPERATOR_KEY }),
    },
  },
})

const SESSION = {
  type: 'apiKey' as const,
  in: 'cookie',
  name: '__Host-posthaste-console',
  description:
    'The session of a person who is signed in, which their browser sends from pages of this installation; the name is `posthaste-console` without TLS. No API key and no access token opens these operations.',
}

const OPERATOR_KEY = {
  type: 'http' as const,
  scheme: 'bearer',
  description: 'The setting `OPERATOR_KEY` of the installation. It opens no operation of a team, and no key of a team opens these.',
}

function securityOf(declared: Operation): object[] {
  if (declared.access === 'public') return []
  if (isForPeople(declared.access)) return [{ session: [] }]
  if (declared.access === 'operator') return [{ operatorKey: [] }, { session: [] }]
  return [{ bearerAuth: [] }, { oauth: requiredScopes(declared) }, ...(declared.isCount ? [{ oauth: [READ_NUMBERS] }] : [])]
}

const documented = (schema: object, declared: Operation): object => ({
  ...schema,
  ...(declared.body && { body: bodySchema(declared.body) }),
  security: securityOf(declared),
  description: [declared.description, ...requirementsOf(declared)].join(' '),
  ...(declared.isIdempotent && { headers: withIdempotencyKey(declared) }),
})

const requirementsOf = ({ sends, confirms }: Operation): string[] => [
  ...(typeof sends === 'string' ? [`An access token needs the scope \`${SEND_BROADCASTS}\` too ${sends}.`] : []),
  ...(confirms === undefined
    ? []
    : [
        `A person who is signed in has to confirm before that it is them${confirms === true ? '' : ` ${confirms}`}, which holds for 10 minutes; otherwise this is a 403 \`confirmation_required\`.`,
      ]),
]

const withIdempotencyKey = ({ headers }: Operation): object => ({
  type: 'object',
  properties: {
    ...headers?.properties,
    'Idempotency-Key': {
      type: 'string',
      minLength: 1,
      maxLength: IDEMPOTENCY_KEY_LENGTH_MAX,
      description:
        'Makes the request safe to retry for 24 hours: a request with the same key and the same body returns the first response and sends nothing again.',
    },
  },
})

type Media = { example?: unknown; schema?: unknown; encoding?: object }
type Response = { $ref?: string; description?: string; headers?: object; content?: Record<string, Media> }
type Parameter = { in?: string; name?: string; schema?: object; style?: string; explode?: boolean }
type Documented = {
  operationId?: string
  parameters?: Parameter[]
  requestBody?: { content?: Record<string, Media>; required?: boolean }
  responses?: Record<string, Response>
}
type Components = { responses?: Record<string, object>; schemas?: object }

/** Adds what Fastify's schemas cannot express: examples, headers, what a success means, and the errors. */
function withResponses<D extends { paths?: object; components?: Components }>(
  app: FastifyInstance,
  document: D,
  resources: readonly AnyResource[],
): D {
  const declared = new Map(app.operations.map((one) => [one.id, one]))
  const shared: Record<string, object> = {}
  for (const item of Object.values<Record<string, Documented>>({ ...document.paths })) {
    for (const described of Object.values(item)) {
      const operation = declared.get(described.operationId ?? '')
      if (!operation) continue
      for (const parameter of described.parameters ?? []) describeList(parameter, operation)
      describeRequest(described, operation)
      describeSuccess(described, operation)
      for (const { status, name, response } of errorResponses(operation, resources)) {
        if (name) shared[name] = response
        described.responses = { ...described.responses, [status]: name ? { $ref: `#/components/responses/${name}` } : response }
      }
    }
  }
  return { ...document, components: { ...document.components, responses: shared } }
}

/** A list of a query may be separated by commas, so the validator takes its values for any text. */
function describeList(parameter: Parameter, { query }: Operation): void {
  const items: unknown = parameter.in === 'query' ? query?.properties[parameter.name ?? '']?.['x-separated'] : undefined
  if (!isRecord(items)) return
  parameter.schema = { ...parameter.schema, items: { type: 'string', ...items } }
  parameter.style = 'form'
  parameter.explode = false
}

function describeRequest({ requestBody }: Documented, { body, example, upload }: Operation): void {
  if (!requestBody || !body) return
  // An object without required fields is not required itself.
  if (body.type === 'object') requestBody.required = (body.required ?? []).length > 0
  for (const media of Object.values(requestBody.content ?? {})) {
    media.example = example.body
    if (upload) media.encoding = describeEncoding(body)
  }
}

function describeSuccess({ responses }: Documented, operation: Operation): void {
  const { statuses, example } = operation
  for (const each of statuses) {
    const response: Response = responses?.[each] ?? {}
    response.description = each === statuses.at(-1) ? 'Success.' : 'Success: it existed already.'
    response.headers = responseHeaders(each, operation)
    for (const media of Object.values(response.content ?? {})) media.example = example.reply
  }
}

/** For a form: which parts are JSON. A list has a part for each item, whose type says what it is. */
const describeEncoding = (body: TSchema): object =>
  Object.fromEntries(jsonFields(body).map((name) => [name, { contentType: 'application/json' }]))

/**
 * A field of a form is a part or is not there, so it is never null. Generators write an item of a list as JSON only if no item is text, so where a
 * record and an id are both accepted, the document shows the record.
 */
function withForms<D extends { components?: Components }>(app: FastifyInstance, document: D): D {
  const schemas: Record<string, object> = { ...document.components?.schemas }
  for (const { upload, body } of app.operations) {
    const schema = upload && schemas[body?.$id ?? '']
    if (!schema || !('properties' in schema)) continue
    const properties = Object.entries(schema.properties as Record<string, TSchema>).map(([name, field]) => [
      name,
      withRecords(withoutNull(field)),
    ])
    schemas[body?.$id ?? ''] = { ...schema, properties: Object.fromEntries(properties) }
  }
  return { ...document, components: { ...document.components, schemas } }
}

function withoutNull({ anyOf, ...beside }: TSchema): TSchema {
  const choices: TSchema[] = (anyOf ?? []).filter(({ type }: TSchema) => type !== 'null')
  const [only, ...others] = choices
  if (only === undefined) return beside
  return others.length > 0 ? { ...beside, anyOf: choices } : { ...only, ...beside }
}

function withRecords(field: TSchema): TSchema {
  const { anyOf = [], ...beside }: TSchema = field.items ?? {}
  const record = anyOf.find(({ type }: TSchema) => type === 'object')
  return record ? { ...field, items: { ...record, ...beside } } : field
}

/** Schemas whose values the validator leaves to a parser, as readers of the document need them. */
const PARSED = {
  [SegmentFilter.$id ?? '']: DOCUMENTED_FILTER,
  [AutomationRule.$id ?? '']: DOCUMENTED_RULE,
  [AutomationStep.$id ?? '']: DOCUMENTED_STEP,
}

/** Sorted by name, because the order in which files are loaded means nothing to a reader. */
function withParsed<D extends { components?: Components }>(document: D): D {
  const schemas = { ...document.components?.schemas, ...withPointers(PARSED) }
  const byName = Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1))
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(byName) } }
}

/** Elsewhere the library turns the names of schemas into pointers. */
function withPointers<Part>(part: Part): Part {
  if (part === null || typeof part !== 'object') return part
  if (Array.isArray(part)) return part.map((entry) => withPointers(entry)) as Part
  const entries = Object.entries(part).map(([word, inner]) => [
    word,
    word === '$ref' ? `#/components/schemas/${inner}` : withPointers(inner),
  ])
  return Object.fromEntries(entries) as Part
}

/** Adds what only the document says, and removes the other `x-...`, which schemas use only for our validator and request log. Works on a copy, because these still read the schemas. */
function withoutOwnWords<Part>(part: Part, holdsNames = false): Part {
  if (part === null || typeof part !== 'object') return part
  if (Array.isArray(part)) return part.map((entry) => withoutOwnWords(entry)) as Part
  const words = holdsNames || !('x-documented' in part) ? part : { ...part, ...(part['x-documented'] as object) }
  const kept = Object.entries(words).filter(([word]) => holdsNames || !word.startsWith('x-'))
  return Object.fromEntries(kept.map(([word, inner]) => [word, withoutOwnWords(inner, !holdsNames && HOLD_NAMES.has(word))])) as Part
}

/** The keys in these are names that someone chose, even if one of them is `properties` itself. */
const HOLD_NAMES = new Set(['headers', 'properties'])
