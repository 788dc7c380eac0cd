import { expect, it } from 'vitest'
import { DAY_MS } from '../../../src/lib/clock.ts'
import { ADDED_PER_DAY_MAX } from '../../../src/modules/metrics/contact-metrics.repository.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())

const addContacts = (daysAgo: number, count: number) =>
  service.database.execute(
    `insert into contacts (id, team_id, email, address_hash, unsubscribed, properties, created_at, updated_at)
     select uuidv7_at($2::timestamptz, n), $1, $3 || '-' || n || '@example.com', $3 || n, false, '{}', $2, $2 from generate_series(1, $4::int) n`,
    [service.teamId, new Date(service.service.context.clock.now().getTime() - daysAgo * DAY_MS), `day-${daysAgo}`, count],
  )

it('counts those who were added and those who unsubscribed, on each of 30 days', async () => {
  for (const [daysAgo, count] of [
    [0, 2],
    [29, 3],
    [30, 4],
    [7, ADDED_PER_DAY_MAX + 1],
  ] as const)
    await addContacts(daysAgo, count)
  await service.database.execute(
    `insert into email_counts (team_id, bucket, domain, broadcast_id, unsubscribed) values ($1, date_bin('15 minutes', $2::timestamptz, '2000-01-01Z'), 'example.com', $1, 6)`,
    [service.teamId, service.service.context.clock.now()],
  )
  const { data } = (await service.call('GET', '/contacts/metrics')).body as {
    data: { added: number; is_bounded: boolean; unsubscribed: number }[]
  }
  const added = data.map((day) => day.added)
  expect({ length: data.length, first: added[0], last: data.at(-1), most: data.at(-8) }).toMatchObject({
    ...{ length: 30, first: 3, last: { added: 2, is_bounded: false, unsubscribed: 6 } },
    most: { added: ADDED_PER_DAY_MAX, is_bounded: true },
  })
  expect((await service.call('GET', '/contacts/metrics', { token: service.other.token })).body).toMatchObject({
    data: expect.not.arrayContaining([expect.objectContaining({ added: 2 })]),
  })
})
