import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ATTEMPTS_MAX, FAILING_MS_MAX, RETRY_WAITS_MS } from '../../../../src/modules/webhooks/sending/retry-schedule.ts'
import { startWorker } from '../../../../src/server/worker.ts'
import {
  createWebhook,
  failuresOf,
  happen,
  newSubjects,
  readWebhook,
  waitingOf,
  webhookAttemptsOf,
} from '../../../support/builders/webhooks.ts'
import { createShiftingClock } from '../../../support/clocks/clocks.ts'
import { until } from '../../../support/clocks/until.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'
import { faultsOf, startWebhookSink } from '../../../support/servers/webhook-sink.ts'

let paths = 0
let path: string

const clock = createShiftingClock()
const sink = shared(() => startWebhookSink(clock))
const service = shared(() => startTestService({ clock, environment: { ROLES: 'api,worker' } }))
beforeAll(async () => {
  await until(() => expect(service.service.worker?.isRunning()).toBe(true))
})
beforeEach(() => {
  path = `/hook${++paths}`
})
afterEach(() => expect(sink.faults).toEqual([]))

async function webhookAt(fields: Record<string, unknown> = {}, token?: string, at = path) {
  const webhook = await createWebhook(service, { endpoint: sink.url + at, ...fields }, token)
  sink.expectSecret(at, webhook.secret)
  return webhook
}
const sent = (at = path) => sink.hooks.filter((hook) => hook.path === at)
const untilSent = (count: number, at = path) => until(() => expect(sent(at)).toHaveLength(count))
const untilSettled = (webhookId: string, failures: number) =>
  until(async () => expect(await waitingOf(service, webhookId)).toMatchObject([{ failures }]))
const untilDelivered = (webhookId: string) =>
  until(async () =>
    expect(await service.database.execute('select from webhook_deliveries where webhook_id = $1 limit 1', [webhookId])).toEqual([]),
  )
const disable = (id: string) => service.call('PATCH', `/webhooks/${id}`, { body: { status: 'disabled' } })

