import { readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { buildApp } from '../../src/app.ts'
import { describeApi } from '../../src/describe-api.ts'
import { namedSchemas } from '../../src/schemas/common.ts'
import { RESOURCES } from '../../src/schemas/resources.ts'
import { storedFiles } from '../support/builders/contact-imports.ts'
import { UNKNOWN_ID } from '../support/builders/email-builders.ts'
import { openRawSocket } from '../support/clients/raw-socket.ts'
import { createHandle } from '../support/clocks/handle.ts'
import { createMovingClock } from '../support/clocks/moving-clock.ts'
import { until } from '../support/clocks/until.ts'
import { startTestService, type TestService } from '../support/servers/service.ts'
import { formOf } from './forms.ts'
import { type Document, type DocumentedOperation, documentedOperations, documentedSchemas, type Media } from './openapi-document.ts'

const document = (await describeApi()) as Document
/** They page only if they are asked to. */
const WHOLE_LISTS = [
  'api-keys.list',
  'audiences.list',
  'automations.runs.list',
  'contacts.segments.list',
  'contacts.topics.list',
  'domains.list',
  'emails.attachments.list',
  'emails.receiving.attachments.list',
  'emails.receiving.list',
  'oauth-grants.list',
  'segments.list',
]
const operations = documentedOperations(document)

/** Every object in the document, with the JSON pointer to it. */
function* walk(value: unknown, pointer = ''): Generator<{ pointer: string; node: Record<string, unknown> }> {
  if (value === null || typeof value !== 'object') return
  if (!Array.isArray(value)) yield { pointer, node: value as Record<string, unknown> }
  for (const [key, entry] of Object.entries(value)) yield* walk(entry, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
}

/** Outside examples, which may hold anything. */
const nodes = [...walk(document)].filter(({ pointer }) => !/\/examples?(\/|$)/.test(pointer))

const ajv = new Ajv2020({ strict: false })
formats.default(ajv)
ajv.addSchema({ $id: 'document', ...document })

describe('the OpenAPI document', () => {
  it('has the parts that OpenAPI 3.1 asks for', () => {
    expect(document).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\.\d$/),
      info: { title: 'Posthaste', version: expect.any(String), description: expect.any(String) },
      servers: [{ url: '{scheme}://{host}', variables: { scheme: { default: 'http' }, host: { default: 'localhost:3000' } } }],
      components: { securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } } },
    })
  })

  it('is what is committed, as JSON and as YAML', async () => {
    expect(JSON.parse(await readFile('openapi/openapi.json', 'utf8'))).toEqual(document)
    expect(parse(await readFile('openapi/openapi.yaml', 'utf8'))).toEqual(document)
  })

  it('refers only to what it has', () => {
    const references = nodes.flatMap(({ node }) => (typeof node.$ref === 'string' ? [node.$ref] : []))
    const missing = references.filter((reference) => !ajv.getSchema(`document${reference}`))
    expect(missing).toEqual([])
    expect(references.length).toBeGreaterThan(50)
  })

  /** Generators join the name of a schema with that of its property where the property has no schema of its own. */
  it('has no two names that generators would make equal', () => {
    const named = Object.entries(document.components.schemas as Record<string, { properties?: Record<string, unknown> }>).flatMap(
      ([name, { properties = {} }]) => [
        { name, type: `#/components/schemas/${name}` },
        ...Object.entries(properties).map(([property, schema]) => {
          const choices = ((schema as { anyOf?: object[] }).anyOf ?? [schema]) as { $ref?: string }[]
          return { name: `${name}_${property}`, type: choices.find(({ $ref }) => $ref)?.$ref ?? `${name}.${property}` }
        }),
      ],
    )
    const types = new Map<string, Set<string>>()
    for (const { name, type } of named) {
      const joined = name.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      const key = joined.join('').toLowerCase()
      types.set(key, (types.get(key) ?? new Set()).add(type))
    }
    expect([...types.values()].filter((equal) => equal.size > 1).map((equal) => [...equal])).toEqual([])
  })

  it('names every schema that has a name, and no other', () => {
    const names = namedSchemas().map(({ $id }) => $id)
    expect(Object.keys(document.components.schemas).sort()).toEqual([...names].sort())
    for (const name of names) expect(name).toMatch(/^[A-Z][A-Za-z]+$/)
  })

  it('has only schemas that JSON Schema 2020-12 takes, and none of the words that 3.1 has dropped', () => {
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      expect({ name, isValid: ajv.validateSchema(schema) }).toEqual({ name, isValid: true })
    }
    expect(nodes.filter(({ node }) => 'nullable' in node || '$id' in node).map(({ pointer }) => pointer)).toEqual([])
  })

  it('says the type of each field, because generators make one without a type optional', () => {
    const always = nodes.filter(({ node }) => 'const' in node || (Array.isArray(node.enum) && node.enum.length === 1))
    expect(always.length).toBeGreaterThan(100)
    expect(always.filter(({ node }) => node.type === undefined).map(({ pointer }) => pointer)).toEqual([])
    const properties = [...documentedSchemas(document)].filter(({ isProperty }) => isProperty)
    const untyped = properties.filter(({ schema }) => !(schema.type ?? schema.$ref ?? schema.anyOf ?? schema.oneOf))
    expect(untyped.map(({ pointer }) => pointer)).toEqual([])
  })

  it('has the variants of a choice as components, each of which is found by the value of one field where there is such a field', () => {
    const choices = Object.entries(document.components.schemas).flatMap(([name, schema]) => {
      const variants = (schema.oneOf ?? schema.anyOf) as { $ref?: string }[] | undefined
      return variants?.every(({ $ref }) => $ref)
        ? [{ name, variants, discriminator: schema.discriminator as Discriminator | undefined }]
        : []
    })
    expect(choices.map(({ name, discriminator }) => [name, discriminator?.propertyName])).toEqual([
      ['AutomationRule', 'type'],
      ['AutomationRuleTest', 'operator'],
      ['AutomationStep', 'type'],
      ['SegmentFilter', undefined],
    ])
    for (const { variants, discriminator } of choices) {
      const components = variants.map(({ $ref }) => $ref)
      if (discriminator) expect([...new Set(Object.values(discriminator.mapping))].sort()).toEqual([...components].sort())
    }
  })
  type Discriminator = { propertyName: string; mapping: Record<string, string> }

  it('says the form of every time of an answer, and of no time that a client gives, because that may be in English', () => {
    const ISO = /^\d{4}-\d{2}-\d{2}T/
    const RECORD = /^\d{4}-\d{2}-\d{2} /
    const times = nodes.flatMap(({ pointer, node }) => {
      const [example] = Array.isArray(node.examples) ? node.examples : []
      const choices = (node.anyOf ?? [node]) as Record<string, unknown>[]
      return ISO.test(example) || RECORD.test(example) ? choices.map((choice) => ({ pointer, example, choice })) : []
    })
    const strings = times.filter(({ choice }) => choice.type !== 'null')
    expect(strings.length).toBeGreaterThan(150)
    for (const { pointer, example, choice } of strings) {
      if (ISO.test(example)) expect({ pointer, format: choice.format }).toEqual({ pointer, format: 'date-time' })
      else expect(example).toMatch(new RegExp((choice.pattern as string | undefined) ?? '$^', 'u'))
    }
    for (const name of ['EmailSend', 'EmailUpdate', 'BroadcastCreate', 'BroadcastSend']) {
      expect(JSON.stringify(document.components.schemas[name])).not.toContain('date-time')
    }
  })

  it('says how many records a list returns by default', () => {
    const limits = operations.flatMap(({ operation: { operationId, parameters = [] } }) =>
      parameters.filter(({ name }) => name === 'limit').map(({ schema, description }) => ({ operationId, schema, description })),
    )
    const whole = limits.filter(({ schema }) => schema?.default === undefined)
    expect(whole.map(({ operationId }) => operationId).sort()).toEqual(WHOLE_LISTS)
    for (const { description } of whole) expect(description).toContain('By default, all of them, up to 1,000')
  })

  it('names and describes each request of a webhook, which needs no credential of ours', () => {
    const requests = Object.values(document.webhooks).map(({ post }) => post)
    const ids = [...requests, ...operations.map(({ operation }) => operation)].map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { operationId, security } of requests) {
      expect(operationId).toMatch(/^webhooks\.receive\.[a-z.-]+$/)
      expect(security).toEqual([])
    }
  })

  it('has none of the words that the schemas have for our own validator and request log', () => {
    const named = nodes.filter(({ pointer }) => !/^\/components\/headers$|\/responses\/\w+\/headers$/.test(pointer))
    const own = named.flatMap(({ pointer, node }) =>
      Object.keys(node).flatMap((word) => (word.startsWith('x-') && word !== 'x-codeSamples' ? [`${pointer}/${word}`] : [])),
    )
    expect(own).toEqual([])
  })

  it('has its tags in their order, and every operation under one of them', () => {
    const names = document.tags.map(({ name }) => name)
    expect(names).toEqual([...new Set(RESOURCES.map(({ tag }) => tag.name))])
    expect([...new Set(operations.flatMap(({ operation }) => operation.tags ?? []))].sort()).toEqual([...names].sort())
  })
})

