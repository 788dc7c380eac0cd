import { Resend } from 'resend'
import { beforeAll, describe, expect, it } from 'vitest'
import { append } from '../../../../src/db/outbox.ts'
import { createId, shortId } from '../../../../src/lib/ids.ts'
import { clearWebhook, findOrphans } from '../../../../src/server/orphan-cleanup.ts'
import { sweepWebhookFailures } from '../../../../src/server/sweeps.ts'
import { invalid, outcome, TIMESTAMP } from '../../../support/builders/answers.ts'
import { createTopic } from '../../../support/builders/topics.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

let resend: Resend

const service = shared(() => startTestService())
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})

const ISO_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

async function createWebhook(fields: Record<string, unknown> = {}): Promise<string> {
  const { body } = await service.call('POST', '/webhooks', {
    body: { endpoint: 'https://hooks.example.com/posthaste?team=1', events: ['email.delivered'], ...fields },
  })
  return (body as { id: string }).id
}

describe('what happens', () => {
  const eventsOf = async (id: string, query = '') =>
    ((await service.call('GET', `/webhooks/${id}/events${query}`)).body as { data: { id: string; type: string; status: string }[] }).data

  it('is queued for the enabled webhooks that ask for its type, in the transaction of its cause', async () => {
    const told = await createWebhook({ events: ['topic.created', 'topic.deleted'] })
    const fed = await createWebhook({ endpoint: null, events: ['topic.created'] })
    const other = await createWebhook({ events: ['contact.created'] })
    const disabled = await createWebhook({ events: ['topic.created'] })
    await resend.webhooks.update(disabled, { status: 'disabled' })
    const topicId = await createTopic(service, { name: 'Weekly newsletter' })

    const [event] = await eventsOf(told)
    expect(event).toEqual({ id: expect.stringMatching(/^msg_[\w-]{22}$/), type: 'topic.created', created_at: TIMESTAMP, status: 'pending' })
    expect(await eventsOf(fed)).toEqual([{ ...event, status: 'success' }])
    expect([await eventsOf(other), await eventsOf(disabled)]).toEqual([[], []])
    const { data } = await resend.webhooks.events.get({ webhookId: told, eventId: event?.id ?? '' })
    const topic = { id: topicId, name: 'Weekly newsletter', description: null, default_subscription: 'opt_in', deleted: false }
    expect(data).toEqual({
      object: 'webhook_event',
      ...event,
      next_attempt_at: TIMESTAMP,
      held_by: null,
      failed_reason: null,
      payload: { type: 'topic.created', created_at: ISO_TIME, data: { ...topic, created_at: ISO_TIME, updated_at: ISO_TIME } },
    })
  })

  it('is not queued if the transaction of its cause is rolled back', async () => {
    const id = await createWebhook({ events: ['topic.deleted'] })
    const rolledBack = service.database.transaction(async (inside) => {
      const notification = { id: createId(), teamId: service.teamId, type: 'topic.deleted' as const, subjectId: createId() }
      const at = new Date().toISOString()
      const data = { id: notification.subjectId, name: 'Weekly', description: null, default_subscription: 'opt_in' as const, deleted: true }
      await append(inside, [{ ...notification, data: { ...data, created_at: at, updated_at: at } }], new Date())
      expect(await inside('select type from webhook_messages where webhook_id = $1', [id])).toEqual([{ type: 'topic.deleted' }])
      throw new Error('Rolled back')
    })
    await expect(rolledBack).rejects.toThrow('Rolled back')
    expect(await eventsOf(id)).toEqual([])
  })

  it('is kept as failed for as long as the events themselves', async () => {
    const id = await createWebhook({ events: ['topic.created'] })
    for (const name of ['Old', 'New']) await createTopic(service, { name })
    await resend.webhooks.update(id, { status: 'disabled' })
    const { context } = service.service
    const keptMs = context.config.logRetentionDays * 24 * 60 * 60 * 1_000
    await service.database.execute(
      `update webhook_failures set failed_at = $2 where (webhook_id, message_id) = (select webhook_id, min(message_id::text)::uuid from webhook_failures where webhook_id = $1 group by 1)`,
      [id, new Date(context.clock.now().getTime() - keptMs - 60_000)],
    )
    await sweepWebhookFailures(context)
    expect(await service.database.execute('select from webhook_failures where webhook_id = $1', [id])).toHaveLength(1)
  })

  it('is cleared by itself if it waits for a webhook that is gone', async () => {
    const id = await createWebhook({ events: ['topic.created'] })
    await createTopic(service, { name: 'Left' })
    await service.database.execute('delete from webhooks where id = $1', [id])
    const { context } = service.service
    const { signal } = new AbortController()
    await findOrphans(context, { signal })
    const jobs = () =>
      service.database.execute("select key from graphile_worker.jobs where task_identifier = 'clear-webhook' and key like $1", [`%${id}`])
    expect(await jobs()).toHaveLength(1)
    await clearWebhook(context, { webhookId: id }, { signal })
    expect(await service.database.execute('select from webhook_deliveries where webhook_id = $1', [id])).toEqual([])
  })

  it('is given up when its webhook is disabled, and queued again when it is replayed', async () => {
    const id = await createWebhook({ events: ['topic.created'] })
    for (const name of ['First', 'Second']) await createTopic(service, { name })
    await resend.webhooks.update(id, { status: 'disabled' })
    const failed = await eventsOf(id, '?status=failed')
    expect(failed.map(({ status }) => status)).toEqual(['failed', 'failed'])
    expect(outcome(await service.call('POST', `/webhooks/${id}/replay`))).toEqual(invalid('This webhook is disabled. Enable it first.'))
    await resend.webhooks.update(id, { status: 'enabled' })
    expect(await eventsOf(id, '?status=pending')).toEqual([])
    expect((await service.call('POST', `/webhooks/${id}/replay`)).body).toEqual({ object: 'webhook_replay', queued: 2, has_more: false })
    expect(await eventsOf(id, '?status=pending')).toEqual(failed.map((event) => ({ ...event, status: 'pending' })))
  })

  it('is replayed at one pace, however many calls there are, each of which says whether others are left', async () => {
    const id = await createWebhook({ events: ['topic.created'] })
    await service.database.execute(
      `with messages as (
         insert into webhook_messages (webhook_id, id, team_id, type, subject_id, created_at)
         select $1, uuidv7(), $2, 'topic.created', $2, now() from generate_series(1, 25) returning id
       ) insert into webhook_failures (webhook_id, message_id, reason, failed_at) select $1, id, 'reason', now() from messages`,
      [id, service.teamId],
    )
    const { waitingWebhookMessages } = service.service.context.repositories
    const now = new Date()
    const limits = { now, max: 10, everyMs: 10 }
    const replayed = []
    for (let call = 0; call < 4; call += 1) replayed.push(await waitingWebhookMessages.replaySince(id, new Date(0), limits))
    expect(replayed).toEqual([
      { queued: 10, hasMore: true },
      { queued: 10, hasMore: true },
      { queued: 5, hasMore: false },
      { queued: 0, hasMore: false },
    ])
    const rows = await service.database.execute<{ messageId: string; dueAt: Date }>(
      'select message_id as "messageId", due_at as "dueAt" from webhook_deliveries where webhook_id = $1 order by due_at',
      [id],
    )
    expect(rows.map(({ dueAt }) => dueAt.getTime() - now.getTime())).toEqual(Array.from({ length: 25 }, (_, place) => place * 10))
    expect(rows.map(({ messageId }) => messageId)).toEqual(rows.map(({ messageId }) => messageId).toSorted())
  })

  it('that an ordered webhook holds back names the event that holds it', async () => {
    const id = await createWebhook({ events: ['topic.created', 'topic.updated', 'topic.deleted'], ordered: true })
    const topicId = await createTopic(service, { name: 'First' })
    await service.call('PATCH', `/topics/${topicId}`, { body: { name: 'Second' } })
    await createTopic(service, { name: 'Another' })
    const [another, updated, created] = await eventsOf(id)
    const holders = []
    for (const event of [created, updated, another])
      holders.push(((await service.call('GET', `/webhooks/${id}/events/${event?.id}`)).body as { held_by: string | null }).held_by)
    expect(holders).toEqual([null, created?.id, null])
  })

  it('that waits for a webhook with a long queue is given up in parts, before which the webhook is not enabled', async () => {
    const id = await createWebhook({ events: ['topic.created'] })
    await service.database.execute(
      `insert into webhook_deliveries (webhook_id, message_id, team_id, subject_id, due_at)
       select $1, uuidv7(), $2, $2, now() from generate_series(1, 5001)`,
      [id, service.teamId],
    )
    await resend.webhooks.update(id, { status: 'disabled' })
    expect(outcome(await service.call('PATCH', `/webhooks/${id}`, { body: { status: 'enabled' } }))).toEqual(
      invalid('The events that waited when this webhook was disabled are still being marked as failed. Please try again in a minute.'),
    )
    await clearWebhook(service.service.context, { webhookId: id }, { signal: new AbortController().signal })
    expect((await resend.webhooks.update(id, { status: 'enabled' })).data).toEqual({ object: 'webhook', id })
    const [row] = await service.database.execute(
      `select (select count(*)::int from webhook_deliveries where webhook_id = $1) as waiting,
         (select count(*)::int from webhook_failures where webhook_id = $1) as failed`,
      [id],
    )
    expect(row).toEqual({ waiting: 0, failed: 5_001 })
  })

  it('is listed by the cursor that the list knows, whatever else is asked', async () => {
    const id = await createWebhook({ events: ['topic.created'] })
    for (const name of ['First', 'Second', 'Third']) await createTopic(service, { name })
    const all = await eventsOf(id)
    const ids = all.map(({ id: eventId }) => eventId)
    expect((await eventsOf(id, `?after=${ids[0]}&limit=1`)).map(({ id: eventId }) => eventId)).toEqual([ids[1]])
    expect(await eventsOf(id, `?before=${ids[2]}&limit=100`)).toEqual(all)
    expect(outcome(await service.call('GET', `/webhooks/${id}/events?after=${id}`))).toEqual(
      invalid('The `after` parameter must be the id of an event, such as msg_AZOlwn1OexqcPy5dimtMEA.'),
    )
  })

  it.each(['-200000-01-01T00:00:00Z', '5', '2020-02-31T00:00:00Z'])('is not replayed since %s', async (since) => {
    const id = await createWebhook()
    const answer = await service.call('POST', `/webhooks/${id}/replay?since=${encodeURIComponent(since)}`)
    expect(outcome(answer)).toEqual(invalid(expect.stringMatching(/^The `since` parameter .+\.$/)))
  })

  it('waits once, however often it is replayed at the same time', async () => {
    const id = await createWebhook({ events: ['topic.created'] })
    await createTopic(service)
    const [event] = await eventsOf(id)
    const replays = await Promise.all(
      Array.from({ length: 100 }, () => resend.webhooks.events.replay({ webhookId: id, eventId: event?.id ?? '' })),
    )
    expect(new Set(replays.map(({ data }) => JSON.stringify(data)))).toEqual(
      new Set([JSON.stringify({ object: 'webhook_event', id: event?.id })]),
    )
    const [{ count } = { count: -1 }] = await service.database.execute<{ count: number }>(
      'select count(*)::int as count from webhook_deliveries where webhook_id = $1',
      [id],
    )
    expect(count).toBe(1)
  })

  it('has attempts that say how the endpoint answered, or why it did not', async () => {
    const id = await createWebhook({ events: ['topic.created'] })
    await createTopic(service)
    const [event] = await eventsOf(id)
    const attempt = (place: number) => `0193a5c2-7d4e-7000-8000-00000000000${place}`
    await service.database.execute(
      `insert into webhook_attempts (webhook_id, message_id, id, team_id, started_at, outcome, http_status, response, error, duration_ms)
       select $1, (select id from webhook_messages where webhook_id = $1), a.id, $2, now(), a.outcome, a.status, a.response, a.error, a.ms
       from (values ($3::uuid, 'failure', 500, 'Broken', 'The endpoint answered with status 500.', 12),
         ($4::uuid, 'failure', null, null, 'The endpoint did not answer within 15 s.', 15000), ($5::uuid, 'unknown', null, null, null, null),
         ($6::uuid, 'success', 200, 'ok', null, 87), ($7::uuid, null, null, null, null, null)) as a(id, outcome, status, response, error, ms)`,
      [id, service.teamId, ...[1, 2, 3, 4, 5].map(attempt)],
    )
    const answer = (await service.call('GET', `/webhooks/${id}/events/${event?.id}/attempts`)).body
    const at = (place: number) => ({ id: attempt(place), sent_at: TIMESTAMP })
    const without = { http_status_code: null, response: '', error: null, duration_ms: null }
    expect(answer).toEqual({
      object: 'list',
      has_more: false,
      data: [
        { ...at(5), ...without, outcome: 'running' },
        { ...at(4), http_status_code: 200, response: 'ok', error: null, outcome: 'success', duration_ms: 87 },
        { ...at(3), ...without, outcome: 'unknown' },
        { ...at(2), ...without, error: 'The endpoint did not answer within 15 s.', outcome: 'failure', duration_ms: 15_000 },
        {
          ...at(1),
          ...{ http_status_code: 500, response: 'Broken', error: 'The endpoint answered with status 500.' },
          ...{ outcome: 'failure', duration_ms: 12 },
        },
      ],
    })
  })

  it('answers 410 for an event of a day that is no longer kept', async () => {
    const id = await createWebhook()
    const expired = `msg_${shortId('018cc251-f400-7000-8000-000000000000')}`
    const answer = await service.call('POST', `/webhooks/${id}/events/${expired}/replay`)
    expect(outcome(answer)).toEqual({
      status: 410,
      body: { statusCode: 410, name: 'gone', message: 'Events are kept for 30 days. This one can no longer be sent.' },
    })
  })
})
