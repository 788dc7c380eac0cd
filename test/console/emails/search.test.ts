import { beforeAll, describe, expect, it } from 'vitest'
import { NOTHING_SOUGHT, type Sought } from '../../../src/console/emails/search-form.ts'
import { searchPage } from '../../../src/console/emails/search-page.ts'
import { createEmailSearches } from '../../../src/db/bounded-queries.ts'
import { emailLineRepository } from '../../../src/modules/emails/email-searches.repository.ts'
import { createBroadcast } from '../../support/builders/broadcasts.ts'
import { emailInput, send, UNKNOWN_ID } from '../../support/builders/emails.ts'
import { type Seen, signIn, visit } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let cookie: string
const ids: Record<string, string> = {}

const service = shared(() => startTestService())
beforeAll(async () => {
  cookie = await signIn(service)
  ids.order = await send(service, { subject: 'Your order 100%_sure \\ done', to: 'Anna <anna@example.org>' })
  ids.grüße = await send(service, { subject: 'GRÜSSE aus Köln', from: 'Shop <shop@example.com>', cc: 'copy@example.net' })
  ids.mixed = await send(service, { subject: 'Two of them', to: ['one@example.org', 'two@example.org'] })
  ids.later = await send(service, { subject: 'Later', scheduled_at: 'in 2 hours', bcc: 'hidden@example.net' })
  await send(service, { subject: 'Tagged', from: 'Shop <shop@example.net>', tags: [{ name: 'kind', value: 'receipt' }] })
  await send(service, { subject: 'Their order', to: 'anna@example.org' }, { token: service.other.token })
  await service.database.execute("update recipients set state = 'delivered' where email_id = $1", [ids.mixed])
  await service.database.execute("update recipients set state = 'bounced' where email_id = $1 and address = 'two@example.org'", [ids.mixed])
  await service.database.execute("update emails set last_event = 'delivered' where id = $1", [ids.mixed])
})

const ANY = { words: null, state: null, to: null, broadcast: null, domain: null, tag: null, since: null, until: null }

const search = (query: Record<string, string>): Promise<Seen> =>
  visit(service, 'GET', `/console/emails?${new URLSearchParams(query)}`, { cookie })
const subjects = ({ text }: Seen) => [...text.matchAll(/class="subject" dir="auto">([^<]*)</g)].map(([, subject]) => subject)

