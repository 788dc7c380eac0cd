import { describe, expect, it } from 'vitest'
import { append } from '../../../../src/db/outbox.ts'
import { createId } from '../../../../src/lib/ids.ts'
import { feedStart, parsePosition, positionText } from '../../../../src/modules/webhooks/feed/feed-positions.ts'
import { webhookFeedRepository } from '../../../../src/modules/webhooks/feed/webhook-feed.repository.ts'
import { invalid, missing, outcome, TIMESTAMP } from '../../../support/builders/answers.ts'
import { createTopic } from '../../../support/builders/topics.ts'
import { askFeed, createFeed, type Feed, namesOf, readFeed, readFeedUntil } from '../../../support/builders/webhooks.ts'
import { createShiftingClock } from '../../../support/clocks/clocks.ts'
import { until } from '../../../support/clocks/until.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
/** Each holds a connection. */
const OPEN_AT_ONCE = 5
const clock = createShiftingClock()

const service = shared(() => startTestService({ clock }))

/** A topic that is created in a transaction of its own, which stays open. */
async function openTransaction(name: string): Promise<{ commit(): Promise<void> }> {
  const client = await service.database.connect()
  await client.query('begin')
  const now = clock.now()
  const notification = { id: createId(clock), teamId: service.teamId, type: 'topic.created' as const, subjectId: createId(clock) }
  await append(
    async (sql, values = []) => (await client.query(typeof sql === 'string' ? sql : sql.text, values)).rows,
    [{ ...notification, data: topic(name) }],
    now,
  )
  return {
    async commit() {
      await client.query('commit')
      client.release()
    },
  }
}

