// The filters of lists: what they find, how they page, and what they refuse.
import { beforeAll, describe, expect, it } from 'vitest'
import { createEmailSearches } from '../../src/db/bounded-queries.ts'
import { createId, LOWEST_ID } from '../../src/lib/ids.ts'
import { contactSearchRepository } from '../../src/modules/audience/contacts/contact-rows.repository.ts'
import { broadcastSearchRepository } from '../../src/modules/broadcasts/broadcast-searches.repository.ts'
import { emailLineRepository } from '../../src/modules/emails/email-searches.repository.ts'
import { logSearchRepository } from '../../src/modules/logs/logs.repository.ts'
import { untilEvent } from '../support/builders/engine.ts'
import { until } from '../support/clocks/until.ts'
import { shared, startTestService } from '../support/servers/service.ts'

const service = shared(() => startTestService({ environment: { ROLES: 'api,worker' } }))
type List = { data: Record<string, unknown>[]; has_more: boolean; searched_to?: string }

const create = async (path: string, body: object) => ((await service.call('POST', path, { body })).body as { id: string }).id
async function list(path: string, query: string, token = service.token): Promise<List> {
  const answer = await service.call('GET', `${path}?${withIds(query)}`, { token })
  expect(answer).toMatchObject({ status: 200 })
  expect(answer.headers.get('x-ignored-fields')).toBeNull()
  return answer.body as List
}

/** Their subjects, addresses, names or paths, newest first. */
const named = ({ data }: List) => data.map(({ subject, email, name, endpoint }) => subject ?? email ?? name ?? endpoint)

const TEMPLATE = createId()
let segment: string
let topic: string
let keyId: string
beforeAll(async () => {
  const email = { from: 'Acme <hello@acme.example>', to: 'delivered@simulator.test', text: 'Hello' }
  const sent = [
    [await create('/emails', { ...email, subject: 'Receipt 100% 1', tags: [{ name: 'kind', value: 'receipt' }] }), 'delivered'],
    [
      await create('/emails', { ...email, subject: 'Receipt 2', to: 'bounced@simulator.test', tags: [{ name: 'kind', value: 'other' }] }),
      'bounced',
    ],
    [
      await create('/emails', {
        ...email,
        subject: 'News',
        from: 'news@other.example',
        to: ['delivered@simulator.test', 'bounced@simulator.test'],
      }),
      'delivered',
    ],
  ] as const
  for (const [id, event] of sent) await untilEvent(service, id, event)
  await until(async () => expect(await service.database.execute('select from deliveries')).toEqual([]))
  await service.database.execute(`update emails set template_id = $1 where subject = 'News'`, [TEMPLATE])
  for (const [address, name] of [
    ['ada@example.com', 'Ada'],
    ['grace@example.com', 'Grace'],
    ['ada@example.org', 'Countess'],
  ] as const)
    await create('/contacts', { email: address, first_name: name })
  segment = await create('/segments', { name: 'All' })
  const other = await create('/segments', { name: 'Other' })
  topic = await create('/topics', { name: 'News', default_subscription: 'opt_in' })
  const draft = { from: 'news@acme.example', subject: 'News', text: 'News' }
  for (const [name, segmentId] of [
    ['first', segment],
    ['second', other],
    ['third', segment],
  ] as const)
    await create('/broadcasts', { ...draft, name, segment_id: segmentId, ...(name !== 'first' && { topic_id: topic }) })
  await service.database.execute(`update broadcasts set status = 'canceled' where name in ('first', 'second')`)
  await service.call('GET', `/emails/${createId()}`)
  await service.service.context.repositories.requestLogs.flush()
  const [key] = await service.database.execute<{ id: string }>(
    `select id from api_keys where team_id = $1 and permission = 'full_access'`,
    [service.teamId],
  )
  keyId = key?.id ?? ''
})

/** A query in which words stand for ids, so that the names of the tests say what is looked for. */
const withIds = (query: string): string =>
  query
    .replace('=SEGMENT', `=${segment.toUpperCase()}`)
    .replace('=segment', `=${segment}`)
    .replace('=topic', `=${topic}`)
    .replace('=key', `=${keyId}`)
    .replace('=template', `=${TEMPLATE}`)
    .replace('=unknown', `=${createId()}`)
    .replace('=tomorrow', `=${TOMORROW}`)

const TOMORROW = new Date(Date.now() + 86_400_000).toISOString()

