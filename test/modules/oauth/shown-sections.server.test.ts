// Every operation, with a token of its scopes alone: its answer shows no record of another section, and neither does what is kept of requests and
// events. A new operation is tested at once.
import { beforeAll, describe, expect, it } from 'vitest'
import { describeApi } from '../../../src/cli/generated/generated-files.ts'
import type { Operation } from '../../../src/http/operation.ts'
import { createId } from '../../../src/lib/ids.ts'
import { mayReadRequest, requiredScopes, SCOPE_NAMES } from '../../../src/modules/accounts/scopes.ts'
import { formOf } from '../../house/forms.ts'
import { teamOperations } from '../../house/openapi-document.ts'
import { addRun, reached } from '../../support/builders/automations.ts'
import { grantedToken } from '../../support/clients/oauth-client.ts'
import {
  CONTACT_ADDRESSES,
  createMarkedTeam,
  MARKED,
  type MarkedTeam,
  markerOf,
  RECIPIENT,
  shownIn,
} from '../../support/records/section-markers.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const operationIds = teamOperations(await describeApi()).map(({ operation }) => operation.operationId)

/** What belongs to what is shown. The consent page says so. */
const BY_NATURE: Record<string, { sections: string[]; reason: string }> = {
  'contacts.segments.list': { sections: ['segments'], reason: 'the segments that a contact is in are named' },
  'contacts.topics.list': { sections: ['topics'], reason: 'a choice is of a topic, which is named' },
  'contacts.export.retrieve': { sections: ['segments', 'topics'], reason: 'a person is told what is stored, by name' },
  'oauth-grants.list': { sections: ['members'], reason: 'who allowed the access is named' },
  'audiences.list': { sections: ['segments'], reason: 'an audience is a segment under its former name' },
  'audiences.retrieve': { sections: ['segments'], reason: 'an audience is a segment under its former name' },
}

let operations: Map<string, Operation>
let marked: MarkedTeam
let records: MarkedTeam['records']
let webhookId: string
let contactId: string
const tokens = new Map<string, Promise<string>>()

const service = shared(() => startTestService())
beforeAll(async () => {
  operations = new Map(service.service.app?.operations.map((operation) => [operation.id, operation]))
  marked = await createMarkedTeam(service)
  ;({ records, webhookId, contactId } = marked)
})

const mark = () => marked.mark()

function granted(scope: string): Promise<string> {
  const known = tokens.get(scope)
  if (known) return known
  const made = grantedToken(service, scope)
  tokens.set(scope, made)
  return made
}

const sectionsOf = (scopes: string[]) => scopes.flatMap((scope) => scope.split(':', 1))

function expectNoForeign(text: string, own: string[]): void {
  expect(shownIn(text).filter((section) => !own.includes(section))).toEqual([])
  if (own.includes('contacts')) return
  expect(text).not.toMatch(CONTACT_ADDRESSES)
  if (!own.includes('emails')) expect(text).not.toContain(RECIPIENT)
}

/** Segments under their former name, and counts of all sections. */
const NOT_OWN = ['audiences', 'numbers']

it('marks each section for which there is a scope', () => {
  const sections = SCOPE_NAMES.filter((scope) => scope.endsWith(':read')).flatMap((scope) => scope.split(':', 1))
  expect(Object.keys(MARKED).sort()).toEqual(sections.filter((section) => !NOT_OWN.includes(section)).sort())
})

const read = [...operationIds].filter((id) => /\.(?:list|retrieve)$/.test(id))

it('shows the marker of each section to someone who may read everything', async () => {
  const seen = new Set<string>()
  for (const id of read) {
    const operation = operations.get(id) as Operation
    const { text } = await service.call('GET', (await records.targetOf(operation)).path)
    const own = sectionsOf(requiredScopes(operation))
    for (const section of shownIn(text)) if (own.includes(section)) seen.add(section)
    if (id === 'broadcasts.recipients.list') expect(text).toContain(RECIPIENT)
    if (id === 'automations.runs.retrieve') expect(text).toContain(markerOf('events'))
  }
  expect([...seen].sort()).toEqual(Object.keys(MARKED).sort())
})

