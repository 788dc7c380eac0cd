import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ADDRESS } from '../../../src/pages/webhooks/webhook-words.ts'
import { WEBHOOKS_PER_TEAM_MAX } from '../../../src/schemas/webhooks.ts'
import { UNKNOWN_ID } from '../../support/builders/email-builders.ts'
import { receiveEmail } from '../../support/builders/received-emails.ts'
import { createTopic } from '../../support/builders/topics.ts'
import { type Seen, signIn, visit } from '../../support/clients/console-visitor.ts'
import { startTestService, type TestService } from '../../support/servers/service.ts'

const ENDPOINT = 'https://hooks.example.com/in'

let service: TestService
let cookie: string
beforeAll(async () => {
  service = await startTestService()
  cookie = await signIn(service)
})
beforeEach(() => service.database.execute('truncate webhooks, webhook_messages, webhook_deliveries, webhook_failures, webhook_attempts'))
afterAll(() => service.close())

const look = (path = '') => visit(service, 'GET', `${ADDRESS}${path}`, { cookie })
const post = (path: string, form: Record<string, string> = {}, more: object = {}) =>
  visit(service, 'POST', `${ADDRESS}${path}`, { cookie, form, ...more })

const noteOf = ({ text }: Seen) => /<p class="note" role="status">([^<]*)/.exec(text)?.[1]
const problemOf = ({ text }: Seen) => /role="alert"[^>]*>(.*?)<\/p>/.exec(text)?.[1]?.replaceAll(/<\/?code>/g, '`')
const standingOf = ({ text }: Seen) => /<div id="standing".*?<span class="state (\w+)">([^<]*)/s.exec(text)?.slice(1)
const eventsOf = ({ text }: Seen) =>
  [...text.matchAll(/<th scope="row"><a href="[^"]*(\/events\/[^"]*)">([^<]*)<\/a>.*?<span class="state \w+">([^<]*)/gs)].map(
    ([, path = '', type, state]) => ({ path, type, state }),
  )

async function create(fields: object = {}, token = service.token): Promise<string> {
  const body = { endpoint: ENDPOINT, events: ['topic.created'], ...fields }
  return ((await service.call('POST', '/webhooks', { body, token })).body as { id: string }).id
}
const read = async (id: string) => (await service.call('GET', `/webhooks/${id}`)).body as Record<string, unknown>
const set = (id: string, columns: string, values: unknown[] = []) =>
  service.database.execute(`update webhooks set ${columns} where id = $1`, [id, ...values])

describe('the list of webhooks', () => {
  it('says that there is none, and has the form open', async () => {
    const seen = await look()
    expect(seen.status).toBe(200)
    expect(seen.text).toContain('<h2>No webhooks yet</h2>')
    expect(seen.text).toContain('<details class="sheet" id="add" open>')
  })

  it('shows those of the team with their health, newest first', async () => {
    await create({ endpoint: 'https://theirs.example.com' }, service.other.token)
    await create({ endpoint: null })
    const failing = await create({ endpoint: 'https://failing.example.com', events: ['topic.created', 'topic.deleted'] })
    await set(failing, "failing_since = '2001-02-03 04:05+00', last_failure_at = '2001-02-03 04:06+00'")
    const stopped = await create({ endpoint: 'https://stopped.example.com' })
    await set(stopped, "status = 'disabled', disabled_reason = 'The endpoint answered 410 Gone.'")
    const { text } = await look()
    const rows = [
      ...text.matchAll(
        /<th scope="row"><a href="[^"]*">([^<]*)<\/a><div class="soft">([^<]*)<\/div><\/th>\n<td><span class="state (\w+)">([^<]*)/g,
      ),
    ]
    expect(rows.map(([, ...row]) => row)).toEqual([
      ['https://stopped.example.com', 'topic.created', 'failed', 'disabled by the service'],
      ['https://failing.example.com', 'topic.created, topic.deleted', 'delayed', 'failing'],
      ['Feed only', 'topic.created', 'delivered', 'enabled'],
    ])
    expect(text).toContain('3 Feb 2001, 04:06 UTC')
    expect(/<h2 class="wrong" id="stopped">(.*?)<\/section>/s.exec(text)?.[1]).toMatch(
      /^A webhook was disabled<\/h2>\n<ul><li><a href="\/console\/webhooks\/[^"]*"><bdi>https:\/\/stopped\.example\.com<\/bdi><\/a>: <bdi>The endpoint answered 410 Gone\.<\/bdi><\/li><\/ul>/,
    )
  })

  it('creates one, and leads to its secret', async () => {
    const form = { endpoint: ` ${ENDPOINT} `, 'topic.created': 'on', 'email.sent': 'on', ordered: 'on', concurrency: '7' }
    const { status, location } = await post('', form)
    const id = /^\/console\/webhooks\/([^/]*)\/secret\?done=created$/.exec(location ?? '')?.[1] ?? ''
    expect(status).toBe(303)
    expect(await read(id)).toMatchObject({
      endpoint: ENDPOINT,
      events: ['email.sent', 'topic.created'],
      ordered: true,
      concurrency: 7,
    })
    expect(noteOf(await visit(service, 'GET', location ?? '', { cookie }))).toBe(
      'The webhook was created. Verify its events with this secret.',
    )
  })

  it('creates one that only has a feed if no endpoint is typed', async () => {
    await post('', { endpoint: '', 'topic.created': 'on', concurrency: '' })
    const { data } = (await service.call('GET', '/webhooks')).body as { data: object[] }
    expect(data).toMatchObject([{ endpoint: null, events: ['topic.created'] }])
  })

  it.each<[Record<string, string>, string]>([
    [{ endpoint: 'nowhere', 'topic.created': 'on' }, 'The `endpoint` field must be a valid URL.'],
    [{ endpoint: ENDPOINT }, 'The `events` field must not be empty.'],
    [{ endpoint: ENDPOINT, 'topic.created': 'on', concurrency: 'many' }, 'The `concurrency` field must be a whole number.'],
    [
      { endpoint: `https://example.com/${'x'.repeat(1_990)}`, 'topic.created': 'on' },
      'The `endpoint` field must have at most 2000 characters.',
    ],
  ])('says what is wrong, beside what was typed: %o', async (form, sentence) => {
    const seen = await post('', form)
    expect({ status: seen.status, problem: problemOf(seen) }).toEqual({ status: 422, problem: sentence })
    expect(seen.text).toContain(`name="endpoint" value="${form.endpoint}"`)
    expect(seen.text.includes('name="topic.created" value="on" checked')).toBe('topic.created' in form)
    expect(seen.text).toContain('<details class="sheet" id="add" open>')
  })

  it('says when there are as many as a team can have', async () => {
    for (let index = 0; index < WEBHOOKS_PER_TEAM_MAX; index += 1) await create()
    const seen = await post('', { endpoint: ENDPOINT, 'topic.created': 'on' })
    expect(problemOf(seen)).toBe('A team can have at most 50 webhooks. Delete one first.')
  })

  it('needs a session, and a form from a page of ours', async () => {
    expect((await visit(service, 'GET', ADDRESS)).status).toBe(303)
    expect((await post('', { endpoint: ENDPOINT, 'topic.created': 'on' }, { origin: 'https://elsewhere.example' })).status).toBe(403)
    expect((await service.call('GET', '/webhooks')).body).toMatchObject({ data: [] })
  })
})

