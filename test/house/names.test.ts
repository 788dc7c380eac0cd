// Every name that an operation accepts is visible, because people who read a list of records must see one.
import { beforeAll, describe, expect, it } from 'vitest'
import { describeApi } from '../../src/cli/generated/generated-files.ts'
import type { Operation } from '../../src/http/operation.ts'
import { type Records, recordsOf } from '../support/records/records.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { type Document, teamOperations } from './openapi-document.ts'

const document = (await describeApi()) as Document
const BLANK = ['  ', '\t\n', '\u00a0', '\u200b', '\u3164', '\u2800', '\u202e', '\u{e0020}']
/** The name of a domain is a host name. */
const NAMES_OF_DOMAINS = ['domains.create', 'domains.claims.create']
const VISIBLE = ['.', ' x ', '名', '🎉', '\u200bx']

const ids = teamOperations(document).flatMap(({ operation }) => {
  const { $ref = '' } = operation.requestBody?.content['application/json']?.schema ?? {}
  const { properties = {} } = document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}
  return Object.hasOwn(properties as object, 'name') && !NAMES_OF_DOMAINS.includes(operation.operationId) ? [operation.operationId] : []
})

let operations: Map<string, Operation>
let records: Records

const service = shared(() => startTestService())
beforeAll(() => {
  operations = new Map(service.service.app?.operations.map((operation) => [operation.id, operation]))
  records = recordsOf(service)
})

it('is a name of these operations among others', () => {
  expect(ids).toEqual(
    expect.arrayContaining([
      'api-keys.create',
      'api-keys.update',
      'audiences.create',
      'segments.create',
      'segments.update',
      'topics.create',
      'topics.update',
    ]),
  )
})

describe.each(ids)('the name of %s', (id) => {
  async function callWith(name: string) {
    const operation = operations.get(id)
    if (!operation) throw new Error(`The document names ${id}, which is not registered`)
    const { path, body } = await records.targetOf(operation)
    return service.call(operation.method, path, { body: { ...body, name } })
  }

  it('has at least one character that can be seen', async () => {
    const message = 'The `name` field must have at least one visible character.'
    for (const name of BLANK)
      expect({ name, ...(await callWith(name)) }).toMatchObject({ name, status: 422, body: { statusCode: 422, message } })
  })

  it('may be any such character', async () => {
    for (const name of VISIBLE)
      expect({ name, status: (await callWith(name)).status }).toEqual({ name, status: operations.get(id)?.statuses.at(-1) })
  })
})
