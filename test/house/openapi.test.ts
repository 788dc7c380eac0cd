import { readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { describeApi } from '../../src/compose.ts'
import { TAGS } from '../../src/routes/operation.ts'
import { namedSchemas } from '../../src/schemas/common.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { type Document, documentedOperations, type Media } from './openapi-document.ts'

const document = (await describeApi()) as Document
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
      servers: [{ url: '/' }],
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

  it('describes every property of every component', () => {
    const bare = nodes.filter(
      ({ pointer, node }) =>
        /^\/components\/schemas\/\w+\/properties\/\w+$/.test(pointer) && !('description' in node || '$ref' in node || 'anyOf' in node),
    )
    expect(bare.map(({ pointer }) => pointer)).toEqual([])
  })

  it('has its tags in their order, and every operation under one of them', () => {
    expect(document.tags).toEqual(Object.entries(TAGS).map(([name, description]) => ({ name, description })))
    expect([...new Set(operations.flatMap(({ operation }) => operation.tags ?? []))].sort()).toEqual(Object.keys(TAGS).sort())
  })
})

describe.each(operations.map((one) => [`${one.method.toUpperCase()} ${one.path}`, one] as const))(
  '%s',
  (_name, { method, path, operation }) => {
    const success = Object.keys(operation.responses).filter((status) => status.startsWith('2'))
    const errors = Object.entries(operation.responses).filter(([status]) => !status.startsWith('2'))

    it('has an id, words and the key that it needs', () => {
      expect(operation).toMatchObject({
        operationId: expect.stringMatching(/^[a-z.-]+$/),
        summary: expect.stringMatching(/./),
        description: expect.stringMatching(/./),
        security: [{ bearerAuth: [] }],
      })
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

    it('has one success, which is a named component, with an example that fits it', () => {
      expect(success).toHaveLength(1)
      const [status = ''] = success
      expect(operation.responses[status]).toMatchObject({
        description: 'Success.',
        content: {
          'application/json': { schema: { $ref: expect.stringMatching(/^#\/components\/schemas\/\w+$/) }, example: expect.anything() },
        },
      })
      expectFits(`paths/${escaped(path)}/${method}/responses/${status}`, operation.responses[status]?.content)
    })

    it('has every error that any operation can end in, each in the one shape', () => {
      expect(errors.map(([status]) => status)).toEqual(expect.arrayContaining(['401', '403', '429', '500', '503']))
      if (operation.requestBody) expect(errors.map(([status]) => status)).toEqual(expect.arrayContaining(['400', '413', '415', '422']))
      if (path.includes('{')) expect(errors.map(([status]) => status)).toEqual(expect.arrayContaining(['404', '422']))
      for (const [status, response] of errors) {
        expect(response).toMatchObject({
          description: expect.stringMatching(/.+\.$/),
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/Error' },
              example: { statusCode: Number(status), name: expect.stringMatching(/^[a-z_]+$/), message: expect.stringMatching(/.+\.$/) },
            },
          },
        })
      }
    })
  },
)

const withBody = operations.filter(({ operation }) => operation.requestBody)

it.each(withBody.map((one) => [`${one.method.toUpperCase()} ${one.path}`, one] as const))(
  '%s takes JSON, with an example that fits',
  (_name, { method, path, operation }) => {
    expect(Object.keys(operation.requestBody?.content ?? {})).toEqual(['application/json'])
    expectFits(`paths/${escaped(path)}/${method}/requestBody`, operation.requestBody?.content)
  },
)

const escaped = (path: string): string => encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'))

function expectFits(pointer: string, content: Record<string, Media> = {}): void {
  const validate = ajv.getSchema(`document#/${pointer}/content/application~1json/schema`)
  expect(validate).toBeTypeOf('function')
  validate?.(content['application/json']?.example)
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
    expect(answer).toMatchObject({ status: 200, body: document })
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
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
