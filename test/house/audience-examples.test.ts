// The operations of the audience can be tried one after another with their examples.
import { expect, it } from 'vitest'
import { describeApi } from '../../src/cli/generated/generated-files.ts'
import { AUDIENCES } from '../../src/modules/audience/audiences/audiences.schema.ts'
import { CONTACTS } from '../../src/modules/audience/contacts/contacts.schema.ts'
import { CONTACT_PROPERTIES } from '../../src/modules/audience/properties/properties.schema.ts'
import { SEGMENTS, SegmentFilter } from '../../src/modules/audience/segments/segments.schema.ts'
import { TOPICS } from '../../src/modules/audience/topics/topics.schema.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { teamOperations } from './openapi-document.ts'

const AUDIENCE = [CONTACT_PROPERTIES, TOPICS, SEGMENTS, CONTACTS, AUDIENCES].map(({ tag }) => tag.name)

const service = shared(() => startTestService())

it('has examples that work in the order of the document on a team that has nothing', async () => {
  const tried = teamOperations(await describeApi()).flatMap(({ method, path, operation }) => {
    const body = operation.requestBody?.content['application/json']?.example
    const ofAudience = AUDIENCE.some((tag) => operation.tags?.includes(tag))
    const needsId = /\{(?!contact_id\})/.test(path) || [SEGMENTS, TOPICS].some(({ example }) => JSON.stringify(body)?.includes(example.id))
    if (!ofAudience || needsId || method === 'delete') return []
    // Swagger UI fills in the examples of all parameters, including optional ones.
    const examples = (operation.parameters ?? []).filter(({ example }) => example !== undefined)
    const query = new URLSearchParams()
    for (const { in: place, name, example = '' } of examples) if (place === 'query') query.set(name, example)
    const filled = examples.reduce((text, { name, example = '' }) => text.replace(`{${name}}`, example), path)
    return [{ method: method.toUpperCase(), path: query.size > 0 ? `${filled}?${query}` : filled, body }]
  })
  const answers: string[] = []
  for (const { method, path, body } of tried) {
    const { status } = await service.call(method, path, { body })
    answers.push(`${method} ${path} ${status}`)
  }
  expect(answers).toEqual(
    expect.arrayContaining(['POST /contact-properties 201', 'POST /contacts 201', 'GET /contacts/ada@example.com 200']),
  )
  expect(answers.filter((answer) => !/ 20[01]$/.test(answer))).toEqual([])
})

it('has examples of filters that find the contact of the examples', async () => {
  for (const filter of SegmentFilter.examples) {
    const { status, body } = await service.call('POST', '/segments', { body: { name: 'Found', filter } })
    expect(status).toBe(201)
    const found = await service.call('GET', `/segments/${(body as { id: string }).id}/contacts`)
    expect(found.body).toMatchObject({ data: [{ email: 'ada@example.com' }] })
  }
})
