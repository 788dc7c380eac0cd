// Every operation that reads, with a token of its scopes alone: it shows no record of another section. A new operation is tested at once.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeApi } from '../../src/describe-api.ts'
import type { Operation } from '../../src/routes/operation.ts'
import { scopesOf } from '../../src/schemas/oauth-scopes.ts'
import { documentedOperations } from '../house/openapi-document.ts'
import { receiveEmail } from '../support/builders/received-emails.ts'
import { askForAccess, authorizeQuery, BUILT_IN_CLIENT, pkce, post } from '../support/clients/oauth-client.ts'
import { create } from '../support/records/record-builder.ts'
import { recordsOf } from '../support/records/records.ts'
import { startTestService, type TestService } from '../support/servers/service.ts'

const ids = documentedOperations(await describeApi()).flatMap(({ method, operation }) => (method === 'get' ? [operation.operationId] : []))
const REDIRECT_URI = 'http://127.0.0.1:1/oauth/callback'

/** The column of each section that gets its marker. */
const MARKED: Record<string, [table: string, column: string]> = {
  emails: ['emails', 'subject'],
  'received-emails': ['received_emails', 'subject'],
  templates: ['template_versions', 'subject'],
  contacts: ['contacts', 'first_name'],
  segments: ['segments', 'name'],
  topics: ['topics', 'name'],
  broadcasts: ['broadcasts', 'name'],
  automations: ['automations', 'name'],
  'api-keys': ['api_keys', 'name'],
}

/** What belongs to what is shown. */
const BY_NATURE: Record<string, { sections: string[]; reason: string }> = {
  'contacts.segments.list': { sections: ['segments'], reason: 'the segments that a contact is in are named' },
  'contacts.topics.list': { sections: ['topics'], reason: 'a choice is of a topic, which is named' },
  'contacts.export.retrieve': { sections: ['segments', 'topics'], reason: 'a person is told what is stored, by name' },
  'audiences.list': { sections: ['segments'], reason: 'an audience is a segment under its former name' },
  'audiences.retrieve': { sections: ['segments'], reason: 'an audience is a segment under its former name' },
}

const markerOf = (section: string) => `marker of ${section}.`

let service: TestService
let operations: Map<string, Operation>
let records: ReturnType<typeof recordsOf>
const tokens = new Map<string, Promise<string>>()

beforeAll(async () => {
  service = await startTestService()
  operations = new Map(service.service.app?.operations.map((operation) => [operation.id, operation]))
  records = recordsOf(service)
  await records.oneOfEach()
  const subject = markerOf('emails')
  // What webhooks and logs show of it.
  await create(service, '/webhooks', {
    endpoint: 'https://hooks.example.com/x',
    events: ['contact.created', 'email.received', 'email.sent'],
  })
  await create(service, '/contacts', { email: 'marked@example.com', first_name: markerOf('contacts') })
  await create(service, '/emails', { from: 'hello@example.com', to: 'delivered@simulator.test', subject, text: subject })
  await receiveEmail(service)
  for (const [section, [table, column]] of Object.entries(MARKED))
    await service.database.execute(`update ${table} set ${column} = $1`, [markerOf(section)])
  await service.service.context.repositories.requestLogs.flush()
})
afterAll(() => service.close())

function granted(scope: string): Promise<string> {
  const known = tokens.get(scope)
  if (known) return known
  const made = (async () => {
    const { verifier, challenge } = pkce()
    const query = authorizeQuery(BUILT_IN_CLIENT, challenge, { redirect_uri: REDIRECT_URI, scope })
    const code = (await askForAccess(service, query)).searchParams.get('code') ?? ''
    const fields = {
      grant_type: 'authorization_code',
      client_id: BUILT_IN_CLIENT,
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: verifier,
    }
    return String((await post(service, '/oauth/token', fields)).body.access_token)
  })()
  tokens.set(scope, made)
  return made
}

it.each(ids)('%s shows only its own sections', async (id) => {
  const operation = operations.get(id) as Operation
  const scopes = scopesOf(operation)
  const { path } = await records.targetOf(operation)
  const { status, text } = await service.call('GET', path, { token: await granted(scopes.join(' ')) })
  expect(status).toBe(200)
  const own = [...scopes.map((scope) => scope.split(':')[0]), ...(BY_NATURE[id]?.sections ?? [])]
  const foreign = Object.keys(MARKED).filter((section) => !own.includes(section))
  expect(foreign.filter((section) => text.includes(markerOf(section)))).toEqual([])
  if (!own.includes('contacts')) expect(text).not.toMatch(/(?:record|member)-\d+@example\.com|marked@example\.com/)
})

it.each(Object.keys(MARKED))('a marker of %s is seen by who may read everything', async (section) => {
  const paths: Record<string, string> = { 'received-emails': '/emails/receiving', templates: '' }
  const path = paths[section] ?? `/${section}`
  const shown =
    path === '' ? (await service.call('GET', (await records.targetOf(operations.get('templates.retrieve') as Operation)).path)).text : ''
  expect(shown + (path && (await service.call('GET', path)).text)).toContain(markerOf(section))
})