describe('a webhook', () => {
  it('says in plain words how it stands', async () => {
    const id = await create()
    expect(standingOf(await look(`/${id}`))).toEqual(['delivered', 'enabled'])
    await set(id, 'failing_since = now()')
    expect(standingOf(await look(`/${id}`))).toEqual(['delayed', 'failing'])
    await set(id, "status = 'disabled', disabled_reason = 'Every attempt has failed for 5 days.'")
    const stopped = await look(`/${id}`)
    expect(standingOf(stopped)).toEqual(['failed', 'disabled by the service'])
    expect(stopped.text).toContain('<p class="wrong">The service disabled it: <bdi>Every attempt has failed for 5 days.</bdi></p>')
    expect(stopped.text).not.toContain('Send a sample')
  })

  it('is disabled and enabled', async () => {
    const id = await create()
    // One click is not enough.
    expect((await look(`/${id}`)).text).toMatch(
      new RegExp(`<details id="disable"><summary>Disable …</summary>[^]*action="${ADDRESS}/${id}/disable"[^]*?</details>`),
    )
    expect((await post(`/${id}/disable`)).location).toBe(`${ADDRESS}/${id}?done=disabled`)
    expect(standingOf(await look(`/${id}`))).toEqual(['canceled', 'disabled'])
    expect((await post(`/${id}/enable`)).location).toBe(`${ADDRESS}/${id}?done=enabled`)
    expect(await read(id)).toMatchObject({ status: 'enabled' })
  })

  it('says why it cannot be enabled yet', async () => {
    const id = await create()
    await service.database.execute(
      'insert into webhook_deliveries (webhook_id, message_id, team_id, subject_id, due_at) select $1, uuidv7(), $2, $2, now() from generate_series(1, 501)',
      [id, service.teamId],
    )
    await set(id, "status = 'disabled'")
    const refused = await post(`/${id}/enable`)
    expect({ status: refused.status, problem: problemOf(refused), standing: standingOf(refused) }).toEqual({
      status: 422,
      problem: 'The events that waited when this webhook was disabled are still being given up. Please try again in a minute.',
      standing: ['canceled', 'disabled'],
    })
  })

  it('keeps asking for mail that is received when its other settings are saved', async () => {
    const id = await create({ events: ['email.received'] })
    const { text } = await look(`/${id}/settings`)
    expect(text).toContain('name="email.received" value="on" checked> email.received<')
    await post(`/${id}/settings`, { endpoint: ENDPOINT, 'email.received': 'on', 'topic.created': 'on' })
    expect(await read(id)).toMatchObject({ events: ['email.received', 'topic.created'] })
  })

  it('is changed', async () => {
    const id = await create({ ordered: true })
    const form = { endpoint: 'https://other.example.com', 'email.sent': 'on', concurrency: '3' }
    expect((await post(`/${id}/settings`, form)).location).toBe(`${ADDRESS}/${id}/settings?done=saved`)
    expect(await read(id)).toMatchObject({ endpoint: form.endpoint, events: ['email.sent'], ordered: false, concurrency: 3 })
    const refused = await post(`/${id}/settings`, { ...form, endpoint: '' })
    expect({ status: refused.status, problem: problemOf(refused) }).toEqual({
      status: 422,
      problem: 'The `endpoint` field must be a string. An endpoint can be replaced, but not removed. Leave it out to keep what is there.',
    })
  })

  it('stays without an endpoint when its other settings are saved', async () => {
    const id = await create({ endpoint: null })
    await post(`/${id}/settings`, { endpoint: '', 'email.sent': 'on' })
    expect(await read(id)).toMatchObject({ endpoint: null, events: ['email.sent'] })
  })

  it('shows its secret on request only, and a new one after it was rotated', async () => {
    const id = await create()
    const { signing_secret: first } = await read(id)
    expect((await look(`/${id}/secret`)).text).not.toContain('whsec_')
    const secretIn = ({ text }: Seen) => /<code id="secret">([^<]*)</.exec(text)?.[1]
    const shown = await post(`/${id}/secret`)
    expect({ secret: secretIn(shown), kept: shown.headers.get('cache-control') }).toEqual({ secret: first, kept: 'private, no-store' })
    expect((await post(`/${id}/secret/rotate`)).location).toBe(`${ADDRESS}/${id}/secret?done=rotated`)
    const rotated = await post(`/${id}/secret`)
    expect(secretIn(rotated)).not.toBe(first)
    expect(rotated.text).toContain('events are signed with the secret before, too.')

    expect(rotated.text).toMatch(/It can be rotated again after <time/)
    expect(rotated.text).not.toContain('<button class="quiet">Rotate the secret</button>')
    const refused = await post(`/${id}/secret/rotate`)
    expect({ status: refused.status, problem: problemOf(refused) }).toEqual({
      status: 422,
      problem: expect.stringMatching(/^The secret of this webhook was rotated less than 24 hours ago, .* Rotate it again after that/),
    })
    expect(refused.text).not.toContain('whsec_')
    expect((await look(`/${id}/secret/rotate`)).location).toBe(`${ADDRESS}/${id}/secret`)
  })

  it('is deleted after a question', async () => {
    const id = await create()
    expect((await look(`/${id}/delete`)).text).toContain('<h1>Delete this webhook?</h1>')
    expect((await post(`/${id}/delete`)).location).toBe(`${ADDRESS}?done=deleted`)
    expect((await look(`/${id}`)).status).toBe(404)
  })

  it.each(['', '/settings', '/secret', '/delete'])('of another team is not there: %s', async (part) => {
    const theirs = await create({}, service.other.token)
    for (const id of [theirs, UNKNOWN_ID, 'nothing']) expect((await look(`/${id}${part}`)).status).toBe(404)
    if (part !== '') expect((await post(`/${theirs}${part}`)).status).toBe(404)
  })
})