describe('a search in the console', () => {
  it.each([
    ['a part of a subject, in any case', 'ORDER', ['Your order 100%_sure \\ done']],
    ['letters beyond ASCII, in any case', 'grüsse aus köln', ['GRÜSSE aus Köln']],
    ['characters that mean something in a pattern', '100%_sure \\', ['Your order 100%_sure \\ done']],
    ['no pattern', 'your%done', []],
    ['the address of a recipient', 'anna@', ['Your order 100%_sure \\ done']],
    ['the sender', 'shop@example.com', ['GRÜSSE aus Köln']],
    ['a copy', 'copy@example.net', ['GRÜSSE aus Köln']],
    ['a blind copy', 'hidden@', ['Later']],
    ['what nothing has', 'nothing like it', []],
  ])('finds %s', async (_what, q, wanted) => {
    expect(subjects(await search({ q }))).toEqual(wanted)
  })

  it.each([
    ['delivered', ['Two of them']],
    // Applies to one recipient: the email as a whole counts as delivered.
    ['bounced', ['Two of them']],
    ['scheduled', ['Later']],
    ['queued', ['Tagged', 'GRÜSSE aus Köln', 'Your order 100%_sure \\ done']],
    ['canceled', []],
  ])('finds what is %s', async (state, wanted) => {
    expect(subjects(await search({ state }))).toEqual(wanted)
  })

  it.each<[Record<string, string>, string[]]>([
    [{ to: 'ANNA@example.org' }, ['Your order 100%_sure \\ done']],
    [{ to: 'two@example.org' }, ['Two of them']],
    [{ to: 'anna@example.or' }, []],
    [{ to: 'hidden@example.net', state: 'scheduled' }, ['Later']],
    [{ domain: 'EXAMPLE.com', q: 'grüsse' }, ['GRÜSSE aus Köln']],
    [{ domain: 'ample.com' }, []],
    [{ domain: 'example_com' }, []],
    [{ tag: 'kind: receipt' }, ['Tagged']],
    [{ tag: 'kind' }, ['Tagged']],
    [{ tag: 'kind:order' }, []],
    [{ since: '1990-01-01', until: '2000-01-01' }, []],
    [{ since: '2000-01-01', q: 'later' }, ['Later']],
  ])('finds by %j', async (query, wanted) => {
    expect(subjects(await search(query))).toEqual(wanted)
  })

  it.each([
    [{ to: 'nobody' }, 'The <code>to</code> field'],
    [{ since: 'yesterday' }, 'The <code>since</code> field must be a day in the form YYYY-MM-DD, from 1970 on.'],
    [{ until: '2001-02-31x' }, 'The <code>until</code> field must be a day'],
    [{ until: '1960-01-01' }, 'The <code>until</code> field must be a day'],
    [{ broadcast: 'spring' }, 'The <code>broadcast</code> field must be the id of a broadcast.'],
  ])('says what is wrong with %j', async (query, sentence) => {
    const seen = await search(query)
    expect([seen.status, seen.text.includes(sentence)]).toEqual([422, true])
  })

  it('finds the emails of a broadcast, alone and with other filters', async () => {
    const broadcast = await createBroadcast(service, { name: 'Spring <sale>' })
    await service.database.execute("update broadcasts set status = 'sent' where id = $1", [broadcast])
    await service.database.execute('update emails set broadcast_id = $1 where id = any($2::uuid[])', [broadcast, [ids.order, ids.mixed]])
    const seen = await search({ broadcast: broadcast.toUpperCase() })
    expect(subjects(seen)).toEqual(['Two of them', 'Your order 100%_sure \\ done'])
    expect(seen.text).toContain(`<option value="${broadcast}" selected>Spring &lt;sale&gt;</option>`)
    expect(subjects(await search({ broadcast, to: 'anna@example.org' }))).toEqual(['Your order 100%_sure \\ done'])
    expect(subjects(await search({ broadcast, state: 'bounced' }))).toEqual(['Two of them'])
    expect(subjects(await search({ broadcast, until: '2000-01-01' }))).toEqual([])
    expect(subjects(await search({ broadcast: UNKNOWN_ID }))).toEqual([])
    const others = await signIn(service, service.other.token)
    const theirs = await visit(service, 'GET', `/console/emails?broadcast=${broadcast}`, { cookie: others })
    expect([subjects(theirs), theirs.text.includes('Spring')]).toEqual([[], false])
  })

  it('keeps both conditions in the form, escaped, and says when nothing is found', async () => {
    const seen = await search({ q: '"><b>', state: 'bounced' })
    expect(seen.status).toBe(200)
    expect(seen.text).toContain('value="&quot;&gt;&lt;b&gt;"')
    expect(seen.text).toContain('<option value="bounced" selected>bounced</option>')
    expect(seen.text).toContain('No email found. <a href="/console/emails">Show all mail</a>')
    // The results of a search are not updated by themselves.
    expect(seen.text).not.toContain('data-live')
  })

  it('is all mail when nothing is asked for', async () => {
    const seen = await search({ q: ' ', state: '' })
    expect(subjects(seen)).toHaveLength(5)
    expect(seen.text).toContain('data-live="/console/emails/lines"')
  })

  it('takes an unknown state for any', async () => {
    const seen = await search({ q: '', state: 'nope' })
    expect([seen.status, subjects(seen).length]).toEqual([200, 5])
  })

  it('pages through what it finds', async () => {
    const team = await service.service.context.repositories.teams.create('Many')
    const token = await service.createKey(team.id)
    const theirs = await signIn(service, token)
    const items = Array.from({ length: 60 }, (_, index) => emailInput({ subject: `Found ${index}` }))
    await service.call('POST', '/emails/batch', { token, body: items })
    const first = await visit(service, 'GET', '/console/emails?q=found', { cookie: theirs })
    const next = /href="([^"]*)" rel="next">Older →</.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const second = await visit(service, 'GET', next, { cookie: theirs })
    const wanted = items.map(({ subject }) => subject).reverse()
    expect([subjects(first), subjects(second)]).toEqual([wanted.slice(0, 50), wanted.slice(50)])
    expect(second.text).not.toContain('rel="next"')
    expect(second.text).toContain('<a href="/console/emails?q=found">← Newest</a>')
  })
})

