import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ADDRESS } from '../../../src/console/webhooks/webhook-words.ts'
import { receiveEmail } from '../../support/builders/received-emails.ts'
import { createTopic } from '../../support/builders/topics.ts'
import { createWebhook } from '../../support/builders/webhooks.ts'
import { eventsOf, noteOf, problemOf, signIn, standingOf, visit } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())
let cookie: string
beforeAll(async () => {
  cookie = await signIn(service)
})
beforeEach(() => service.database.execute('truncate webhooks, webhook_messages, webhook_deliveries, webhook_failures, webhook_attempts'))

const look = (path = '') => visit(service, 'GET', `${ADDRESS}${path}`, { cookie })
const post = (path: string, form: Record<string, string> = {}, more: object = {}) =>
  visit(service, 'POST', `${ADDRESS}${path}`, { cookie, form, ...more })

const create = async (fields: object = {}, token = service.token): Promise<string> =>
  (await createWebhook(service, { endpoint: 'https://hooks.example.com/in', events: ['topic.created'], ...fields }, token)).id

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
