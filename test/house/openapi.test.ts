import { readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { describeApi } from '../../src/cli/generated/generated-files.ts'
import { namedSchemas } from '../../src/lib/validation/common.schema.ts'
import { OPERATOR_RESOURCES, PERSON_RESOURCES, RESOURCES } from '../../src/modules/routes.ts'
import { forEvery } from '../support/for-every.ts'
import { type Document, documentedOperations, documentedSchemas, isOfOperator, isOfPerson, type Media } from './openapi-document.ts'

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
  'invitations.list',
  'me.passkeys.list',
  'me.sessions.list',
  'members.list',
  'oauth-grants.list',
  'segments.list',
]
/** Their answer is a file. */
const FILES = new Set(['contacts.export', 'emails.export', 'emails.metrics.export', 'broadcasts.recipients.export'])
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

  it('has only patterns that linear matchers read, such as those of Go, Rust and pydantic: none looks ahead or back', () => {
    const patterns = nodes.flatMap(({ node }) => (typeof node.pattern === 'string' ? [node.pattern] : []))
    expect(patterns.length).toBeGreaterThan(50)
    expect(patterns.filter((pattern) => /\(\?<?[=!]|\\[1-9k]/.test(pattern))).toEqual([])
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
    expect(names).toEqual([...new Set([...RESOURCES, ...PERSON_RESOURCES, ...OPERATOR_RESOURCES].map(({ tag }) => tag.name))])
    expect([...new Set(operations.flatMap(({ operation }) => operation.tags ?? []))].sort()).toEqual([...names].sort())
  })
})

const nameOf = ({ method, path }: (typeof operations)[number]): string => `${method.toUpperCase()} ${path}`

describe('every operation', () => {
  it('has an id, words and the key that it needs', () =>
    forEvery(
      operations,
      ({ operation }) => {
        const [, { oauth: scopes = [] } = {}, ...narrower] = (operation.security ?? []) as { oauth?: string[] }[]
        expect(operation).toMatchObject({
          operationId: expect.stringMatching(/^[a-z.-]+$/),
          summary: expect.stringMatching(/./),
          description: expect.stringMatching(/./),
          security: isOfOperator(operation)
            ? [{ operatorKey: [] }, { session: [] }]
            : isOfPerson(operation)
              ? [{ session: [] }]
              : [{ bearerAuth: [] }, { oauth: scopes }, ...narrower],
        })
        if (!isOfOperator(operation) && !isOfPerson(operation))
          expect(scopes.join(' ')).toMatch(
            /^[a-z-]+:(?:read|write|send|resend|subscriptions|delete)(?: broadcasts:send)?(?: [a-z-]+:read)*(?: contacts:write segments:write)?$/,
          )
        expect([[], [{ oauth: ['numbers:read'] }]]).toContainEqual(narrower)
      },
      nameOf,
    ))

  it('declares each parameter of its path, and no other', () =>
    forEvery(
      operations,
      ({ path, operation }) => {
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
      },
      nameOf,
    ))

  it('has one success, or one for what is new and one for what is found, a named component with an example that fits it', () =>
    forEvery(
      operations,
      ({ method, path, operation }) => {
        const success = Object.keys(operation.responses).filter((status) => status.startsWith('2'))
        if (success.length !== 1) expect(success).toEqual(['200', '201'])
        for (const status of success) {
          const media = path === '/live' ? 'text/event-stream' : FILES.has(operation.operationId) ? 'text/csv' : 'application/json'
          expect(operation.responses[status]).toMatchObject({
            description: success.length === 2 && status === '200' ? 'Success: it existed already.' : 'Success.',
            content: {
              [media]: { schema: { $ref: expect.stringMatching(/^#\/components\/schemas\/\w+$/) }, example: expect.anything() },
            },
          })
          expectFits(`paths/${escaped(path)}/${method}/responses/${status}`, operation.responses[status]?.content)
        }
      },
      nameOf,
    ))

  it('has every error that any operation can end in, each in the one shape', () =>
    forEvery(
      operations,
      ({ path, operation }) => {
        const errors = Object.entries(operation.responses).filter(([status]) => !status.startsWith('2'))
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
      },
      nameOf,
    ))

  it('takes one kind of body, if any, with an example that fits', () =>
    forEvery(
      operations.filter(({ operation }) => operation.requestBody),
      ({ method, path, operation }) => {
        const [type = ''] = Object.keys(operation.requestBody?.content ?? {})
        expect(['application/json', 'multipart/form-data']).toContain(type)
        expect(Object.keys(operation.requestBody?.content ?? {})).toHaveLength(1)
        expectFits(`paths/${escaped(path)}/${method}/requestBody`, operation.requestBody?.content)
      },
      nameOf,
    ))

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

/** The official service answers that these are deleted whether or not they existed, and clients rely on it. */
const isDeletedAnyway = ({ operationId }: { operationId: string }): boolean =>
  ['segments.delete', 'segments.removal.retrieve', 'audiences.delete', 'audiences.contacts.delete'].includes(operationId)

const escaped = (path: string): string => encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'))

function expectFits(pointer: string, content: Record<string, Media> = {}): void {
  const [[type = '', media] = []] = Object.entries(content)
  const validate = ajv.getSchema(`document#/${pointer}/content/${type.replace('/', '~1')}/schema`)
  expect(validate).toBeTypeOf('function')
  validate?.(media?.example)
  expect(validate?.errors ?? []).toEqual([])
}
