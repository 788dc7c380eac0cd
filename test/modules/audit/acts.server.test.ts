// Every operation that declares to be audited leaves one row for each call that changes something, and none that does not.
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { describeApi } from '../../../src/cli/generated/generated-files.ts'
import { newAct, performAct } from '../../../src/db/acts.ts'
import { isForPeople, type Operation } from '../../../src/http/operation.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { createId } from '../../../src/lib/ids.ts'
import { VALUE_CHARACTERS_MAX } from '../../../src/modules/audit/audit.schema.ts'
import { joinWaiting, verifyChain } from '../../../src/modules/audit/chain.service.ts'
import { formOf } from '../../house/forms.ts'
import { documentedOperations } from '../../house/openapi-document.ts'
import { personToken } from '../../support/clients/console.ts'
import { forEvery } from '../../support/for-every.ts'
import { type Records, recordsOf } from '../../support/records/records.ts'
import { type Answer, shared, startTestService } from '../../support/servers/service.ts'

const PERSON_ID = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4caa'

const service = shared(() =>
  startTestService({
    beforeListening: (app) =>
      // A person's request, as the audit log sees it.
      app.addHook('preHandler', async (request) => {
        if (request.headers['x-as-person'] === undefined) return
        Object.defineProperty(request, 'actor', {
          value: { kind: 'person', id: PERSON_ID, name: 'Ada', address: '198.51.100.7', userAgent: 'Browser' },
        })
      }),
  }),
)

const ids = documentedOperations(await describeApi()).map(({ operation }) => operation.operationId)
let operations: Map<string, Operation>
let records: Records
let person: string
beforeAll(async () => {
  person = await personToken(service, service.token)
  operations = new Map(service.service.app?.operations.map((operation) => [operation.id, operation]))
  records = recordsOf(service)
})

type Row = {
  id: string
  act: string
  actorKind: string
  actorId: string | null
  targetType: string | null
  targetId: string | null
  details: object
}

const rowsAfter = (id: string): Promise<Row[]> =>
  service.database.execute<Row>(
    `select id, act, actor_kind as "actorKind", actor_id as "actorId", target_type as "targetType", target_id as "targetId", details
       from audit_log where team_id = $1 and id > $2 order by id`,
    [service.teamId, id],
  )

const lastId = async (): Promise<string> =>
  (
    await service.database.execute<{ id: string }>('select id from audit_log where team_id = $1 order by id desc limit 1', [service.teamId])
  )[0]?.id ?? '00000000-0000-0000-0000-000000000000'

/** What has to be so for a call to change something. */
async function prepare(id: string, path: string): Promise<void> {
  const [, collection = '', record = ''] = path.split('/')
  if (id === 'templates.publish') await service.call('PATCH', `/templates/${record}`, { body: { subject: 'Changed' } })
  if (id === 'templates.versions.restore') await service.call('PATCH', `/templates/${record}`, { body: { subject: 'Changed' } })
  if (id === 'broadcasts.versions.restore') await service.call('PATCH', `/broadcasts/${record}`, { body: { subject: 'Changed' } })
  if (id === 'webhooks.replay')
    await service.database.execute(
      `insert into webhook_failures select webhook_id, id, 'gone', now() from webhook_messages where webhook_id = $1 limit 1`,
      [record],
    )
  if (id === 'contacts.segments.create') await service.call('DELETE', `/${collection}/${record}${path.slice(path.indexOf('/segments'))}`)
}