describe('a message', () => {
  it('is sent once, signed as both libraries verify, and then nothing is left of it but its attempt', async () => {
    const { id, secret } = await webhookAt()
    const answer = await service.call('POST', '/contacts', { body: { email: 'ada@example.com', first_name: 'Ada' } })
    await untilSent(1)
    await untilDelivered(id)

    const [hook] = sent()
    expect(hook).toMatchObject({
      type: 'contact.created',
      data: { id: (answer.body as { id: string }).id, email: 'ada@example.com', first_name: 'Ada' },
      headers: {
        'content-type': 'application/json',
        'user-agent': expect.stringMatching(/^Posthaste\/\d+\.\d+\.\d+$/),
        'webhook-id': hook?.id,
        'webhook-timestamp': hook?.headers['svix-timestamp'],
        'webhook-signature': hook?.headers['svix-signature'],
      },
    })
    if (hook) expect(faultsOf(hook, secret, clock)).toEqual([])
    expect(await webhookAttemptsOf(service, id)).toEqual([{ outcome: 'success', httpStatus: 200, response: 'ok', error: null }])
    expect(await readWebhook(service, id)).toMatchObject({
      last_success_at: expect.any(String),
      last_failure_at: null,
      failing_since: null,
    })
    await disable(id)
  })

  it('is logged without the address of its endpoint, which may be a secret', async () => {
    const logged = vi.spyOn(service.service.context.log, 'info')
    const { id } = await webhookAt()
    await happen(service, newSubjects(1))
    await untilDelivered(id)
    const attempts = logged.mock.calls.filter(([, what]) => what === 'webhook attempted')
    logged.mockRestore()
    expect(attempts).toMatchObject([[{ webhookId: id, outcome: 'success' }, 'webhook attempted']])
    expect(JSON.stringify(attempts)).not.toContain(path)
    await disable(id)
  })

  it('that fails is retried along the ladder with the same id, and then given up', async () => {
    sink.answer(path, (_request, response) => response.writeHead(500).end('no'))
    const { id } = await webhookAt()
    await happen(service, newSubjects(1))
    for (const [index, waitMs] of RETRY_WAITS_MS.entries()) {
      await untilSettled(id, index + 1)
      const [waiting] = await waitingOf(service, id)
      const aheadMs = (waiting?.dueAt.getTime() ?? 0) - clock.now().getTime()
      expect(aheadMs).toBeGreaterThan(waitMs - 5_000)
      expect(aheadMs).toBeLessThanOrEqual(waitMs * 1.1)
      clock.shift(waitMs * 1.1)
      service.service.context.wakeWorkers()
    }
    await until(async () =>
      expect(await failuresOf(service, id)).toEqual([{ reason: `The endpoint did not accept it in ${ATTEMPTS_MAX} attempts.` }]),
    )

    expect(await waitingOf(service, id)).toEqual([])
    expect(new Set(sent().map((hook) => hook.id)).size).toBe(1)
    expect(await webhookAttemptsOf(service, id)).toEqual(
      Array.from({ length: ATTEMPTS_MAX }, () => ({
        outcome: 'failure',
        httpStatus: 500,
        response: 'no',
        error: 'The endpoint answered with status 500.',
      })),
    )
    await disable(id)
  })

  it('waits as long as a 429 with Retry-After asks', async () => {
    sink.answer(path, (_request, response) => response.writeHead(429, { 'retry-after': '3600' }).end())
    const { id } = await webhookAt()
    await happen(service, newSubjects(1))
    await untilSettled(id, 1)
    const [waiting] = await waitingOf(service, id)
    expect((waiting?.dueAt.getTime() ?? 0) - clock.now().getTime()).toBeGreaterThan(3_590_000)
    await disable(id)
  })

  it('that is replayed is tried once, and a success takes it from those that were given up', async () => {
    let status = 500
    sink.answer(path, (_request, response) => response.writeHead(status).end())
    const { id } = await webhookAt()
    await happen(service, newSubjects(1))
    await untilSettled(id, 1)
    await disable(id)
    expect(await failuresOf(service, id)).toEqual([{ reason: 'The webhook was disabled.' }])
    await service.call('PATCH', `/webhooks/${id}`, { body: { status: 'enabled' } })
    const replay = () => service.call('POST', `/webhooks/${id}/events/${sent()[0]?.id}/replay`)
    expect((await replay()).status).toBe(200)
    await until(async () =>
      expect(await failuresOf(service, id)).toEqual([
        { reason: 'The endpoint did not accept it. A test, and an event that is replayed alone, are not retried.' },
      ]),
    )
    status = 204
    await replay()
    await until(async () => expect(await failuresOf(service, id)).toEqual([]))
    // Once it was delivered, a replay that fails changes nothing.
    status = 500
    await replay()
    await untilSent(4)
    await untilDelivered(id)
    expect(await failuresOf(service, id)).toEqual([])
    await disable(id)
  })
})

describe('a message that may kill the service', () => {
  it('is given up after five claims without an outcome, and is no fault of the endpoint', async () => {
    const { id } = await webhookAt()
    await service.database.transaction(async (inside) => {
      await happen({ ...service, database: { ...service.database, execute: inside } }, newSubjects(1))
      await inside('update webhook_deliveries set claims = 5 where webhook_id = $1', [id])
    })
    await until(async () =>
      expect(await failuresOf(service, id)).toEqual([{ reason: 'The service ended 5 times while it was sending this event.' }]),
    )
    expect(sent()).toEqual([])
    expect(await readWebhook(service, id)).toMatchObject({ failing_since: null })
    await disable(id)
  })
})

