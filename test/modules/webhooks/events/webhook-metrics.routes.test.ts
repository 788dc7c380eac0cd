import { expect, it } from 'vitest'
import { HOUR_MS } from '../../../../src/lib/clock.ts'
import { WEBHOOK_ATTEMPTS_COUNTED_MAX } from '../../../../src/modules/webhooks/events/webhook-metrics.repository.ts'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService())

type Metrics = {
  is_complete: boolean
  data: { success: number; failure: number; unknown: number; median_ms: number | null; slow_ms: number | null }[]
}

async function createHook(): Promise<string> {
  const { body } = await service.call('POST', '/webhooks', { body: { endpoint: 'https://hooks.example.com/x', events: ['topic.created'] } })
  return (body as { id: string }).id
}

const addAttempts = (
  id: string,
  { hoursAgo, outcome, count, ms = null }: { hoursAgo: number; outcome: string | null; count: number; ms?: number | null },
) =>
  service.database.execute(
    `insert into webhook_attempts (webhook_id, message_id, id, team_id, started_at, outcome, duration_ms)
     select $1, uuidv7_at($3::timestamptz, n), uuidv7_at($3::timestamptz, n), $2, $3, $4, $5::int + n from generate_series(1, $6::int) n`,
    [
      id,
      service.teamId,
      new Date(Math.floor(service.service.context.clock.now().getTime() / HOUR_MS - hoursAgo) * HOUR_MS),
      outcome,
      ms,
      count,
    ],
  )

const metricsOf = async (id: string, query = ''): Promise<Metrics> =>
  (await service.call('GET', `/webhooks/${id}/metrics${query}`)).body as Metrics

it('counts how requests ended and how long they took, by the hour', async () => {
  const id = await createHook()
  await addAttempts(id, { hoursAgo: 0, outcome: 'success', count: 100, ms: 0 })
  await addAttempts(id, { hoursAgo: 2, outcome: 'failure', count: 3, ms: 10 })
  await addAttempts(id, { hoursAgo: 2, outcome: 'unknown', count: 1 })
  await addAttempts(id, { hoursAgo: 2, outcome: null, count: 1 })
  const { is_complete: isComplete, data } = await metricsOf(id)
  const nothing = { success: 0, failure: 0, unknown: 0, median_ms: null, slow_ms: null }
  expect({ isComplete, last: data.slice(-3) }).toMatchObject({
    isComplete: true,
    last: [
      { ...nothing, failure: 3, unknown: 1, median_ms: 12, slow_ms: 13 },
      nothing,
      { ...nothing, success: 100, median_ms: 50, slow_ms: 95 },
    ],
  })
  expect([data.length, (await metricsOf(id, '?span=week')).data.length, (await metricsOf(id, '?span=month')).data.length]).toEqual([
    24, 168, 30,
  ])
})

it('counts the newest, and says so', async () => {
  const id = await createHook()
  await addAttempts(id, { hoursAgo: 1, outcome: 'success', count: WEBHOOK_ATTEMPTS_COUNTED_MAX + 1, ms: 1 })
  expect((await metricsOf(id)).is_complete).toBe(false)
})

it('is nothing to another team', async () => {
  const id = await createHook()
  for (const [of, token] of [[id, service.other.token] as const, [UNKNOWN_ID, service.token] as const])
    expect((await service.call('GET', `/webhooks/${of}/metrics`, { token })).status).toBe(404)
})