describe.each(operations.map((one) => [`${one.method.toUpperCase()} ${one.path}`, one] as const))(
  '%s',
  (_name, { method, path, operation }) => {
    const success = Object.keys(operation.responses).filter((status) => status.startsWith('2'))
    const errors = Object.entries(operation.responses).filter(([status]) => !status.startsWith('2'))

    it('has an id, words and the key that it needs', () => {
      const [, { oauth: scopes = [] } = {}] = (operation.security ?? []) as { oauth?: string[] }[]
      expect(operation).toMatchObject({
        operationId: expect.stringMatching(/^[a-z.-]+$/),
        summary: expect.stringMatching(/./),
        description: expect.stringMatching(/./),
        security: [{ bearerAuth: [] }, { oauth: scopes }],
      })
      expect(scopes.join(' ')).toMatch(/^[a-z-]+:(?:read|write|send)(?: emails:send)?(?: [a-z-]+:read)*$/)
    })

    it('declares each parameter of its path, and no other', () => {
      const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? [])
      for (const parameter of operation.parameters ?? []) {
        expect(parameter).toMatchObject({
          name: expect.any(String),
          in: expect.stringMatching(/^(path|query|header)$/),
          schema: expect.any(Object),
          description: expect.stringMatching(/./),
        })
        if (parameter.in === 'path') expect(parameter.required).toBe(true)
      }
    })

    it('has one success, or one for what is new and one for what is found, a named component with an example that fits it', () => {
      if (success.length !== 1) expect(success).toEqual(['200', '201'])
      for (const status of success) {
        expect(operation.responses[status]).toMatchObject({
          description: success.length === 2 && status === '200' ? 'Success: it existed already.' : 'Success.',
          content: {
            'application/json': { schema: { $ref: expect.stringMatching(/^#\/components\/schemas\/\w+$/) }, example: expect.anything() },
          },
        })
        expectFits(`paths/${escaped(path)}/${method}/responses/${status}`, operation.responses[status]?.content)
      }
    })

    it('has every error that any operation can end in, each in the one shape', () => {
      expect(errors.map(([status]) => status)).toEqual(expect.arrayContaining(['401', '403', '429', '500', '503']))
      if (operation.requestBody)
        expect(errors.map(([status]) => status)).toEqual(expect.arrayContaining(['400', '408', '413', '415', '422']))
      if (path.includes('{'))
        expect(errors.map(([status]) => status)).toEqual(expect.arrayContaining(isDeletedAnyway(operation) ? ['422'] : ['404', '422']))
      for (const [status, response] of errors) {
        expect(response).toMatchObject({
          description: expect.stringMatching(/.+\.$/),
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/Error' },
              example: { statusCode: Number(status), name: expect.stringMatching(/^[a-z_]+$/), message: expect.stringMatching(/./) },
            },
          },
        })
      }
    })
  },
)