/** A linear congruential generator gives each run the same numbers. */
function seededRandom(): () => number {
  let state = 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

const topic = (name: string) => ({
  id: createId(clock),
  name,
  description: null,
  default_subscription: 'opt_in' as const,
  deleted: false,
  created_at: clock.now().toISOString(),
  updated_at: clock.now().toISOString(),
})

describe('GET /webhooks/:webhook_id/feed', () => {
  it('answers what happened, oldest first, page by page, to every reader', async () => {
    const id = await createFeed(service)
    const empty = await readFeed(service, id)
    expect(empty).toEqual({ object: 'list', has_more: false, data: [], next: expect.any(String) })
    for (const name of ['First', 'Second', 'Third']) await createTopic(service, { name })
    const all = await readFeedUntil(service, id, 3)
    expect(all).toEqual({
      object: 'list',
      has_more: false,
      data: ['First', 'Second', 'Third'].map((name) => ({
        id: expect.stringMatching(/^msg_[\w-]{22}$/),
        type: 'topic.created',
        created_at: TIMESTAMP,
        payload: { type: 'topic.created', created_at: expect.any(String), data: expect.objectContaining({ name }) },
      })),
      next: expect.any(String),
    })
    expect(await readFeed(service, id, { after: empty.next })).toEqual({ ...all, next: expect.any(String) })

    const one = await readFeed(service, id, { limit: 1 })
    expect(one).toEqual({ ...all, has_more: true, data: all.data.slice(0, 1), next: expect.any(String) })
    const rest = await readFeed(service, id, { limit: 2, after: one.next })
    expect(rest).toEqual({ ...all, data: all.data.slice(1), next: expect.any(String) })
    expect((await readFeed(service, id, { after: rest.next })).data).toEqual([])
  })

  it('begins with what happens from now on, if it is asked to', async () => {
    const id = await createFeed(service)
    await createTopic(service, { name: 'Before' })
    await readFeedUntil(service, id, 1)
    const { data, next } = await readFeed(service, id, { after: 'now' })
    expect(data).toEqual([])
    await createTopic(service, { name: 'After' })
    expect(namesOf(await readFeedUntil(service, id, 1, { after: next }))).toEqual(['After'])
  })

  it('is kept for a webhook that is disabled, and has samples and what is sent to an endpoint', async () => {
    const id = await createFeed(service, { endpoint: 'https://hooks.example.com' })
    await createTopic(service, { name: 'Sent' })
    await service.call('POST', `/webhooks/${id}/test`, { body: { type: 'email.opened' } })
    await service.call('PATCH', `/webhooks/${id}`, { body: { status: 'disabled' } })
    await createTopic(service, { name: 'Not asked for' })
    const { data } = await readFeedUntil(service, id, 2)
    expect(data.map(({ type, payload }) => ({ type, payload }))).toEqual([
      { type: 'topic.created', payload: expect.objectContaining({ data: expect.objectContaining({ name: 'Sent' }) }) },
      { type: 'email.opened', payload: expect.objectContaining({ test: true }) },
    ])
  })

  it('has samples for a webhook without an endpoint, to which nothing is sent', async () => {
    const id = await createFeed(service)
    const tested = await service.call('POST', `/webhooks/${id}/test`, { body: { type: 'email.opened' } })
    const { data } = await readFeedUntil(service, id, 1)
    expect(outcome(tested)).toEqual({ status: 201, body: { object: 'webhook_event', id: data[0]?.id } })
    expect(data).toEqual([
      {
        id: data[0]?.id,
        type: 'email.opened',
        created_at: TIMESTAMP,
        payload: expect.objectContaining({ type: 'email.opened', test: true }),
      },
    ])
    expect(await service.database.execute('select from webhook_deliveries where webhook_id = $1', [id])).toEqual([])
    expect(outcome(await service.call('POST', `/webhooks/${id}/replay`))).toEqual(
      invalid('This webhook has no endpoint: read its events from its feed.'),
    )
    await service.call('PATCH', `/webhooks/${id}`, { body: { status: 'disabled' } })
    expect(outcome(await service.call('POST', `/webhooks/${id}/test`, { body: { type: 'email.opened' } }))).toEqual(
      invalid('This webhook is disabled. Enable it first.'),
    )
  })

  it('has an event whose content is no longer kept, without it', async () => {
    const id = await createFeed(service)
    const topicId = await createTopic(service)
    const { data } = await readFeedUntil(service, id, 1)
    await service.database.execute('delete from notifications where subject_id = $1', [topicId])
    expect((await readFeed(service, id)).data).toEqual([{ ...data[0], payload: null }])
  })

  it('is not found by another team', async () => {
    expect(outcome(await askFeed(service, await createFeed(service), {}, service.other.token))).toEqual(missing('Webhook'))
  })

  it.each(['', 'then', 'n.1.2.3.4', 'n.1.99999999999999999999.AZOlwn1OexqcPy5dimtMEA.1'])('refuses "%s" as a position', async (after) => {
    expect(outcome(await askFeed(service, await createFeed(service), { after }))).toEqual(
      invalid('The `after` parameter must be `now`, or a position: the `next` of a response of this feed.'),
    )
  })

  it('answers 410 after a position that is older than what is kept, with the beginning of the feed', async () => {
    const id = await createFeed(service)
    const { next } = await readFeed(service, id)
    await createTopic(service, { name: 'Kept' })
    await readFeedUntil(service, id, 1)
    clock.shift(31 * DAY_MS)
    const answer = await askFeed(service, id, { after: next })
    clock.shift(-31 * DAY_MS)
    const message = expect.stringMatching(/^This position is older than the 30 days for which events are kept\. The feed begins at \S+\.$/)
    expect(outcome(answer)).toEqual({ status: 410, body: { statusCode: 410, name: 'gone', message } })
    const [, beginning = ''] = /begins at (\S+)\.$/.exec((answer.body as { message: string }).message) ?? []
    expect(namesOf(await readFeed(service, id, { after: beginning }))).toEqual(['Kept'])
  })
})

describe('what is committed late', () => {
  it('is not skipped: what was committed before it waits for it', async () => {
    const id = await createFeed(service)
    const first = await openTransaction('First')
    const second = await openTransaction('Second')
    await createTopic(service, { name: 'Third' })
    const held = await readFeed(service, id)
    expect(held.data).toEqual([])
    await second.commit()
    expect((await readFeed(service, id, { after: held.next })).data).toEqual([])
    await first.commit()
    expect(namesOf(await readFeedUntil(service, id, 3, { after: held.next }))).toEqual(['First', 'Second', 'Third'])
  })

  it('is read by a reader who follows twenty writers, each event once', async () => {
    const id = await createFeed(service)
    const written: string[] = []
    const seen: (string | undefined)[] = []
    // The transactions that are open. Each time another one is committed, never in the order in which they began.
    const open: { name: string; commit(): Promise<void> }[] = []
    const random = seededRandom()
    const commitOne = async () => {
      const [one] = open.splice(Math.floor(random() * open.length), 1)
      await one?.commit()
      if (one) written.push(one.name)
    }
    let isWriting = true
    const write = async (writer: number) => {
      for (let turn = 0; turn < 15; turn += 1) {
        const name = `${writer}-${turn}`
        open.push({ name, ...(await openTransaction(name)) })
        if (open.length > OPEN_AT_ONCE) await commitOne()
      }
    }
    let after: string | undefined
    const follow = async () => {
      const page: Feed = await readFeed(service, id, { limit: 7, ...(after !== undefined && { after }) })
      seen.push(...namesOf(page))
      after = page.next
    }
    const writing = Promise.all(Array.from({ length: 20 }, (_, writer) => write(writer)))
      .then(async () => {
        while (open.length > 0) await commitOne()
      })
      .finally(() => {
        isWriting = false
      })
    while (isWriting) await follow()
    await writing
    await until(async () => {
      await follow()
      expect(seen.length).toBeGreaterThanOrEqual(written.length)
    })
    expect(written).toHaveLength(300)
    expect(seen.toSorted()).toEqual(written.toSorted())
  })
})

describe('a database that was restored from a dump', () => {
  it('answers first what the dump brought, and everything again to a reader of the database before', async () => {
    const id = await createFeed(service)
    for (const name of ['Brought', 'Brought too']) await createTopic(service, { name })
    const before = await readFeedUntil(service, id, 2)
    // Numbers that this database has not reached.
    await service.database.execute(
      `update webhook_messages set committed_by = (committed_by::text::numeric + 1000000000)::text::xid8 where webhook_id = $1`,
      [id],
    )
    await createTopic(service, { name: 'New' })

    const brought = await readFeed(service, id)
    expect([namesOf(brought), brought.has_more]).toEqual([['Brought', 'Brought too'], true])
    expect(namesOf(await readFeedUntil(service, id, 1, { after: brought.next }))).toEqual(['New'])
    const [one] = [await readFeed(service, id, { limit: 1 })]
    expect([namesOf(one), namesOf(await readFeed(service, id, { after: one.next }))]).toEqual([['Brought'], ['Brought too']])

    const old = parsePosition(before.next)
    expect(old).not.toBeNull()
    if (!old) return
    const elsewhere = positionText({ ...old, database: '1' })
    const ahead = positionText({ ...old, transaction: '18446744073709551615' })
    for (const after of [elsewhere, ahead]) expect(namesOf(await readFeed(service, id, { after }))).toEqual(['Brought', 'Brought too'])
  })
})

it('answers no more characters than it may at once, and no more of readers who do not read than a team may have', async () => {
  const id = await createFeed(service)
  const ids = Array.from({ length: 18 }, () => createId(clock))
  await service.database.transaction(async (inside) => {
    const text = 'x'.repeat(490_000)
    const notification = { teamId: service.teamId, type: 'topic.created' as const }
    await append(
      inside,
      ids.map((each) => ({ ...notification, id: each, subjectId: each, data: { ...topic(each), description: text } })),
      clock.now(),
    )
  })
  await readFeedUntil(service, id, 2, { limit: 2 })
  const { webhookFeed } = service.service.context
  const answers: string[][] = []
  const readers: AbortController[] = []
  let after: string | null = null
  const readOn = async () => {
    const reader = new AbortController()
    const page = await webhookFeed.read({ teamId: service.teamId, webhookId: id, gone: reader.signal }, { after, limit: 1_000, waitMs: 0 })
    readers.push(reader)
    answers.push(page.events.map(({ row }) => row.id))
    after = page.next
    return page.hasMore
  }
  // The ninth is let in, because the first eight have a little less than a team may have.
  for (let count = 0; count < 9; count += 1) expect(await readOn()).toBe(count < 8)
  expect(answers.flat()).toEqual(ids)
  expect(answers.map(({ length }) => length)).toEqual(Array(9).fill(2))

  const refused = await askFeed(service, id)
  expect(outcome(refused)).toEqual({
    status: 429,
    body: {
      statusCode: 429,
      name: 'rate_limit_exceeded',
      message: 'Too many responses of feeds are still being read. Read those to the end first, or retry in a few seconds.',
    },
  })
  expect(refused.headers.get('retry-after')).toBe('5')
  for (const reader of readers) reader.abort()
  expect((await askFeed(service, id)).status).toBe(200)
})

it('reads only what it answers, of tens of thousands', async () => {
  const id = await createFeed(service)
  await service.database.execute(
    `insert into webhook_messages (webhook_id, id, team_id, type, subject_id, created_at)
     select $1, (substr($3, 1, 24) || lpad(to_hex(n), 12, '0'))::uuid, $2, 'topic.created', $2, $4 from generate_series(1, 30000) n`,
    [id, service.teamId, createId(clock), clock.now()],
  )
  await until(async () => expect((await readFeed(service, id, { limit: 1 })).data).toHaveLength(1))
  const ids: string[] = []
  let after: string | undefined
  for (let hasMore = true; hasMore; ) {
    const page: Feed = await readFeed(service, id, { limit: 1_000, ...(after !== undefined && { after }) })
    ids.push(...page.data.map((event) => event.id))
    after = page.next
    hasMore = page.has_more
  }
  expect([ids.length, new Set(ids).size]).toEqual([30_000, 30_000])

  // The plan of a connection that knows nothing of these rows.
  const asked: { text: string; values: unknown[] }[] = []
  const feed = webhookFeedRepository({
    execute: async (sql, values = []) => {
      asked.push({ text: typeof sql === 'string' ? sql : sql.text, values })
      return service.database.execute(sql, values)
    },
  })
  await feed.after(id, feedStart('1', clock.now()), 100)
  const client = await service.database.connect()
  const [{ text, values } = { text: '', values: [] }] = asked
  await client.query(`set plan_cache_mode = force_generic_plan; prepare page (uuid, xid8, uuid, int) as ${text}`)
  const { rows } = await client.query(`explain (analyze, buffers, format json) execute page ('${values.join("', '")}')`)
  client.release(true)
  const { Plan: plan } = rows[0]['QUERY PLAN'][0]
  // Two pages of the index of each day, and the rows of the answer. All rows are in some five hundred.
  expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(100)
})