/** What a call of the operation adds, and the ids that it named or made. */
async function rowsOf(operation: Operation, headers: Record<string, string>): Promise<{ answer: Answer; rows: Row[]; ids: string[] }> {
  const { path, body: example, ids: named } = await records.targetOf(operation)
  await prepare(operation.id, path)
  // Which expects the version before the change that was just made.
  const body = operation.id === 'templates.publish' ? undefined : example
  const before = await lastId()
  const answer = await service.call(operation.method, path, {
    ...(operation.byPeople && { token: person }),
    headers,
    ...(body !== undefined && { body: operation.upload ? formOf(operation.upload.part, body) : body }),
  })
  expect([operation.id, answer.status, answer.text]).toEqual([operation.id, operation.statuses.at(-1), answer.text])
  if (operation.method !== 'GET') records.changedBy(operation)
  const made = (answer.body as { id?: string } | null)?.id
  return { answer, rows: await rowsAfter(before), ids: [...named, ...(made === undefined ? [] : [made])] }
}

/** Their acts are on several records. */
const ON_SEVERAL = new Set([
  'contacts.export',
  'emails.export',
  'emails.send-batch',
  'events.send',
  'events.send-batch',
  'suppressions.create-batch',
  'suppressions.delete-batch',
  'webhooks.replay',
])

describe('every operation', () => {
  it('leaves one row for a person, on the record that it names or makes, if it is audited', { timeout: 300_000 }, () =>
    forEvery(ids, async (id) => {
      const operation = operations.get(id)
      // What someone does for themselves is of no team.
      if (!operation || operation.audit === 'never' || isForPeople(operation.access)) return
      const { rows, ids: named } = await rowsOf(operation, { 'x-as-person': 'yes' })
      expect(rows).toEqual([expect.objectContaining({ act: id, actorKind: 'person', actorId: PERSON_ID })])
      if (!ON_SEVERAL.has(id)) expect([id, named]).toEqual([id, expect.arrayContaining([rows[0]?.targetId])])
    }),
  )

  it('leaves one for a key if it changes the configuration, and otherwise none', { timeout: 300_000 }, () =>
    forEvery(ids, async (id) => {
      const operation = operations.get(id)
      if (!operation || operation.byPeople || isForPeople(operation.access)) return
      const { rows } = await rowsOf(operation, {})
      expect([id, rows.map(({ act }) => act)]).toEqual([id, operation.audit === 'always' ? [id] : []])
    }),
  )
})

