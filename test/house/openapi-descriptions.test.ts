// Checks the words of the OpenAPI document, and that they are where generators and readers find them.
import { describe, expect, it } from 'vitest'
import { describeApi } from '../../src/cli/generated/generated-files.ts'
import { ERRORS } from '../../src/plugins/errors.ts'
import { type Document, documentedOperations, documentedSchemas } from './openapi-document.ts'
import { BRITISH, STILTED } from './stilted-words.ts'

const document = (await describeApi()) as Document
const operations = documentedOperations(document)
const schemas = [...documentedSchemas(document)]

/** Every description and summary, with where it stands. */
function* words(part: unknown, pointer = ''): Generator<{ pointer: string; text: string }> {
  if (part === null || typeof part !== 'object') return
  for (const [key, inner] of Object.entries(part)) {
    if ((key === 'description' || key === 'summary') && typeof inner === 'string') yield { pointer: `${pointer}/${key}`, text: inner }
    else if (key !== 'example' && key !== 'examples') yield* words(inner, `${pointer}/${key}`)
  }
}

describe('the words of the OpenAPI document', () => {
  it('describe every component', () => {
    const bare = Object.entries(document.components).flatMap(([kind, components]) =>
      Object.entries(components).flatMap(([name, component]) => ('description' in component ? [] : [`${kind}/${name}`])),
    )
    expect(bare).toEqual([])
  })

  it('describe every property of every schema, unless it is a component, which describes itself', () => {
    const properties = schemas.filter(({ isProperty, schema }) => isProperty && !schema.$ref)
    expect(properties.length).toBeGreaterThan(300)
    expect(properties.filter(({ schema }) => !schema.description).map(({ pointer }) => pointer)).toEqual([])
  })

  it('stand beside a choice of schemas, not inside its branches, unless a branch is a record with a title', () => {
    const branches = schemas.filter(({ pointer }) => /\/(anyOf|oneOf|allOf)\/\d+$/.test(pointer))
    expect(branches.length).toBeGreaterThan(150)
    const inside = branches.filter(({ schema }) => (schema.description || schema.examples || schema.deprecated) && !schema.title)
    expect(inside.map(({ pointer }) => pointer)).toEqual([])
    const nested = branches.filter(({ schema }) => schema.anyOf || schema.oneOf)
    expect(nested.map(({ pointer }) => pointer)).toEqual([])
  })

  it('name the kinds of error that there are', () => {
    const names = [...new Set(Object.values(ERRORS).map(({ name }) => name))].sort()
    expect(document.components.schemas.Error).toMatchObject({ properties: { name: { type: 'string', enum: names } } })
    expect(document.components.schemas.BatchError).toMatchObject({ properties: { name: { type: 'string', enum: names } } })
  })

  it('are sentences', () => {
    const all = [...words(document)].filter(({ pointer }) => pointer.endsWith('/description'))
    expect(all.length).toBeGreaterThan(500)
    expect(all.filter(({ text }) => !/^(?:[A-Z]|`).*\.$/s.test(text))).toEqual([])
  })

  it('are plain English', () => {
    expect([...words(document)].filter(({ text }) => STILTED.test(text) || BRITISH.test(text))).toEqual([])
  })
})

describe('a response of the OpenAPI document', () => {
  it('refers to its headers, which are components', () => {
    const headers = operations.flatMap(({ operation }) =>
      Object.values(operation.responses).flatMap((response) => Object.entries(response.headers ?? {})),
    )
    expect(headers.length).toBeGreaterThan(1_000)
    expect(headers.filter(([name, header]) => header.$ref !== `#/components/headers/${name}`)).toEqual([])
    expect([...new Set(headers.map(([name]) => name))].sort()).toEqual(Object.keys(document.components.headers).sort())
  })

  it('is written once, however many operations can end in it', () => {
    const inline = Object.values(document.paths).flatMap((item) =>
      Object.values(item).flatMap(({ responses }) =>
        Object.entries(responses).flatMap(([status, response]) =>
          status < '300' || status === '422' || '$ref' in response ? [] : [JSON.stringify(response)],
        ),
      ),
    )
    const components = Object.values(document.components.responses).map((response) => JSON.stringify(response))
    expect(new Set([...inline, ...components]).size).toBe(inline.length + components.length)
  })
})