describe('an endpoint', () => {
  it('that answers 410 is disabled, and what waits is given up', async () => {
    sink.answer(path, (_request, response) => response.writeHead(410).end())
    const { id } = await webhookAt({ concurrency: 1 })
    await happen(service, newSubjects(20))
    await until(async () =>
      expect(await readWebhook(service, id)).toMatchObject({ status: 'disabled', disabled_reason: 'The endpoint answered 410 Gone.' }),
    )
    await untilDelivered(id)
    expect(await failuresOf(service, id)).toHaveLength(20)
  })

  it('that fails for five days is disabled, and works again once it is enabled', async () => {
    let status = 500
    sink.answer(path, (_request, response) => response.writeHead(status).end())
    const { id } = await webhookAt()
    await happen(service, newSubjects(1))
    await untilSettled(id, 1)
    expect(await readWebhook(service, id)).toMatchObject({ status: 'enabled', failing_since: expect.any(String) })
    clock.shift(FAILING_MS_MAX)
    service.service.context.wakeWorkers()
    await until(async () =>
      expect(await readWebhook(service, id)).toMatchObject({ status: 'disabled', disabled_reason: 'Every attempt has failed for 5 days.' }),
    )

    status = 200
    await service.call('PATCH', `/webhooks/${id}`, { body: { status: 'enabled' } })
    await happen(service, newSubjects(1))
    await untilSent(3)
    await until(async () =>
      expect(await readWebhook(service, id)).toMatchObject({
        status: 'enabled',
        failing_since: null,
        disabled_reason: null,
        last_success_at: expect.any(String),
      }),
    )
    await disable(id)
  })

  it('is signed to with both secrets for 24 hours after a rotation, and with the new one after that', async () => {
    const { id, secret } = await webhookAt()
    const rotated = await service.call('POST', `/webhooks/${id}/signing-secret/rotate`)
    const { signing_secret: next } = rotated.body as { signing_secret: string }
    await happen(service, newSubjects(1))
    await untilSent(1)
    const [both] = sent()
    expect(both?.headers['svix-signature']?.split(' ')).toHaveLength(2)
    for (const one of [secret, next]) if (both) expect(faultsOf(both, one, clock)).toEqual([])

    clock.shift(24 * 3_600_000)
    sink.expectSecret(path, next)
    await happen(service, newSubjects(1))
    await untilSent(2)
    expect(sent()[1]?.headers['svix-signature']?.split(' ')).toHaveLength(1)
    await disable(id)
  })

  it('that never answers delays no other, of the same team or of another', async () => {
    const hanging = ['/never1', '/never2', '/never3', '/never4'] as const
    for (const at of hanging) sink.answer(at, () => {})
    const stuck = await Promise.all(hanging.map((at) => webhookAt({ concurrency: 50 }, undefined, at)))
    await happen(service, newSubjects(300))
    for (const at of hanging) await until(() => expect(sink.atOnce(at).now).toBeGreaterThan(20))
    for (const { id } of stuck) await service.call('PATCH', `/webhooks/${id}`, { body: { events: ['contact.deleted'] } })

    const own = await webhookAt()
    const others = await webhookAt({}, service.other.token, `${path}-other`)
    await happen(service, newSubjects(50))
    await happen(service, newSubjects(50), { team: service.other.teamId })
    await untilSent(50)
    await untilSent(50, `${path}-other`)
    // All came while the first requests to the others still hung.
    for (const { id } of stuck) expect((await webhookAttemptsOf(service, id)).filter(({ outcome }) => outcome !== null)).toEqual([])
    for (const { id } of [own, others, ...stuck]) await service.call('DELETE', `/webhooks/${id}`)
  })

  it('that asks to wait gets nothing else meanwhile, and delays no other', async () => {
    sink.answer(path, (_request, response) => response.writeHead(503, { 'retry-after': '3600' }).end())
    const [asking, other] = [await webhookAt(), await webhookAt({}, undefined, `${path}-other`)]
    await happen(service, newSubjects(1))
    await untilSettled(asking.id, 1)
    await happen(service, newSubjects(20))
    await untilSent(21, `${path}-other`)
    expect(sent()).toHaveLength(1)
    expect((await waitingOf(service, asking.id)).map(({ failures }) => failures)).toEqual([1, ...Array(20).fill(0)])
    for (const { id } of [asking, other]) await service.call('DELETE', `/webhooks/${id}`)
  })

  it('gets no more requests at once than its concurrency, from all workers together', async () => {
    const second = startWorker(service.service.context, { pool: service.database.pool, maintainPartitions: async () => {} })
    await until(() => expect(second.isRunning()).toBe(true))
    sink.answer(path, (_request, response) => void setTimeout(() => response.end(), 50))
    const { id } = await webhookAt({ concurrency: 3 })
    await happen(service, newSubjects(60))
    await untilDelivered(id)
    expect(sent()).toHaveLength(60)
    expect(sink.atOnce(path).most).toBe(3)
    await disable(id)
    await second.stop()
  })

  it('gets nothing more of 100,000 messages once its webhook is deleted, and they are removed', async () => {
    sink.answer(path, () => {})
    const { id } = await webhookAt({ concurrency: 2 })
    await happen(service, newSubjects(2))
    await untilSent(2)
    await service.database.execute(
      `insert into webhook_deliveries (webhook_id, message_id, team_id, subject_id, due_at)
       select webhook_id, gen_random_uuid(), team_id, subject_id, due_at from (select * from webhook_deliveries where webhook_id = $1 limit 1) one, generate_series(1, 100000)`,
      [id],
    )
    expect((await service.call('DELETE', `/webhooks/${id}`)).status).toBe(200)
    await untilDelivered(id)
    expect(sent()).toHaveLength(2)
  })

  it('gets nothing more once its webhook is deleted', async () => {
    const waiting: (() => void)[] = []
    sink.answer(path, (_request, response) => void waiting.push(() => response.end()))
    const { id } = await webhookAt({ concurrency: 4 })
    await happen(service, newSubjects(100))
    await untilSent(4)
    expect((await service.call('DELETE', `/webhooks/${id}`)).status).toBe(200)
    for (const answer of waiting) answer()
    await untilDelivered(id)
    expect(sent()).toHaveLength(4)
  })

  it.each<[string, (id: string) => Promise<{ status: number }>]>([
    ['deleted', (id) => service.call('DELETE', `/webhooks/${id}`)],
    ['disabled', disable],
  ])('gets nothing of what a worker had claimed, but not begun to send, when its webhook is %s', async (_name, end) => {
    const { id } = await webhookAt()
    await service.database.transaction(async (inside) => {
      await happen({ ...service, database: { ...service.database, execute: inside } }, newSubjects(3))
      await inside("update webhook_deliveries set due_at = due_at + interval '1 day' where webhook_id = $1", [id])
    })
    await service.database.transaction(async (inside) => {
      // The worker cannot read meanwhile what the messages are made of.
      await inside('lock table emails in access exclusive mode')
      await service.database.execute('update webhook_deliveries set due_at = $2 where webhook_id = $1', [id, clock.now()])
      await until(async () => expect(await webhookAttemptsOf(service, id)).toHaveLength(3))
      expect((await end(id)).status).toBe(200)
    })
    const notSent = {
      outcome: 'failure',
      httpStatus: null,
      response: null,
      error: 'The webhook was disabled or deleted before this was sent.',
    }
    await until(async () => expect(await webhookAttemptsOf(service, id)).toEqual([notSent, notSent, notSent]))
    expect(sent()).toEqual([])
  })
})