describe('a row', () => {
  const create = async (path: string, body: object): Promise<string> =>
    ((await service.call('POST', path, { body })).body as { id: string }).id

  const lastRow = async (): Promise<Row | undefined> => {
    const { rows } = await firstPage()
    return rows[0]
  }
  const firstPage = async () => ({
    rows: await service.database.execute<Row>(
      `select id, act, actor_kind as "actorKind", target_id as "targetId", details from audit_log where team_id = $1 order by id desc limit 1`,
      [service.teamId],
    ),
  })

  it('has what changed, before and after, and no more', async () => {
    const id = await create('/webhooks', { endpoint: 'https://example.com/hook', events: ['topic.created'] })
    expect(await lastRow()).toMatchObject({
      act: 'webhooks.create',
      targetId: id,
      details: { after: { endpoint: 'https://example.com/hook', status: 'enabled', secret: '[secret]' } },
    })
    await service.call('PATCH', `/webhooks/${id}`, { body: { status: 'disabled' } })
    expect(await lastRow()).toMatchObject({ targetId: id, details: { before: { status: 'enabled' }, after: { status: 'disabled' } } })
    await service.call('POST', `/webhooks/${id}/signing-secret/rotate`)
    expect(await lastRow()).toMatchObject({ details: { before: { secret: '[secret]' }, after: { secret: '[secret]' } } })
    await service.call('DELETE', `/webhooks/${id}`)
    const deleted = await lastRow()
    expect(deleted).toMatchObject({ act: 'webhooks.delete', targetId: id, details: { before: { status: 'disabled' } } })
    expect(deleted?.details).not.toHaveProperty('after')
  })

  it('has the address, the program and the name of the key', async () => {
    await create('/topics', { name: 'From somewhere', default_subscription: 'opt_in' })
    const { body } = await service.call('GET', '/audit-log?limit=1')
    expect(body).toMatchObject({
      has_more: true,
      data: [
        { action: 'topics.create', actor: { type: 'key', name: expect.any(String), ip_address: '127.0.0.1' }, target: { type: 'topic' } },
      ],
    })
  })

  it('has the length and the digest of a value that is longer than VALUE_CHARACTERS_MAX as JSON, and one that is as long itself', async () => {
    const segment = await create('/segments', { name: 'Everyone' })
    const draft = { name: 'Long', segment_id: segment, from: 'a@example.com', subject: 'Hello' }
    const longest = 'x'.repeat(VALUE_CHARACTERS_MAX - '""'.length)
    await create('/broadcasts', { ...draft, html: longest })
    expect(await lastRow()).toMatchObject({ details: { after: { html: longest } } })
    const html = `${longest}y`
    await create('/broadcasts', { ...draft, html })
    const sha256 = createHash('sha256').update(html).digest('hex')
    expect(await lastRow()).toMatchObject({ details: { after: { subject: 'Hello', html: { characters: html.length, sha256 } } } })
  })

  it('counts the records of an act on several, and keeps none of them', async () => {
    const emails = Array.from({ length: 30 }, (_, index) => `several-${index}@example.com`)
    const { status } = await service.call('POST', '/suppressions/batch/add', { headers: { 'x-as-person': 'yes' }, body: { emails } })
    expect(status).toBeLessThan(300)
    expect(await lastRow()).toMatchObject({ act: 'suppressions.create-batch', targetId: null, details: { count: emails.length } })
    expect(JSON.stringify(await lastRow())).not.toContain('several-')
  })

  it.each([
    ['an act that is refused', 'POST', '/domains', { name: 'not a name' }],
    ['an act on what does not exist', 'PATCH', '/webhooks/0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4cff', { status: 'disabled' }],
    ['an act that fails after it has locked a row', 'POST', '/broadcasts/:broadcast_id/cancel', undefined],
    ['an act that changes nothing', 'POST', '/broadcasts/:broadcast_id/pause', undefined],
  ])('is left by no %s', async (_what, method, path, body) => {
    const id = path.includes(':broadcast_id') ? await records.oneOfEach().then((all) => all.get('broadcast_id')) : undefined
    const before = await lastId()
    const { status } = await service.call(method, path.replace(':broadcast_id', id ?? ''), body === undefined ? {} : { body })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(await rowsAfter(before)).toEqual([])
  })

  it('is left once by a request that is repeated with its idempotency key', async () => {
    const headers = { 'x-as-person': 'yes', 'idempotency-key': 'once' }
    const body = { from: 'hello@example.com', to: 'delivered@simulator.test', subject: 'Once', text: 'Hello' }
    await records.targetOf(operations.get('emails.send') as Operation)
    const before = await lastId()
    const [first, second] = [
      await service.call('POST', '/emails', { headers, body }),
      await service.call('POST', '/emails', { headers, body }),
    ]
    expect(second.body).toEqual(first.body)
    expect(await rowsAfter(before)).toEqual([expect.objectContaining({ act: 'emails.send', targetId: (first.body as { id: string }).id })])
  })

  it('is rolled back with its act', async () => {
    const { database } = service
    const before = await lastId()
    const act = newAct('topics.create', {
      teamId: service.teamId,
      actor: { kind: 'system', id: null, name: null, address: null, userAgent: null },
      target: { type: 'topic', id: null, table: 'topics' },
      clock: systemClock,
    })
    const topic = { id: createId(), teamId: service.teamId, name: 'Undone', defaultSubscription: 'opt_in', visibility: 'private' }
    const data = { ...topic, createdAt: new Date(), updatedAt: new Date() }
    await performAct(act, async () => {
      const undone = database.records(async ({ tables }) => {
        await tables.topic.create({ data })
        throw new Error('undone')
      })
      await expect(undone).rejects.toThrow('undone')
      expect(await rowsAfter(before)).toEqual([])
      // Outside a transaction, a write is one.
      await database.tables.topic.create({ data })
      await database.tables.topic.updateMany({ where: { teamId: service.teamId, id: topic.id }, data: { name: 'Again' } })
    })
    await database.execute('update topics set name = $2 where team_id = $1 and id = $3', [service.teamId, 'Later', topic.id])
    expect(await rowsAfter(before)).toEqual([
      expect.objectContaining({ targetId: topic.id, details: { after: expect.objectContaining({ name: 'Undone' }) } }),
    ])
  })

  it('cannot be changed or removed', async () => {
    const { execute } = service.database
    for (const sql of [`update audit_log set act = 'x'`, 'delete from audit_log', 'truncate audit_log'])
      await expect(execute(sql)).rejects.toThrow('Rows of the audit log are only added')
  })
})

