import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ADDRESS } from '../../../src/console/webhooks/webhook-words.ts'
import { WEBHOOKS_PER_TEAM_MAX } from '../../../src/modules/webhooks/webhooks.schema.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { createWebhook } from '../../support/builders/webhooks.ts'
import { noteOf, problemOf, type Seen, signIn, standingOf, visit } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const ENDPOINT = 'https://hooks.example.com/in'

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
  (await createWebhook(service, { endpoint: ENDPOINT, events: ['topic.created'], ...fields }, token)).id
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
      problem: 'The events that waited when this webhook was disabled are still being marked as failed. Please try again in a minute.',
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
