import { describe, expect, it, vi } from 'vitest'
import { FEED_WAITING_PER_TEAM_MAX } from '../../../../src/modules/webhooks/feed/webhook-feed.schema.ts'
import { missing, outcome } from '../../../support/builders/answers.ts'
import { createTopic } from '../../../support/builders/topics.ts'
import { askFeed, createFeed, namesOf, readFeed } from '../../../support/builders/webhooks.ts'
import { until } from '../../../support/clocks/until.ts'
import { shared, startTestService, type TestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService())

/**
 * Waits until there are events, and says how long the last wait took. A transaction of any other database of the server holds events back for as long
 * as it lasts.
 */
async function waitForEvents(at: TestService, id: string, after?: string): Promise<{ names: unknown[]; waitedMs: number }> {
  const beganMs = performance.now()
  const page = await readFeed(at, id, { ...(after !== undefined && { after }), wait: 25 })
  if (page.data.length === 0) return waitForEvents(at, id, page.next)
  return { names: namesOf(page), waitedMs: performance.now() - beganMs }
}

describe('a reader that waits', () => {
  // How soon after that it is asked for, is counted where the waits are (`feed-waits.test.ts`).
  it('is answered with what it waits for before its time is over', async () => {
    const id = await createFeed(service)
    const { next } = await readFeed(service, id)
    const waiting = waitForEvents(service, id, next)
    await createTopic(service, { name: 'Awaited' })
    const { names, waitedMs } = await waiting
    expect(names).toEqual(['Awaited'])
    expect(waitedMs).toBeLessThan(25_000)
  })

  it('is answered at the end of its time without events', async () => {
    const id = await createFeed(service)
    const { next } = await readFeed(service, id)
    const startedMs = performance.now()
    expect(await readFeed(service, id, { after: next, wait: 1 })).toEqual({
      object: 'list',
      has_more: false,
      data: [],
      next: expect.any(String),
    })
    expect(performance.now() - startedMs).toBeGreaterThan(900)
  })

  it('finds at most so many others of its team, until they have gone', async () => {
    const id = await createFeed(service)
    const going = new AbortController()
    const { next } = await readFeed(service, id)
    const wait = () =>
      fetch(`${service.url}/webhooks/${id}/feed?after=${next}&wait=25`, {
        headers: { authorization: `Bearer ${service.token}` },
        signal: going.signal,
      }).catch(() => null)
    // All but one wait, so that the one that is refused is answered first.
    const waiting = Array.from({ length: FEED_WAITING_PER_TEAM_MAX + 1 }, wait)
    const first = await Promise.race(waiting)
    const refused = { status: first?.status ?? 0, body: await first?.json() }
    expect(outcome(refused)).toEqual({
      status: 429,
      body: {
        statusCode: 429,
        name: 'rate_limit_exceeded',
        message: 'Too many readers are waiting on feeds already. Read without `wait`, or retry in a few seconds.',
      },
    })
    going.abort()
    await Promise.all(waiting)
    await until(async () => expect((await askFeed(service, id, { after: next, wait: 1 })).status).toBe(200))
  })

  /** Until it is asked whether there is news for a reader of this webhook. */
  async function untilWaiting({ service: { context } }: Pick<TestService, 'service'>, ...ids: string[]): Promise<void> {
    const asking = vi.spyOn(context.repositories.webhookFeed, 'hasNewsAcrossTeams')
    await until(() => {
      const asked = new Set(asking.mock.lastCall?.[0].map(({ webhookId }) => webhookId))
      expect([...asked].toSorted()).toEqual(ids.toSorted())
    })
    asking.mockRestore()
  }

  it('is answered when the service stops', async () => {
    const own = await startTestService()
    const ids = [await createFeed(own), await createFeed(own)]
    const waiting = ids.map((id) => askFeed(own, id, { wait: 25 }))
    await untilWaiting(own, ...ids)
    const startedMs = performance.now()
    const [answers] = await Promise.all([Promise.all(waiting), own.close()])
    expect(answers.map(({ status, body }) => ({ status, body }))).toEqual(
      ids.map(() => ({ status: 200, body: { object: 'list', has_more: false, data: [], next: expect.any(String) } })),
    )
    expect(performance.now() - startedMs).toBeLessThan(10_000)
  })

  it('is answered with what it waits for after the database has ended all connections', async () => {
    const own = await startTestService()
    const id = await createFeed(own)
    const waiting = waitForEvents(own, id)
    await untilWaiting(own, id)
    await own.database.execute(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await until(() => createTopic(own, { name: 'After the end' }))
    expect((await waiting).names).toEqual(['After the end'])
    await own.close()
  })

  it('gets an error if it is to be answered while there is no database, and is answered the next time', async () => {
    const own = await startTestService()
    const id = await createFeed(own)
    const { webhookFeed } = own.service.context.repositories
    // The first look finds nothing, so the request waits. The database is gone by the end of its time.
    const ask = webhookFeed.after.bind(webhookFeed)
    const away = vi
      .spyOn(webhookFeed, 'after')
      .mockRejectedValue(Object.assign(new Error('no connection'), { code: 'ECONNREFUSED' }))
      .mockImplementationOnce(ask)
    expect((await askFeed(own, id, { wait: 1 })).status).toBe(503)
    expect(away.mock.calls.length).toBeGreaterThan(1)
    away.mockRestore()
    expect((await readFeed(own, id)).data).toEqual([])
    await own.close()
  })

  it('is answered at the end of its time though its webhook was deleted, which later readers are told', async () => {
    const id = await createFeed(service)
    const waiting = readFeed(service, id, { wait: 1 })
    await untilWaiting(service, id)
    expect((await service.call('DELETE', `/webhooks/${id}`)).status).toBe(200)
    expect((await waiting).data).toEqual([])
    expect(outcome(await askFeed(service, id))).toEqual(missing('Webhook'))
  })
})
