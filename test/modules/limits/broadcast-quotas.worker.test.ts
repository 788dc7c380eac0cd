import { beforeEach, describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../src/lib/clock.ts'
import type { TeamLimits } from '../../../src/modules/limits/limits.schema.ts'
import { addMembers, createBroadcast, doDue, readBroadcast, stepDue } from '../../support/builders/broadcasts.ts'
import { addSegment } from '../../support/builders/contacts.ts'
import { createShiftingClock } from '../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const clock = createShiftingClock()
const service = shared(() => startTestService({ clock, environment: { SMTP_RELAY_URL: 'smtp://127.0.0.1:1' } }))

let segmentId: string
let segments = 0

beforeEach(async () => {
  const { database, teamId } = service
  // What the tests before have accepted is of another month.
  clock.shift(32 * DAY_MS)
  await database.execute('delete from quota_uses')
  for (const table of ['quota_reservations', 'quota_periods', 'team_limits'])
    await database.execute(`delete from ${table} where team_id = $1`, [teamId])
  segmentId = await addSegment(service)
  segments += 1
  const people = Object.fromEntries(['a', 'b', 'c'].map((name) => [`${name}@of${segments}.example.org`, {}]))
  await addMembers(service, segmentId, { ...people, [`delivered+${segments}@simulator.test`]: {} })
})

const limit = (limits: Partial<TeamLimits>) => service.service.context.repositories.teamLimits.setAcrossTeams(service.teamId, limits)

const left = async () => (await service.service.context.repositories.quotas.left(service.teamId, clock.now())).map((each) => each.left)

const send = (id: string) => service.call('POST', `/broadcasts/${id}/send`)

describe('a broadcast', () => {
  it('is refused whole, by its size or by what is left, and stays a draft', async () => {
    const id = await createBroadcast(service, { segment_id: segmentId })
    await limit({ broadcast_recipients: 2 })
    expect(await send(id)).toMatchObject({
      status: 403,
      body: { name: 'validation_error', message: expect.stringContaining('at most 2 recipients') },
    })
    await limit({ broadcast_recipients: null, emails_per_day: 2 })
    expect(await send(id)).toMatchObject({ status: 429, body: { name: 'daily_quota_exceeded' } })
    expect([(await readBroadcast(service, id)).status, await left()]).toEqual(['draft', [2]])
  })

  it('counts whole when it begins, without addresses of the simulator', async () => {
    await limit({ emails_per_day: 3, broadcast_recipients: 3 })
    const id = await createBroadcast(service, { segment_id: segmentId, send: true })
    await doDue(service)
    expect([await readBroadcast(service, id), await left()]).toMatchObject([{ counts: { recipients: 4 } }, [0]])
  })

  it('is a draft again with an event if the rest was used before its time', async () => {
    const scheduled_at = new Date(clock.now().getTime() + 60_000).toISOString()
    const id = await createBroadcast(service, { segment_id: segmentId, send: true, scheduled_at })
    await limit({ emails_per_month: 2 })
    clock.shift(61_000)
    await doDue(service)
    const broadcast = await readBroadcast(service, id)
    expect(broadcast.status).toBe('draft')
    const told = await service.database.execute(`select data->>'reason' as reason from notifications where subject_id = $1`, [id])
    expect(told).toEqual([{ reason: expect.stringContaining('Your team may send to 2 addresses a month.') }])
  })

  it('returns what it does not send when it is canceled', async () => {
    await limit({ emails_per_day: 10 })
    const id = await createBroadcast(service, { segment_id: segmentId, send: true })
    await stepDue(service, { contactsMax: 2 })
    expect(await left()).toEqual([7])
    expect((await service.call('POST', `/broadcasts/${id}/cancel`)).status).toBe(200)
    await doDue(service)
    expect(await left()).toEqual([10])
  })

  it('that is being sent when the limit is set counts with the emails that it has made', async () => {
    const id = await createBroadcast(service, { segment_id: segmentId, send: true })
    await stepDue(service, { contactsMax: 2 })
    const [made] = await service.database.execute<{ count: number }>(
      `select count(*)::int as count from emails where broadcast_id = $1 and "to"[1] not like '%@simulator.test'`,
      [id],
    )
    const count = made?.count ?? 0
    expect([1, 2]).toContain(count)
    await limit({ emails_per_month: 10 })
    expect(await left()).toEqual([10 - count])
    await doDue(service)
    expect([(await readBroadcast(service, id)).counts, await left()]).toMatchObject([{ recipients: 4 }, [10 - count]])
  })

  it('whose limit is removed and set again while it is sent counts whole until it ends, and then what it made', async () => {
    await limit({ emails_per_day: 10 })
    await createBroadcast(service, { segment_id: segmentId, send: true })
    await stepDue(service, { contactsMax: 2 })
    await limit({ emails_per_day: null })
    await limit({ emails_per_day: 10 })
    expect(await left()).toEqual([7])
    await doDue(service)
    expect(await left()).toEqual([7])
    await limit({ emails_per_day: null })
    await limit({ emails_per_day: 10 })
    expect(await left()).toEqual([7])
  })

  it('makes no more emails than it has reserved', async () => {
    await limit({ emails_per_day: 4 })
    await createBroadcast(service, { segment_id: segmentId, send: true })
    await stepDue(service, { contactsMax: 2 })
    const { database, teamId } = service
    await database.execute('update quota_reservations set recipients = 3 where team_id = $1', [teamId])
    await doDue(service)
    const [row] = await database.execute(`select count(*)::int as count from emails where "to"[1] like $1 or "to"[1] like $2`, [
      `%@of${segments}.example.org`,
      `delivered+${segments}@%`,
    ])
    expect(row).toEqual({ count: 3 })
  })
})
