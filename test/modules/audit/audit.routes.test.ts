import { beforeAll, describe, expect, it } from 'vitest'
import { newAct } from '../../../src/db/acts.ts'
import { DAY_MS, systemClock } from '../../../src/lib/clock.ts'
import { createId } from '../../../src/lib/ids.ts'
import { grantedToken } from '../../support/clients/oauth-client.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())

const NOW = Date.now()
const KEY = createId()
const TARGET = createId()

/** The oldest first, a day after the other. */
const ACTS = ['a.create', 'b.create', 'a.update', 'b.update', 'a.delete']

beforeAll(async () => {
  const { auditLog } = service.service.context.repositories
  for (const [place, name] of ACTS.entries()) {
    const at = new Date(NOW - (ACTS.length - place) * DAY_MS)
    const actor =
      place % 2 === 0
        ? { kind: 'key' as const, id: KEY, name: '=cmd()', address: '192.0.2.1', userAgent: 'a "quoted", program' }
        : { kind: 'operator' as const, id: null, name: null, address: null, userAgent: null }
    const target = { type: 'topic', id: place < 2 ? TARGET : createId(), table: null }
    await auditLog.recordRead(newAct(name, { teamId: service.teamId, actor, target, clock: { ...systemClock, now: () => at } }))
  }
})

type List = { has_more: boolean; data: { id: string; action: string }[] }
const list = async (query: string): Promise<List> => (await service.call('GET', `/audit-log${query}`)).body as List
const acts = async (query: string) => (await list(query)).data.map(({ action }) => action)

describe('the list', () => {
  it.each([
    ['', ['a.delete', 'b.update', 'a.update', 'b.create', 'a.create']],
    ['?actor_type=operator', ['b.update', 'b.create']],
    [`?actor_id=${KEY}`, ['a.delete', 'a.update', 'a.create']],
    ['?action=a.update', ['a.update']],
    [`?target_id=${TARGET.toUpperCase()}`, ['b.create', 'a.create']],
    [`?target_id=${TARGET}&actor_type=operator`, ['b.create']],
    [`?start_date=${new Date(NOW - 3 * DAY_MS).toISOString()}&end_date=${new Date(NOW - 2 * DAY_MS).toISOString()}`, ['a.update']],
    ['?action=c.create', []],
  ])('with %s has what matches, newest first', async (query, found) => {
    expect(await acts(query)).toEqual(found)
  })

  it('has pages in both directions', async () => {
    const first = await list('?limit=2')
    expect(first).toMatchObject({ has_more: true, data: [{ action: 'a.delete' }, { action: 'b.update' }] })
    const second = await list(`?limit=2&after=${first.data[1]?.id}`)
    expect(second).toMatchObject({ has_more: true, data: [{ action: 'a.update' }, { action: 'b.create' }] })
    expect(await list(`?limit=2&before=${second.data[0]?.id}`)).toEqual({ ...first, has_more: false })
  })

  it('shows nothing of another team', async () => {
    const { body } = await service.call('GET', '/audit-log', { token: service.other.token })
    expect(body).toEqual({ object: 'list', has_more: false, data: [] })
  })

  it('needs a scope of its own, and shows a program what it may read besides', async () => {
    expect((await service.call('GET', '/audit-log', { token: await grantedToken(service, 'logs:read') })).status).toBe(403)
    const token = await grantedToken(service, 'audit-log:read')
    expect((await service.call('GET', '/audit-log?limit=1&actor_type=key', { token })).body).toMatchObject({
      data: [{ action: 'a.delete', actor: { type: 'key', id: KEY, name: null } }],
    })
  })
})

describe('an export', () => {
  it('is a file of lines, and an entry itself', async () => {
    const { text, headers } = await service.call('GET', '/audit-log?format=jsonl&actor_type=key')
    expect(headers.get('content-type')).toBe('application/jsonl; charset=utf-8')
    expect(headers.get('content-disposition')).toBe('attachment; filename="audit-log.jsonl"')
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { action: string })
    expect(lines.slice(1).map(({ action }) => action)).toEqual(['a.delete', 'a.update', 'a.create'])
    expect(lines[0]?.action).toBe('audit-log.list')
  })

  it('is CSV that no spreadsheet obeys', async () => {
    const { text, headers } = await service.call('GET', '/audit-log?format=csv&action=a.delete')
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const [heading, row, ...others] = text.trimEnd().split('\r\n')
    expect(heading).toBe(
      'id,created_at,action,actor_type,actor_id,actor_name,ip_address,user_agent,target_type,target_id,before,after,count',
    )
    expect(row).toContain(`,a.delete,key,${KEY},'=cmd(),192.0.2.1,"a ""quoted"", program",topic,`)
    expect(others).toEqual([])
  })
})

it('is told to a webhook that names the event, and to no other', async () => {
  const create = async (events: string[]) =>
    ((await service.call('POST', '/webhooks', { body: { endpoint: null, events } })).body as { id: string }).id
  const other = await create(['topic.created'])
  const told = await create(['audit.recorded'])
  const { body } = await service.call('POST', '/topics', { body: { name: 'News', default_subscription: 'opt_in' } })
  const { id } = body as { id: string }
  const eventsOf = async (webhookId: string) =>
    ((await service.call('GET', `/webhooks/${webhookId}/feed`)).body as { data: { payload: { type: string; data: object } }[] }).data
  // Its own creation is an entry, too.
  await expect.poll(async () => (await eventsOf(told)).length).toBe(2)
  expect((await eventsOf(told))[1]?.payload).toMatchObject({
    type: 'audit.recorded',
    data: { action: 'topics.create', actor: { type: 'key', ip_address: '127.0.0.1' }, target: { type: 'topic', id } },
  })
  expect((await eventsOf(other)).map(({ payload }) => payload.type)).toEqual(['topic.created'])
})