describe('a filter', () => {
  it.each<[path: string, query: string, found: unknown[]]>([
    ['/emails', 'status=bounced', ['News', 'Receipt 2']],
    ['/emails', 'status=delivered', ['News', 'Receipt 100% 1']],
    ['/emails', 'from=HELLO@acme.example', ['Receipt 2', 'Receipt 100% 1']],
    ['/emails', 'from=other.example', ['News']],
    ['/emails', 'to=Bounced@simulator.test', ['News', 'Receipt 2']],
    ['/emails', 'to=bounced@simulator.test&from=acme.example', ['Receipt 2']],
    ['/emails', 'subject=receipt', ['Receipt 2', 'Receipt 100% 1']],
    ['/emails', 'subject=%25', ['Receipt 100% 1']],
    ['/emails', 'tag=kind', ['Receipt 2', 'Receipt 100% 1']],
    ['/emails', 'tag=kind:receipt', ['Receipt 100% 1']],
    ['/emails', 'broadcast_id=unknown', []],
    ['/emails', 'template_id=template', ['News']],
    ['/emails', 'template_id=template&status=failed', []],
    ['/emails', 'start_date=tomorrow', []],
    ['/emails', 'to=bounced@simulator.test&after=ffffffff-ffff-7fff-bfff-ffffffffffff', ['News', 'Receipt 2']],
    ['/emails', 'start_date=0001-01-01&subject=news', ['News']],
    ['/broadcasts', 'end_date=0001-01-01', []],
    ['/logs', 'end_date=1969-12-31', []],
    ['/emails', 'start_date=2001-01-01&end_date=tomorrow&subject=news', ['News']],
    ['/contacts', 'search=ADA@', ['ada@example.org', 'ada@example.com']],
    ['/contacts', 'search=countess', ['ada@example.org']],
    ['/broadcasts', 'status=canceled', ['second', 'first']],
    ['/broadcasts', 'segment_id=SEGMENT', ['third', 'first']],
    ['/broadcasts', 'segment_id=segment&status=draft', ['third']],
    ['/broadcasts', 'topic_id=topic', ['third', 'second']],
    ['/broadcasts', 'segment_id=segment&topic_id=topic', ['third']],
    ['/broadcasts', 'topic_id=topic&status=canceled', ['second']],
    ['/logs', 'path=/segments', ['/segments', '/segments']],
    ['/logs', 'status=4xx', [expect.stringMatching(/^\/emails\/.{36}$/)]],
    ['/logs', 'status=404&method=POST', []],
    ['/logs', 'method=POST&path=/broad&api_key_id=key', ['/broadcasts', '/broadcasts', '/broadcasts']],
    ['/logs', 'api_key_id=unknown', []],
  ])('of %s finds what it names: %s', async (path, query, found) => {
    expect(named(await list(path, query))).toEqual(found)
    expect(named(await list(path, query, service.other.token))).toEqual([])
  })

  it.each<[path: string, query: string]>([
    ['/emails', 'from=acme.example'],
    ['/emails', 'to=bounced@simulator.test'],
    ['/contacts', 'search=ada'],
    ['/broadcasts', 'status=canceled'],
    ['/broadcasts', 'segment_id=segment'],
    ['/broadcasts', 'topic_id=topic'],
    ['/logs', 'path=/segments'],
    ['/logs', 'path=/segments&api_key_id=key'],
  ])('of %s pages in both directions', async (path, query) => {
    const [newest, oldest] = (await list(path, query)).data.map(({ id }) => String(id))
    const page = async (more: string) => {
      const { data, has_more: hasMore } = await list(path, `${query}&limit=1${more}`)
      return { ids: data.map(({ id }) => id), hasMore }
    }
    expect(await page('')).toEqual({ ids: [newest], hasMore: true })
    expect(await page(`&after=${newest}`)).toEqual({ ids: [oldest], hasMore: false })
    expect(await page(`&before=${oldest}`)).toEqual({ ids: [newest], hasMore: false })
    expect(await page(`&before=${LOWEST_ID}`)).toEqual({ ids: [oldest], hasMore: true })
  })

  it.each([
    ['/emails?status=returned', 'The `status` parameter must be one of'],
    ['/emails?status=', 'The `status` parameter must be one of'],
    ['/emails?from=', 'The `from` parameter must not be empty.'],
    ['/emails?from=a@', 'The `from` parameter must be an email address or a domain, such as ada@example.com or example.com. It is "a@".'],
    ['/emails?from=not%20a%20domain', 'The `from` parameter must be an email address or a domain'],
    ['/emails?to=ada', 'The `to` parameter must be an email address'],
    ['/emails?to=a@b.example&to=c@d.example', 'The `to` parameter is given 2 times. Give it once.'],
    ['/emails?tag=', 'The `tag` parameter must not be empty.'],
    ['/emails?tag=:x', 'The `tag` parameter must be the name of a tag, or `name:value`, such as category:receipt.'],
    ['/emails?tag=kind:', 'The `tag` parameter must be the name of a tag, or `name:value`, such as category:receipt.'],
    ['/emails?tag=a&tag=b', 'The `tag` parameter is given 2 times. Give it once.'],
    ['/emails?from=@acme.example', 'The `from` parameter must be an email address'],
    ['/emails?start_date=', 'The `start_date` parameter must not be empty.'],
    ['/emails?end_date=%20', 'The `end_date` parameter'],
    ['/emails?broadcast_id=', 'The `broadcast_id` parameter'],
    ['/emails?broadcast_id=1', 'The `broadcast_id` parameter'],
    ['/emails?template_id=1', 'The `template_id` parameter'],
    ['/emails?start_date=yesterday', 'The `start_date` parameter'],
    ['/emails?start_date=2001-01-02&end_date=2001-01-01', 'The `start_date` parameter must be on or before `end_date`.'],
    ['/emails?subject=a%00', 'The `subject` parameter holds a NUL'],
    [`/contacts?search=a&segment_id=${createId()}`, 'Give either `search` or `segment_id`, not both.'],
    ['/contacts?search=', 'The `search` parameter must not be empty.'],
    ['/contacts?search=a&search=b', 'The `search` parameter is given 2 times. Give it once.'],
    ['/logs?path=', 'The `path` parameter must not be empty.'],
    ['/logs?status=404&status=500', 'The `status` parameter is given 2 times. Give it once.'],
    ['/broadcasts?status=bounced', 'The `status` parameter must be one of'],
    ['/logs?status=4x', 'The `status` parameter must be a status, such as `404`, or a kind of status, such as `4xx`.'],
    ['/logs?method=PUT', 'The `method` parameter must be one of'],
    ['/logs?api_key_id=re_1', 'The `api_key_id` parameter'],
  ])('that is malformed is a 422: %s', async (path, message) => {
    expect(await service.call('GET', path)).toMatchObject({ status: 422, body: { message: expect.stringContaining(message) } })
  })
})