describe('searches that cost a lot', () => {
  const EMAILS = 3_000
  /** Almost found at every letter, and never found. */
  const HOSTILE = `${'a'.repeat(59)}b`

  beforeAll(() =>
    service.database.execute(
      `insert into emails (id, team_id, api_key_id, state, last_event, from_domain, "from", "to", subject, created_at)
       select gen_random_uuid(), $1, gen_random_uuid(), 'queued', 'delivered', 'example.com', 'from@example.com', '{to@example.com}', repeat('a', 5000), now()
         from generate_series(1, $2::int)`,
      [service.other.teamId, EMAILS],
    ),
  )

  it('leave connections to everyone else, however many are sent at once', async () => {
    const theirs = await signIn(service, service.other.token)
    const searches = Promise.all(
      Array.from({ length: 60 }, () => visit(service, 'GET', `/console/emails?q=${HOSTILE}`, { cookie: theirs })),
    )
    const meanwhile = await service.call('GET', '/emails')
    const statuses = (await searches).map(({ status }) => status)
    expect(meanwhile.status).toBe(200)
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
    expect(statuses).toContain(503)
  })

  it('are given up after their time, with a page that says so', async () => {
    const lines = emailLineRepository(service.database, { searches: createEmailSearches(service.database, { msMax: 1 }) })
    await expect(lines.search(service.other.teamId, { ...ANY, words: HOSTILE, after: null, limit: 50 })).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('This search took longer than 0.001 seconds'),
    })
  })

  it('have a page for those that find no place', async () => {
    const theirs = await signIn(service, service.other.token)
    const seen = await Promise.all(
      Array.from({ length: 60 }, () => visit(service, 'GET', `/console/emails?q=${HOSTILE}`, { cookie: theirs })),
    )
    // The others were found, or took too long.
    const refused = seen.find(({ text }) => text.includes('Other searches are being run already. Please try again in a few seconds.'))
    expect(refused).toMatchObject({ status: 503 })
    expect(refused?.headers.get('retry-after')).toBe('2')
  })

  it('are short', async () => {
    expect((await search({ q: 'a'.repeat(61) })).status).toBe(422)
  })
})

describe('the bound of a search', () => {
  const bounded = (searchedMax: number) =>
    emailLineRepository(service.database, { searches: createEmailSearches(service.database), searchedMax })
  const found = { ...ANY, words: 'order', limit: 50 }

  it('ends it after so many emails of the team, and says where to go on', async () => {
    const first = await bounded(3).search(service.teamId, { ...found, after: null })
    expect({
      ids: first.rows.map(({ id }) => id),
      searchedMax: first.searchedMax,
      after: first.next?.after,
      why: first.next?.isBecauseOfBound,
    }).toEqual({
      ids: [],
      searchedMax: 3,
      after: ids.mixed,
      why: true,
    })
    const second = await bounded(3).search(service.teamId, { ...found, after: first.next?.after ?? null })
    expect({ ids: second.rows.map(({ id }) => id), next: second.next }).toEqual({ ids: [ids.order], next: null })
  })
})

describe('a search that ended early', () => {
  const sought = (more: Partial<Sought>): string =>
    searchPage({
      ...{
        teamName: 't',
        broadcasts: [],
        now: new Date(0),
        sought: { ...NOTHING_SOUGHT, ...more },
        after: null,
        problem: null,
        publicUrl: 'u',
      },
      findings: { rows: [], searchedMax: 5, next: { after: UNKNOWN_ID, isBecauseOfBound: true, createdAt: new Date(0) } },
    })

  it.each([
    [{ words: 'x' }, 'Choose a recipient, a broadcast or days as well'],
    [{ words: 'x', since: '2001-02-03' }, 'Choose fewer days, or a recipient or a broadcast as well'],
    [{ words: 'x', broadcast: UNKNOWN_ID }, 'Choose a recipient as well'],
    [{ words: 'x', to: 'a@example.com' }, 'Choose days as well'],
    [{ words: 'x', to: 'a@example.com', until: '2001-02-03' }, 'Choose fewer days.'],
  ])('of %j says what to choose as well', (more, advice) => {
    expect(sought(more)).toContain(advice)
  })
})
