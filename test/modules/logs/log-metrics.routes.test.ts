import { expect, it } from 'vitest'
import { HOUR_MS } from '../../../src/lib/clock.ts'
import { REQUESTS_COUNTED_MAX } from '../../../src/modules/logs/log-metrics.repository.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())

type Metrics = {
  counted_from: string | null
  data: { requests: number; succeeded: number; redirected: number; client_errors: number; server_errors: number }[]
}

const addLogs = (teamId: string, { hoursAgo, status, count }: { hoursAgo: number; status: number; count: number }) =>
  service.database.execute(
    `insert into request_logs (id, team_id, method, endpoint, response_status, created_at)
     select uuidv7_at($2::timestamptz, n), $1, 'GET', '/x', $3, $2 from generate_series(1, $4::int) n`,
    [teamId, new Date(Math.floor(service.service.context.clock.now().getTime() / HOUR_MS - hoursAgo) * HOUR_MS + 1), status, count],
  )

it('counts requests by what they were answered with, by the hour', async () => {
  const token = await service.createKey((await service.service.context.repositories.teams.create('Counted')).id)
  const { body: made } = await service.call('GET', '/logs/metrics', { token })
  expect((made as Metrics).data).toHaveLength(24)
  const [{ teamId } = { teamId: '' }] = await service.database.execute<{ teamId: string }>(
    `select id as "teamId" from teams where name = 'Counted'`,
  )
  for (const [status, count] of [
    [200, 5],
    [302, 1],
    [404, 3],
    [500, 2],
  ] as const)
    await addLogs(teamId, { hoursAgo: 3, status, count })
  const { data, counted_from: from } = (await service.call('GET', '/logs/metrics?span=week', { token })).body as Metrics
  expect({ from, length: data.length, of: data.at(-4) }).toMatchObject({
    ...{ from: null, length: 168 },
    of: { requests: 11, succeeded: 5, redirected: 1, client_errors: 3, server_errors: 2 },
  })
})

it('counts the newest requests, and says from when on', async () => {
  await addLogs(service.teamId, { hoursAgo: 5, status: 200, count: 10 })
  await addLogs(service.teamId, { hoursAgo: 4, status: 200, count: REQUESTS_COUNTED_MAX + 1 })
  const { data, counted_from: from } = (await service.call('GET', '/logs/metrics')).body as Metrics
  expect(from).not.toBeNull()
  expect(data.at(-6)?.requests).toBe(0)
})