/** The official service answers that these are deleted whether or not they existed, and clients rely on it. */
const isDeletedAnyway = ({ operationId }: { operationId: string }): boolean =>
  ['segments.delete', 'audiences.delete', 'audiences.contacts.delete'].includes(operationId)

describe('an example of an error', () => {
  let service: TestService
  /** The document of this service, with its own limits. */
  let served: Map<string, DocumentedOperation>
  beforeAll(async () => {
    service = await startTestService({
      environment: {
        TRUST_PROXY: '127.0.0.1',
        RATE_LIMIT_PER_SECOND: '1000000',
        REQUEST_BYTES_MAX: String(1024 * 1024),
        IMPORT_BYTES_MAX: String(1024 * 1024),
      },
    })
    const answer = await service.call('GET', '/openapi.json', { token: null })
    served = new Map(documentedOperations(answer.body as Document).map(({ operation }) => [operation.operationId, operation]))
  })
  afterAll(() => service.close())

  const path = (template: string, id = UNKNOWN_ID) => template.replace(/\{\w+\}(?=[^{]*$)/, id).replace(/\{\w+\}/g, UNKNOWN_ID)
  const exampleOf = ({ content }: { content?: Record<string, Media> }) => content?.['application/json']?.example as { message: string }

  /** Parameters that a request cannot do without, each with the first of the values that it may have. */
  const requiredQuery = ({ parameters = [] }: DocumentedOperation) => {
    const required = parameters.filter((one) => one.in === 'query' && one.required)
    return required.length === 0
      ? ''
      : `?${required.map(({ name, schema }) => `${name}=${(schema?.enum as string[] | undefined)?.[0]}`).join('&')}`
  }

  /** A request that ends in an error: what it changes in a request that succeeds. */
  type Wrong = { path?: string; token?: string | null; body?: unknown; headers?: Record<string, string> }
  const wrongs = (one: (typeof operations)[number]): [status: string, wrong: Wrong][] => {
    const { message } = exampleOf(one.operation.responses['422'] ?? {}) ?? { message: '' }
    const isUpload = 'multipart/form-data' in (one.operation.requestBody?.content ?? {})
    const invalid = !message.includes('parameter')
      ? { body: isUpload ? new FormData() : {} }
      : {
          path: one.path.includes('{')
            ? path(one.path, message.includes('UUID') ? 'x' : '%00')
            : `${one.path}?${/The `(\w+)` parameter/.exec(message)?.[1]}=0`,
        }
    const all: [string, Wrong][] = [
      ['400', isUpload ? { body: 'x', headers: FORM } : { body: '{' }],
      ['401', { token: null }],
      ['403', { token: 're_nobody' }],
      ['404', NAMING_NOTHING[one.operation.operationId] ?? { path: `${path(one.path)}${requiredQuery(one.operation)}` }],
      ['413', { body: 'x'.repeat(1024 * 1024 + 1), ...(isUpload && { headers: FORM }) }],
      ['415', { body: 'x', headers: { 'content-type': 'text/plain' } }],
      ['422', invalid],
    ]
    return all.filter(([status]) => status in one.operation.responses)
  }
  const withoutTemplate = { from: 'a@example.com', to: 'b@example.com', template: { id: UNKNOWN_ID } }
  /** Operations whose path has no id: the body or the query names what does not exist. */
  const NAMING_NOTHING: Record<string, Wrong> = {
    'emails.send': { body: withoutTemplate },
    'emails.send-batch': { body: [withoutTemplate] },
    'contacts.list': { path: `/contacts?segment_id=${UNKNOWN_ID}` },
  }
  const FORM = { 'content-type': 'multipart/form-data; boundary=b' }
  let callers = 0

  it.each(
    operations.flatMap((one) =>
      wrongs(one).map(([status, wrong]) => [status, `${one.method.toUpperCase()} ${one.path}`, { ...one, wrong }] as const),
    ),
  )('is what the service says: %s of %s', async (status, _name, one) => {
    callers += 1
    const { 'application/json': json, 'multipart/form-data': form } = one.operation.requestBody?.content ?? {}
    const right = json?.example ?? (form && formOf('file', form.example as object))
    const answer = await service.call(one.method.toUpperCase(), one.wrong.path ?? path(one.path), {
      token: one.wrong.token === undefined ? service.token : one.wrong.token,
      body: one.wrong.body ?? right,
      headers: { 'x-forwarded-for': `198.51.100.${callers}`, ...one.wrong.headers },
    })
    const response = served.get(one.operation.operationId)?.responses[status] ?? {}
    const { message } = answer.body as { message: string }
    const body = { ...(answer.body as object), message: message.replace('Email 0 of the batch (from 0): ', '') }
    expect({ status: answer.status, body }).toEqual({ status: Number(status), body: exampleOf(response) })
    for (const name of Object.keys(response.headers ?? {})) {
      // A credential that is refused has the limit of its address, once that is used up.
      if (status !== '401' && status !== '403') expect({ name, isThere: answer.headers.has(name) }).toEqual({ name, isThere: true })
    }
  })

  it('is what the service says of a file that arrives too slowly', async () => {
    const { context } = service.service
    const clock = createMovingClock()
    const judging = createHandle()
    const app = await buildApp({ ...context, clock }, { uploads: judging })
    const raw = await openRawSocket(await app.listen({ host: '127.0.0.1', port: 0 }))
    try {
      raw.write(`POST /contacts/imports HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Length: 1000\r\n`)
      raw.write(`Content-Type: ${FORM['content-type']}\r\n\r\n--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nemail\n`)
      await until(async () => expect(await storedFiles(service)).toHaveLength(1))
      clock.advance(60_000)
      judging.turn()
      expect((await raw.answer()).body).toEqual(exampleOf(served.get('contacts.imports.create')?.responses['408'] ?? {}))
    } finally {
      raw.close()
      await app.close()
    }
  })

  it('names keys for idempotency only where they are taken', () => {
    for (const { operation } of operations) {
      const takesKeys = operation.parameters?.some(({ name }) => name === 'Idempotency-Key') ?? false
      const description = operation.responses['400']?.description ?? ''
      expect({ id: operation.operationId, isNamed: description.includes('idempotency') }).toEqual({
        id: operation.operationId,
        isNamed: takesKeys,
      })
    }
  })

  it('tells how long to wait where waiting helps', () => {
    for (const { operation } of operations) {
      for (const [status, { headers }] of Object.entries(operation.responses)) {
        expect(headers).toHaveProperty('x-request-id')
        expect('retry-after' in (headers ?? {})).toBe(status === '429' || status === '503')
      }
    }
  })
})

const withBody = operations.filter(({ operation }) => operation.requestBody)

it.each(withBody.map((one) => [`${one.method.toUpperCase()} ${one.path}`, one] as const))(
  '%s takes one kind of body, with an example that fits',
  (_name, { method, path, operation }) => {
    const [type = ''] = Object.keys(operation.requestBody?.content ?? {})
    expect(['application/json', 'multipart/form-data']).toContain(type)
    expect(Object.keys(operation.requestBody?.content ?? {})).toHaveLength(1)
    expectFits(`paths/${escaped(path)}/${method}/requestBody`, operation.requestBody?.content)
  },
)

const escaped = (path: string): string => encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'))

function expectFits(pointer: string, content: Record<string, Media> = {}): void {
  const [[type = '', media] = []] = Object.entries(content)
  const validate = ajv.getSchema(`document#/${pointer}/content/${type.replace('/', '~1')}/schema`)
  expect(validate).toBeTypeOf('function')
  validate?.(media?.example)
  expect(validate?.errors ?? []).toEqual([])
}

describe('without a key', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.close())

  it('serves the document', async () => {
    const answer = await service.call('GET', '/openapi.json', { token: null })
    expect(answer).toMatchObject({ status: 200, body: { ...document, servers: [{ url: 'http://localhost:3000' }] } })
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  })

  it('serves the document with the public address, and to Swagger UI with the origin from which the page was opened', async () => {
    const mine = await startTestService({ environment: { PUBLIC_URL: 'https://mail.example.com' } })
    try {
      const serversAt = async (path: string) => (await mine.call('GET', path, { token: null })).body
      expect(await serversAt('/openapi.json')).toMatchObject({ servers: [{ url: 'https://mail.example.com' }] })
      expect(await serversAt('/docs/json')).toMatchObject({ servers: [{ url: '/' }] })
    } finally {
      await mine.close()
    }
  })

  it('serves Swagger UI and what it loads, all from this origin', async () => {
    const page = await service.call('GET', '/docs/', { token: null })
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => new URL(url ?? '', `${service.url}/docs/`))
    expect(files.length).toBeGreaterThan(3)
    for (const file of files) {
      expect(file.origin).toBe(service.url)
      expect({ file: file.pathname, status: (await service.call('GET', file.pathname, { token: null })).status }).toEqual({
        file: file.pathname,
        status: 200,
      })
    }
  })
})
