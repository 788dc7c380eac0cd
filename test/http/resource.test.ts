// What a resource forgets to say does not compile: TypeScript reads these, and each mark stands for an error that it must find.
import { Type } from '@sinclair/typebox'
import { expect, it } from 'vitest'
import { declareOperations } from '../../src/http/operation.ts'
import { Resource } from '../../src/http/resource.ts'
import { RESOURCES, resourceOf } from '../../src/modules/routes.ts'

const item = Type.Object({ id: Type.String(), name: Type.String() })
const tag = { name: 'Pigeons', description: 'They carry the mail.' }
const example = { id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c76', name: 'Winkie' }

it('refuses a resource or an operation that lacks a part, and an example that is not its record', () => {
  const PIGEONS = Resource({ tag, noun: 'Pigeon', parameter: 'pigeon_id', item, example })
  // @ts-expect-error without its noun
  Resource({ tag, parameter: 'pigeon_id', item, example })
  // @ts-expect-error without its section
  Resource({ noun: 'Pigeon', parameter: 'pigeon_id', item, example })
  // @ts-expect-error a parameter that does not read as an id
  Resource({ tag, noun: 'Pigeon', parameter: 'pigeon', item, example })
  // @ts-expect-error an example without the name
  Resource({ tag, noun: 'Pigeon', parameter: 'pigeon_id', item, example: { id: example.id } })
  const operation = declareOperations(PIGEONS)
  const facts = { id: 'x.list', summary: '', description: '' }
  // @ts-expect-error without `access`
  operation({ ...facts, audit: 'never', reply: { 200: item }, example: { reply: example } })
  // @ts-expect-error without `audit`
  operation({ ...facts, access: 'full', reply: { 200: item }, example: { reply: example } })
  // @ts-expect-error an example that is not its reply
  operation({ ...facts, access: 'full', audit: 'never', reply: { 200: item }, example: { reply: { id: example.id } } })
  expect(resourceOf(PIGEONS.parameter)).toBeUndefined()
})

it('finds a resource by the parameter of a path, each by one of its own', () => {
  for (const resource of RESOURCES) expect(resourceOf(resource.parameter)).toBe(resource)
  expect(resourceOf('token')).toBeUndefined()
})
