// What a resource forgets to say does not compile: TypeScript reads these, and each mark stands for an error that it must find.
import { Type } from '@sinclair/typebox'
import { expect, it } from 'vitest'
import { operation, routes } from '../../src/routes/operation.ts'
import { Resource } from '../../src/schemas/resource.ts'
import { RESOURCES, resourceOf } from '../../src/schemas/resources.ts'

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
  // @ts-expect-error operations of a resource that is not in the list
  routes(PIGEONS, () => [])
  // @ts-expect-error without `access`
  operation({
    id: 'x.list',
    method: 'GET',
    path: '/x',
    summary: '',
    description: '',
    reply: item,
    example: { reply: example },
    handle: async () => example,
  })
  expect(resourceOf(PIGEONS.parameter)).toBeUndefined()
})

it('finds a resource by the parameter of a path, each by one of its own', () => {
  for (const resource of RESOURCES) expect(resourceOf(resource.parameter)).toBe(resource)
  expect(resourceOf('token')).toBeUndefined()
})