describe('what is kept of requests and events', () => {
  it('is logged for those who may read what the request of each operation showed', async () => {
    const shown: string[] = []
    for (const id of read.filter((id) => !id.startsWith('logs.'))) {
      const operation = operations.get(id) as Operation
      const { path } = await records.targetOf(operation)
      const isOfContact = id === 'broadcasts.previews.retrieve' || id === 'contacts.export.retrieve'
      await service.call('GET', isOfContact ? path.replace(/\/contacts\/[^/]+\//, `/contacts/${contactId}/`) : path)
      await service.service.context.repositories.requestLogs.flush()
      const { body } = await service.call('GET', '/logs?limit=1')
      const logId = (body as { data: { id: string }[] }).data[0]?.id
      const section = operation.resource.tag.name.toLowerCase().replaceAll(' ', '-')
      const { text } = await service.call('GET', `/logs/${logId}`, { token: await granted(`logs:read ${section}:read`) })
      if (text.includes('"response_body":{')) shown.push(id)
      expectNoForeign(text, ['logs', section, ...(BY_NATURE[id]?.sections ?? [])])
    }
    expect(shown.length).toBeGreaterThan(20)
  })

  it.each([
    ['/broadcasts/b/recipients', 'broadcasts', 'contacts'],
    ['/broadcasts/b/preview', 'broadcasts', 'contacts'],
    ['/broadcasts/b/test', 'broadcasts', 'contacts'],
    ['/events/send', 'events', 'contacts'],
    ['/events/send/batch', 'events', 'contacts'],
    ['/automations/a/simulate', 'automations', 'contacts events templates'],
    ['/automations/a/runs/r', 'automations', 'contacts events'],
    ['/contacts/c/export', 'contacts', 'emails events automations suppressions'],
    ['/segments/s/contacts', 'segments', 'contacts'],
  ])('is logged of %s only for those who may read %s and %s', (path, section, others) => {
    const may = (sections: string[]) => mayReadRequest({ scopes: sections.map((name) => `${name}:read`) }, path)
    const all = [section, 'contacts', 'events', 'templates', 'emails', 'automations', 'suppressions']
    expect(may(all)).toBe(true)
    for (const other of [section, ...others.split(' ')]) expect([other, may(all.filter((name) => name !== other))]).toEqual([other, false])
  })

  it.each(['/webhooks/w/events/e', '/webhooks/w/feed', '/usage'])('is logged of %s for full access only', (path) => {
    const everything = SCOPE_NAMES.filter((scope) => scope !== 'full_access')
    expect(mayReadRequest({ scopes: everything }, path)).toBe(false)
    expect(mayReadRequest({ scopes: ['full_access'] }, path)).toBe(true)
    expect(mayReadRequest({}, path)).toBe(true)
  })

  it('is in the events of a webhook only for those who may read the record', async () => {
    const alone = await granted('webhooks:read')
    await expect.poll(async () => (await service.call('GET', `/webhooks/${webhookId}/feed`)).text).toContain('marked@example.com')
    expectNoForeign((await service.call('GET', `/webhooks/${webhookId}/feed`, { token: alone })).text, ['webhooks'])
    const { data } = (await service.call('GET', `/webhooks/${webhookId}/events`)).body as { data: { id: string }[] }
    expect(data.length).toBeGreaterThan(0)
    for (const { id } of data)
      expectNoForeign((await service.call('GET', `/webhooks/${webhookId}/events/${id}`, { token: alone })).text, ['webhooks'])
  })
})

it.each([...read, ...operationIds.filter((id) => !read.includes(id))])('%s shows only its own sections', async (id) => {
  const operation = operations.get(id) as Operation
  // The example may be what leads to mail.
  const scopes = [...new Set([...requiredScopes(operation), ...(operation.sends ? ['broadcasts:send'] : [])])]
  const { path, body } = await records.targetOf(operation)
  if (operation.method !== 'GET') await mark()
  const { status, text, headers } = await service.call(operation.method, path, {
    token: await granted(scopes.join(' ')),
    ...(body !== undefined && { body: operation.upload ? formOf(operation.upload.part, body) : body }),
  })
  if (operation.method !== 'GET') records.changedBy(operation)
  expect(status).toBe(operation.statuses.at(-1))
  expectNoForeign(`${text} ${headers.get('x-warnings') ?? ''}`, [...sectionsOf(scopes), ...(BY_NATURE[id]?.sections ?? [])])
})

it.each(['events:read', 'contacts:read'])(
  'the outputs of a run are null for a token that lacks one of its scopes and has %s',
  async (scope) => {
    const automationId = (await records.oneOfEach()).get('automation_id') ?? ''
    const steps = { start: reached({ output: { to: ['marked@example.com'], plan: markerOf('events') } }) }
    const path = `/automations/${automationId}/runs/${await addRun(service, automationId, { steps, contactId: createId() })}`
    const outputs = async (token: string) =>
      ((await service.call('GET', path, { token })).body as { steps: { output: unknown }[] }).steps.map(({ output }) => output)
    expect(await outputs(await granted(`automations:read ${scope}`))).toEqual([null, null])
    expect(await outputs(await granted('automations:read events:read contacts:read'))).toContainEqual(steps.start.output)
  },
)

it('the export of a contact shows what events said in a run only with events:read', async () => {
  const path = `/contacts/${contactId}/export`
  const exported = async (scope: string) => {
    const { text, body } = await service.call('GET', path, { token: await granted(scope) })
    expect((body as { automation_runs: unknown[] }).automation_runs).not.toEqual([])
    return text.includes(markerOf('events'))
  }
  expect(await exported('contacts:read automations:read')).toBe(false)
  expect(await exported('contacts:read automations:read events:read')).toBe(true)
})

it('the export of a contact shows its suppression only with suppressions:read', async () => {
  const email = 'suppressed@example.com'
  await service.call('POST', '/suppressions', { body: { email } })
  const exported = async (scope: string) => (await service.call('GET', `/contacts/${email}/export`, { token: await granted(scope) })).body
  expect(await exported('contacts:read')).toMatchObject({ suppression: null, events: [] })
  expect(await exported('contacts:read suppressions:read')).toMatchObject({ suppression: { origin: 'manual' } })
})

it.each([
  ['GET', 'preview?contact=marked@example.com', 'broadcasts:read', undefined],
  ['POST', 'test', 'emails:send broadcasts:read', { to: ['delivered@simulator.test'], contact: 'marked@example.com' }],
] as const)('%s /broadcasts/{id}/%s names a contact only with contacts:read', async (method, rest, scopes, body) => {
  const path = `/broadcasts/${(await records.oneOfEach()).get('broadcast_id')}/${rest}`
  const call = async (scope: string) => service.call(method, path, { token: await granted(scope), ...(body && { body }) })
  const refused = await call(scopes)
  expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('`contacts:read`')])
  expect((await call(`${scopes} contacts:read`)).status).toBe(200)
})