it('keeps the address of a webhook without its query, where many write a token', async () => {
  const endpoint = 'https://hooks.example.com/in'
  const { body } = await service.call('POST', '/webhooks', { body: { endpoint: `${endpoint}?token=first`, events: ['email.sent'] } })
  await service.call('PATCH', `/webhooks/${(body as { id: string }).id}`, { body: { endpoint: `${endpoint}?token=second` } })
  const shown = `${endpoint}?[secret]`
  const rows = await service.database.execute<{ details: object }>('select details from audit_log order by id')
  expect(rows.at(-1)).toMatchObject({ details: { before: { endpoint: shown }, after: { endpoint: shown } } })
  expect(JSON.stringify(rows)).not.toContain('token=')
})

it('keeps no secret that was made or sent', async () => {
  const key = (await service.call('POST', '/api-keys', { body: { name: 'Secret' } })).body as { token: string }
  const hook = (await service.call('POST', '/webhooks', { body: { endpoint: 'https://example.com/s', events: ['topic.created'] } }))
    .body as {
    id: string
    signing_secret: string
  }
  const rotated = (await service.call('POST', `/webhooks/${hook.id}/signing-secret/rotate`)).body as { signing_secret: string }
  const [{ text = '' } = {}] = await service.database.execute<{ text: string }>(
    'select string_agg(e::text, chr(10)) as text from audit_log e',
  )
  const digests = await service.database.execute<{ digest: string }>('select digest from api_keys')
  for (const secret of [key.token, hook.signing_secret, rotated.signing_secret, ...digests.map(({ digest }) => digest)]) {
    expect(secret.length).toBeGreaterThan(20)
    expect(text).not.toContain(secret)
  }
})

it('forgets what it says of a contact that is deleted, in the act that deletes it too, and its chain still fits', async () => {
  const marker = 'forgotten.marker@example.com'
  const headers = { 'x-as-person': 'yes' }
  const { teamId, database } = service
  const { id } = (await service.call('POST', '/contacts', { headers, body: { email: marker, first_name: marker } })).body as { id: string }
  await service.call('POST', '/suppressions', { headers, body: { email: marker } })
  const { repositories, auditKeys } = service.service.context
  const textOf = async () =>
    (
      await database.execute<{ text: string }>('select string_agg(e::text, chr(10)) as text from audit_log e where team_id = $1', [teamId])
    )[0]?.text
  for (let joined = -1; joined !== 0; ) ({ joined } = await joinWaiting({ repositories, auditKeys }))
  expect(await textOf()).toContain(marker)
  await service.call('DELETE', `/contacts/${id}`, { headers })
  expect(await textOf()).not.toContain(marker)
  await joinWaiting({ repositories, auditKeys })
  expect(await verifyChain(repositories, teamId, auditKeys())).toMatchObject({ chainBreak: null })
  const { body } = await service.call('GET', `/audit-log?target_id=${id}`)
  expect(body).toMatchObject({
    data: [
      { action: 'contacts.delete', after: null },
      { action: 'contacts.create', after: null, is_erased: true },
    ],
  })
})