describe('a search that has looked at as many records as it may', () => {
  const searches = () => createEmailSearches(service.database)
  const place = { after: null, before: null, limit: 2 }
  const range = { since: null, until: null }

  it.each<[what: string, search: () => Promise<unknown>, table: string]>([
    [
      'emails',
      () =>
        emailLineRepository(service.database, { searches: searches(), searchedMax: 2 }).searchPage(service.teamId, {
          ...place,
          ...range,
          ...{ words: null, state: null, to: null, broadcast: null, domain: null, tag: null, subject: '100%' },
        }),
      'emails',
    ],
    [
      'contacts',
      () =>
        contactSearchRepository(service.database, { searches: searches(), searchedMax: 2 }).searchPage(service.teamId, {
          ...place,
          words: 'x',
          part: 'ada@example.com',
        }),
      'contacts',
    ],
    [
      'broadcasts',
      () =>
        broadcastSearchRepository({ searches: searches(), searchedMax: 2 }).searchPage(service.teamId, {
          ...place,
          ...range,
          segmentId: null,
          topicId: null,
          status: 'queued',
        }),
      'broadcasts',
    ],
    [
      'logs',
      () =>
        logSearchRepository({ searches: searches(), searchedMax: 2 }).searchPage(service.teamId, {
          ...place,
          ...{ path: '/nowhere', method: null, status: null, apiKeyId: null, from: null, until: null },
        }),
      'request_logs',
    ],
  ])('says where to go on: %s', async (_what, search, table) => {
    // Logs of the requests above are written a moment later.
    await service.service.context.repositories.requestLogs.flush()
    const newest = await service.database.execute<{ id: string }>(`select id from ${table} where team_id = $1 order by id desc limit 2`, [
      service.teamId,
    ])
    expect(await search()).toEqual({ rows: [], hasMore: true, searchedTo: newest[1]?.id })
  })
})

it('an unknown query parameter is named as an unknown field of a body is', async () => {
  const answer = await service.call('GET', '/emails?state=bounced&limit=1&x[y]=%C3%9C')
  expect([answer.status, answer.headers.get('x-ignored-fields')]).toEqual([200, 'state, x[y]'])
  const body = { name: 'Key', colour: 'red' }
  expect((await service.call('POST', '/api-keys?dry_run=true', { body })).headers.get('x-ignored-fields')).toBe('dry_run, colour')
})