describe('the events of a webhook', () => {
  const happen = async (names: string[]) => {
    for (const name of names) await createTopic(service, { name })
  }

  it('are shown newest first, and those of one state', async () => {
    const id = await create()
    expect((await look(`/${id}`)).text).toContain('Nothing has happened yet that this webhook asks for.')
    await happen(['First', 'Second'])
    await post(`/${id}/disable`)
    await post(`/${id}/enable`)
    await happen(['Third'])
    const states = async (query: string) => eventsOf(await look(`/${id}${query}`)).map(({ type, state }) => `${type} ${state}`)
    expect(await states('')).toEqual(['topic.created waiting', 'topic.created given up', 'topic.created given up'])
    expect(await states('?status=failed')).toEqual(['topic.created given up', 'topic.created given up'])
    expect((await look(`/${id}?status=success`)).text).toContain('No event is in this state.')
  })

  it('are paged, also those of one state', async () => {
    const id = await create()
    await service.database.execute(
      `with messages as (
         insert into webhook_messages (webhook_id, id, team_id, type, subject_id, created_at)
         select $1, ('0193a5c2-7d4e-7000-8000-' || lpad(place::text, 12, '0'))::uuid, $2, 'topic.created', $1, now() from generate_series(1, 120) place returning id
       ) insert into webhook_failures (webhook_id, message_id, reason, failed_at) select $1, id, 'reason', now() from messages`,
      [id, service.teamId],
    )
    for (const query of ['', '?status=failed']) {
      const seen: string[] = []
      let path: string | undefined = `/${id}${query}`
      for (let pages = 0; path !== undefined && pages < 5; pages += 1) {
        const page = await look(path)
        seen.push(...eventsOf(page).map((event) => event.path))
        path = new RegExp(`href="${ADDRESS}([^"]*)" rel="next"`).exec(page.text)?.[1]?.replaceAll('&amp;', '&')
      }
      expect({ query, pages: seen.length, distinct: new Set(seen).size }).toEqual({ query, pages: 120, distinct: 120 })
    }
    const first = `/${id}?status=failed&before=0193a5c2-7d4e-7000-8000-000000000110`
    expect((await look(first)).location).toBe(`${ADDRESS}/${id}?status=failed`)
  })

  it('that were given up are queued again', async () => {
    const id = await create()
    await happen(['First', 'Second'])
    await post(`/${id}/disable`)
    const refused = await post(`/${id}/replay`, { since: 'all' })
    expect({ status: refused.status, problem: problemOf(refused) }).toEqual({
      status: 422,
      problem: 'This webhook is disabled. Enable it first.',
    })
    await post(`/${id}/enable`)
    const { location } = await post(`/${id}/replay`, { since: 'hour' })
    expect(location).toBe(`${ADDRESS}/${id}?queued=2`)
    expect(noteOf(await look(`/${id}?queued=2`))).toBe('2 events were queued again.')
    expect(noteOf(await look(`/${id}?queued=0`))).toBe('No event was given up in this time.')
    expect(eventsOf(await look(`/${id}?status=pending`))).toHaveLength(2)
  })

  it('include samples, which say so', async () => {
    const id = await create()
    const { location } = await post(`/${id}/test`, { type: 'email.bounced' })
    expect(location).toMatch(/^\/console\/webhooks\/[^/]*\/events\/msg_[\w-]{22}\?done=sent$/)
    const seen = await visit(service, 'GET', location ?? '', { cookie })
    expect(noteOf(seen)).toBe('The sample is on its way.')
    expect(seen.text).toContain('<h1>email.bounced <span class="tag">sample</span></h1>')
    expect(seen.text).toContain('&quot;test&quot;: true')
    expect((await post(`/${id}/test`, { type: 'email.eaten' })).status).toBe(422)
  })

  it('of one that only has a feed include samples, and are not replayed', async () => {
    const id = await create({ endpoint: null })
    const { text } = await look(`/${id}`)
    const parts = ['Send a sample', 'It gets into the feed', 'Replay what failed', 'Events that wait are given up']
    expect(parts.map((part) => text.includes(part))).toEqual([true, true, false, false])
    await post(`/${id}/test`, { type: 'email.bounced' })
    expect(eventsOf(await look(`/${id}`)).map(({ type, state }) => `${type} ${state}`)).toEqual(['email.bounced in the feed'])
    const refused = await post(`/${id}/replay`, { since: 'all' })
    expect([refused.status, problemOf(refused)]).toEqual([422, 'This webhook has no endpoint: read its events from its feed.'])
  })
})