describe('an ordered webhook', () => {
  it('gets the messages of a subject one at a time and in order; a failure holds its subject only', async () => {
    const [held = '', free = ''] = newSubjects(2)
    let isHolding = true
    sink.answer(path, (_request, response, { data }) => response.writeHead(isHolding && data.id === held ? 500 : 200).end())
    const { id } = await webhookAt({ ordered: true })
    const ids = await happen(service, [held, free, held, free, held, free])
    await untilSent(4)
    await until(async () => expect(await waitingOf(service, id)).toMatchObject([{ failures: 1 }, { failures: 0 }, { failures: 0 }]))
    const inOrder = (subject: string) => sent().filter(({ data }) => data.id === subject)
    expect(inOrder(free)).toHaveLength(3)
    expect(inOrder(held)).toHaveLength(1)
    const events = (await service.call('GET', `/webhooks/${id}/events?status=pending`)).body as { data: unknown[] }
    expect(events.data).toHaveLength(3)

    isHolding = false
    clock.shift(6_000)
    service.service.context.wakeWorkers()
    await untilDelivered(id)
    expect(sent()).toHaveLength(7)
    expect(new Set(inOrder(held).map((hook) => hook.id)).size).toBe(3)
    const { data } = (await service.call('GET', `/webhooks/${id}/events?limit=100`)).body as { data: { id: string; status: string }[] }
    expect(data.map(({ status }) => status)).toEqual(ids.map(() => 'success'))
    for (const subject of [held, free]) {
      const order = [...new Set(inOrder(subject).map((hook) => hook.id))]
      const times = data.map((event) => event.id).toReversed()
      expect(order).toEqual(times.filter((event) => order.includes(event)))
    }
    await disable(id)
  })

  it('sends two subjects side by side', async () => {
    const [first = '', second = ''] = newSubjects(2)
    sink.answer(path, (_request, response) => void setTimeout(() => response.end(), 50))
    const { id } = await webhookAt({ ordered: true })
    await happen(service, [first, first, second, second, first, second])
    await untilDelivered(id)
    expect(sink.atOnce(path).most).toBe(2)
    await disable(id)
  })
})