describe('an event', () => {
  async function eventPath(): Promise<{ id: string; path: string; messageId: string }> {
    const id = await create()
    await createTopic(service, { name: '<script>alert(1)</script>' })
    const [event] = eventsOf(await look(`/${id}`))
    const [row] = await service.database.execute<{ id: string }>('select id from webhook_messages where webhook_id = $1', [id])
    return { id, path: `/${id}${event?.path ?? ''}`, messageId: row?.id ?? '' }
  }

  it('shows its payload and its attempts with their answers', async () => {
    const { id, path, messageId } = await eventPath()
    await service.database.execute(
      `insert into webhook_attempts (webhook_id, message_id, id, team_id, started_at, outcome, http_status, response, error, duration_ms)
       values ($1, $2, '0193a5c2-7d4e-7000-8000-000000000001', $3, now(), 'failure', 500, '<b>Broken</b>', null, 1234),
              ($1, $2, '0193a5c2-7d4e-7000-8000-000000000002', $3, now(), 'failure', null, null, 'The endpoint did not answer within 15 s.', 15000),
              ($1, $2, '0193a5c2-7d4e-7000-8000-000000000003', $3, now(), 'success', 200, 'ok', null, 87),
              ($1, $2, '0193a5c2-7d4e-7000-8000-000000000004', $3, now(), null, null, null, null, null)`,
      [id, messageId, service.teamId],
    )
    const { text, status } = await look(path)
    expect(status).toBe(200)
    expect(text).not.toMatch(/<script>|<b>/)
    expect(text).toContain('&quot;name&quot;: &quot;&lt;script&gt;alert(1)&lt;/script&gt;&quot;')
    const attempts = [...(/<ol class="rows">(.*?)<\/ol>/s.exec(text)?.[1] ?? '').matchAll(/<li>(.*?)<\/li>/gs)]
    const words = attempts.map(([, item = '']) =>
      item
        .replaceAll(/<time.*?<\/time>/g, 'then')
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    expect(words).toEqual([
      'running then',
      'accepted 200 then, 87 ms ok',
      'failed then, 15,000 ms The endpoint did not answer within 15 s.',
      'failed 500 then, 1,234 ms &lt;b&gt;Broken&lt;/b&gt;',
    ])
  })

  it('leads to what it is about, at an address that exists', async () => {
    const id = await create({ events: ['email.received', 'contact.created', 'domain.created', 'topic.created', 'topic.deleted'] })
    const received = await receiveEmail(service)
    await service.database.execute(
      `insert into webhook_messages (webhook_id, id, team_id, type, subject_id, created_at) values ($1, uuidv7(), $2, 'email.received', $3, now())`,
      [id, service.teamId, received],
    )
    await service.call('POST', '/contacts', { body: { email: 'event@example.com' } })
    await service.call('POST', '/domains', { body: { name: 'event.example' } })
    const topic = await createTopic(service, { name: 'Leads somewhere' })
    const subjects = async () => {
      const found: Record<string, number | null> = {}
      for (const { path, type = '' } of eventsOf(await look(`/${id}`))) {
        const [, link] = /<dd><a href="([^"]*)">the (?:received email|contact|domain|topic)</.exec((await look(`/${id}${path}`)).text) ?? []
        found[type] = link === undefined ? null : (await visit(service, 'GET', link, { cookie })).status
      }
      return found
    }
    expect(await subjects()).toEqual({ 'email.received': 200, 'contact.created': 200, 'domain.created': 200, 'topic.created': 200 })
    await service.call('DELETE', `/topics/${topic}`)
    expect((await subjects())['topic.deleted']).toBeNull()
  })

  it('is replayed, and says why it cannot be', async () => {
    const { id, path } = await eventPath()
    expect((await post(`${path}/replay`)).location).toBe(`${ADDRESS}${path}?done=replayed`)
    expect(noteOf(await look(`${path}?done=replayed`))).toBe('The event is queued again.')
    await post(`/${id}/disable`)
    const refused = await post(`${path}/replay`)
    expect({ status: refused.status, problem: problemOf(refused), standing: standingOf(refused) }).toEqual({
      status: 422,
      problem: 'This webhook is disabled. Enable it first.',
      standing: ['failed', 'given up'],
    })
    const { text } = await look(path)
    expect(text).toContain('<dt>Why</dt><dd>The webhook was disabled.</dd>')
    expect([text.includes('Replay</button>'), text.includes('Once it is enabled, this event can be replayed.')]).toEqual([false, true])
  })

  it('updates its state, and sends nothing while nothing changes', async () => {
    const { id, path } = await eventPath()
    const fresh = await look(`${path}/progress`)
    expect(standingOf(fresh)).toEqual(['pending', 'waiting'])
    const version = fresh.headers.get('etag') ?? ''
    expect((await visit(service, 'GET', `${ADDRESS}${path}/progress`, { cookie, headers: { 'if-none-match': version } })).status).toBe(304)
    await service.database.execute('delete from webhook_deliveries where webhook_id = $1', [id])
    expect(standingOf(await look(`${path}/progress`))).toEqual(['delivered', 'accepted'])
  })

  it('of another webhook or team is not there', async () => {
    const { path } = await eventPath()
    const [, , , event = ''] = path.split('/')
    const other = await create()
    const theirs = await create({}, service.other.token)
    for (const id of [other, theirs]) expect((await look(`/${id}/events/${event}`)).status).toBe(404)
    expect((await look(`/${other}/events/msg_nothing`)).status).toBe(404)
    expect((await post(`/${theirs}/events/${event}/replay`)).status).toBe(404)
  })
})
