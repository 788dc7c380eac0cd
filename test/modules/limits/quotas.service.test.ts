import { describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import type { TeamLimits } from '../../../src/modules/limits/limits.schema.ts'
import { createRepositories } from '../../../src/repositories.ts'
import { createShiftingClock } from '../../support/clocks/clocks.ts'
import { shared, startTestService, type TestService } from '../../support/servers/service.ts'

const clock = createShiftingClock()
const service = shared(() => startTestService({ clock }))
const beside = shared(() => startTestService({ clock, beside: service }))

const BODY = { from: 'Acme <hello@example.com>', to: 'ada@example.org', subject: 'Hello', text: 'Hello.' }

type Team = { id: string; token: string }

async function limitedTeam(limits: Partial<TeamLimits>): Promise<Team> {
  const { repositories } = service.service.context
  const { id } = await repositories.teams.create('Team with limits')
  await repositories.teamLimits.setAcrossTeams(id, limits)
  return { id, token: await service.createKey(id) }
}

const send = (
  { token }: Team,
  body: object = {},
  { headers = {}, by = service }: { headers?: Record<string, string>; by?: TestService } = {},
) => by.call('POST', '/emails', { token, body: { ...BODY, ...body }, headers })

const statuses = (answers: { status: number }[]): Record<number, number> => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

const setLimits = (team: Team, limits: Partial<TeamLimits>) =>
  service.service.context.repositories.teamLimits.setAcrossTeams(team.id, limits)

async function accepted({ id }: Team): Promise<number> {
  const [row] = await service.database.execute<{ count: number }>(
    'select count(*)::int as count from recipients r join emails e on e.id = r.email_id where e.team_id = $1',
    [id],
  )
  return row?.count ?? 0
}

const left = async ({ id }: Team): Promise<(number | undefined)[]> => {
  const found = await service.service.context.repositories.quotas.left(id, clock.now())
  return found.map((each) => each.left)
}

/** Moves the clock to a time of UTC. */
const goTo = (time: string): void => clock.shift(new Date(time).getTime() - clock.now().getTime())

describe('a limit of emails', () => {
  it.each([
    { limit: 40, each: 25 },
    { limit: 3, each: 10 },
  ])('of $limit is what two processes accept of $each parallel requests each, and not one more or less', async ({ limit, each }) => {
    const team = await limitedTeam({ emails_per_day: limit })
    const requests = Array.from({ length: 2 * each }, (_, index) => send(team, {}, { by: index % 2 === 0 ? service : beside }))
    expect(statuses(await Promise.all(requests))).toEqual({ 200: limit, 429: 2 * each - limit })
    expect(await accepted(team)).toBe(limit)
    expect(await left(team)).toEqual([0])
  })

  it('is used up to its last address although another process has reserved some', async () => {
    const team = await limitedTeam({ emails_per_day: 1_000 })
    await send(team, {}, { by: beside })
    const batch = Array.from({ length: 100 }, () => BODY)
    for (let index = 0; index < 9; index += 1) await service.call('POST', '/emails/batch', { token: team.token, body: batch })
    const rest = await service.call('POST', '/emails/batch', { token: team.token, body: batch.slice(0, 99) })
    expect([rest.status, await accepted(team)]).toEqual([200, 1_000])
    expect((await send(team, {}, { by: beside })).status).toBe(429)
  })

  it('says which it is, when it ends, and how long to wait', async () => {
    goTo('2027-02-28T22:00:00.000Z')
    const team = await limitedTeam({ emails_per_day: 1, emails_per_month: 2 })
    await send(team)
    const daily = await send(team)
    expect([daily.status, daily.headers.get('retry-after'), daily.body]).toEqual([
      429,
      '7200',
      {
        statusCode: 429,
        name: 'daily_quota_exceeded',
        message:
          'Your team may send to 1 addresses a day. None are left. The next day begins at 2027-03-01T00:00:00.000Z. Your operator can allow more.',
      },
    ])
    goTo('2027-03-01T00:00:00.000Z')
    expect((await send(team)).status).toBe(200)
    goTo('2027-03-02T00:00:00.000Z')
    await send(team)
    goTo('2027-03-03T00:00:00.000Z')
    const monthly = await send(team)
    expect([monthly.headers.get('retry-after'), monthly.body]).toMatchObject(['86400', { name: 'monthly_quota_exceeded' }])
    expect(monthly.body).toMatchObject({ message: expect.stringContaining('2027-04-01T00:00:00.000Z') })
  })

  it('begins again at midnight and at the end of the month, and counts for the former day while the clock is set back', async () => {
    goTo('2027-03-31T23:59:00.000Z')
    const team = await limitedTeam({ emails_per_day: 2, emails_per_month: 3 })
    expect(statuses([await send(team), await send(team), await send(team)])).toEqual({ 200: 2, 429: 1 })
    goTo('2027-04-01T00:00:00.000Z')
    expect(await left(team)).toEqual([2, 3])
    expect(statuses([await send(team), await send(team), await send(team)])).toEqual({ 200: 2, 429: 1 })
    goTo('2027-03-31T23:59:30.000Z')
    expect([(await send(team)).status, await left(team)]).toEqual([429, [0, 1]])
    goTo('2027-04-02T00:00:00.000Z')
    expect(statuses([await send(team), await send(team)])).toEqual({ 200: 1, 429: 1 })
  })

  it('counts each address of to, cc and bcc, and none of the simulator', async () => {
    const team = await limitedTeam({ emails_per_day: 4 })
    await send(team, { to: 'delivered@simulator.test' })
    expect(await left(team)).toEqual([4])
    await send(team, { to: ['a@example.org', 'bounced@simulator.test'], cc: 'b@example.org', bcc: ['c@example.org'] })
    expect(await left(team)).toEqual([1])
    expect((await send(team, { to: ['a@example.org', 'b@example.org'] })).body).toMatchObject({
      message: expect.stringContaining('One of them is left, and this request has 2'),
    })
  })

  it('refuses a batch whole', async () => {
    const team = await limitedTeam({ emails_per_day: 2 })
    const batch = (headers: Record<string, string> = {}) =>
      service.call('POST', '/emails/batch', { token: team.token, body: [BODY, BODY, BODY], headers })
    expect(statuses([await batch(), await batch({ 'x-batch-validation': 'permissive' })])).toEqual({ 429: 2 })
    expect([await accepted(team), await left(team)]).toEqual([0, [2]])
  })

  it('gives a repetition its first answer although nothing is left', async () => {
    const team = await limitedTeam({ emails_per_day: 1 })
    const headers = { 'idempotency-key': createId() }
    const first = await send(team, {}, { headers })
    expect((await send(team, {}, { headers })).body).toEqual(first.body)
    expect(statuses([await send(team), await send(team, { subject: 'Another' }, { headers })])).toEqual({ 429: 2 })
  })

  it('gets back what was canceled, repeated or refused', async () => {
    const team = await limitedTeam({ emails_per_day: 2, emails_per_month: 2 })
    const headers = { 'idempotency-key': createId() }
    const { body } = await send(team, { scheduled_at: 'in 2 days', to: ['a@example.org', 'delivered@simulator.test'] }, { headers })
    await send(team, { scheduled_at: 'in 2 days', to: ['a@example.org', 'delivered@simulator.test'] }, { headers })
    await send(team, { from: 'nobody' })
    expect(await left(team)).toEqual([1, 1])
    await service.call('POST', `/emails/${(body as { id: string }).id}/cancel`, { token: team.token })
    expect(await left(team)).toEqual([2, 2])
    expect(statuses([await send(team), await send(team), await send(team)])).toEqual({ 200: 2, 429: 1 })
  })

  it('that is set in the middle of its day and month begins with what was accepted in them, queued and scheduled', async () => {
    goTo('2027-05-09T23:59:00.000Z')
    const team = await limitedTeam({})
    await send(team, { scheduled_at: 'in 2 days' })
    goTo('2027-05-10T12:00:00.000Z')
    await send(team, { to: ['a@example.org', 'delivered@simulator.test'], cc: 'b@example.org' })
    await send(team, { scheduled_at: 'in 2 days' })
    const { body } = await send(team, { scheduled_at: 'in 2 days' })
    const cancel = (id: string) => service.call('POST', `/emails/${id}/cancel`, { token: team.token })
    await cancel((body as { id: string }).id)
    await setLimits(team, { emails_per_day: 4, emails_per_month: 6 })
    expect(await left(team)).toEqual([1, 2])
    expect(statuses([await send(team), await send(team)])).toEqual({ 200: 1, 429: 1 })
    await setLimits(team, { emails_per_day: null, emails_per_month: null })
    expect((await send(team)).status).toBe(200)
  })

  it('gets back what was accepted before it was set and is canceled after that', async () => {
    const team = await limitedTeam({})
    const { body } = await send(team, { scheduled_at: 'in 2 days' })
    await setLimits(team, { emails_per_day: 2, emails_per_month: 2 })
    expect(await left(team)).toEqual([1, 1])
    await service.call('POST', `/emails/${(body as { id: string }).id}/cancel`, { token: team.token })
    expect(await left(team)).toEqual([2, 2])
  })

  it('that is removed and set again counts what was accepted with it and without it', async () => {
    const team = await limitedTeam({ emails_per_day: 1_000 })
    await send(team)
    await setLimits(team, { emails_per_day: null })
    for (let sent = 0; sent < 5; sent += 1) await send(team)
    await setLimits(team, { emails_per_day: 1_000 })
    expect(await left(team)).toEqual([994])
    // A part of what the process had reserved before.
    await send(team)
    expect(await left(team)).toEqual([993])
  })

  it('does not count what another process accepts before it knows of the limit', async () => {
    const team = await limitedTeam({})
    await send(team, {}, { by: beside })
    await setLimits(team, { emails_per_day: 2 })
    expect((await send(team, {}, { by: beside })).status).toBe(200)
    expect(await left(team)).toEqual([1])
  })

  it('counts what was sent for emails that retention may have removed', async () => {
    const team = await limitedTeam({})
    await send(team)
    const { database, config } = service
    // The period began before the retention.
    goTo('2027-08-01T00:00:00.000Z')
    await send(team)
    goTo('2027-08-20T00:00:00.000Z')
    const changes = [
      ['sent', 5],
      ['sent_simulated', 2],
    ]
    for (const [metric, count] of changes)
      await database.execute(
        `insert into email_count_changes (team_id, bucket, domain, broadcast_id, metric, count)
         values ($1, '2027-08-02', 'example.com', '00000000-0000-0000-0000-000000000000', $2, $3)`,
        [team.id, metric, count],
      )
    const repositoriesThatKeep = (emailRetentionDays: number) =>
      createRepositories(database, {
        ...{ clock, installation: config.installation, softBounces: config.softBounces, simulatorDomains: config.simulatorDomains },
        ...{ emailRetentionDays, onLost: () => {}, onUnreadable: () => {} },
      })
    const leftAfter = async (emailRetentionDays: number) => {
      const { teamLimits, quotas } = repositoriesThatKeep(emailRetentionDays)
      await teamLimits.setAcrossTeams(team.id, { emails_per_month: 10 })
      const found = await quotas.left(team.id, clock.now())
      await teamLimits.setAcrossTeams(team.id, { emails_per_month: null })
      return found[0]?.left
    }
    expect([await leftAfter(0), await leftAfter(30), await leftAfter(7)]).toEqual([9, 9, 7])
  })

  it('gets back what a process had reserved that has ended, and that process accepts nothing more of it', async () => {
    const team = await limitedTeam({ emails_per_day: 1_000 })
    await send(team, {}, { by: beside })
    const { quotas } = service.service.context.repositories
    const reserved = () => service.database.execute('select from quota_reservations where team_id = $1', [team.id])
    expect((await reserved()).length).toBe(1)
    await service.database.execute('update quota_reservations set process_id = $2 where team_id = $1', [team.id, createId()])
    for (const { teamId, ids } of await quotas.goneAcrossTeams()) await quotas.release(teamId, ids)
    expect([(await reserved()).length, await left(team)]).toEqual([0, [999]])
    // It was only silent: it takes a new reservation.
    expect((await send(team, {}, { by: beside })).status).toBe(200)
    expect(await left(team)).toEqual([998])
  })

  it('tells of 80 and of 100 percent, once in a period', async () => {
    const team = await limitedTeam({ emails_per_day: 5 })
    for (let index = 0; index < 7; index += 1) await send(team)
    const told = await service.database.execute('select type, data from notifications where team_id = $1 and type like $2 order by id', [
      team.id,
      'quota.%',
    ])
    const day = clock.now().toISOString().slice(0, 10)
    const resetsAt = new Date(new Date(day).getTime() + 86_400_000).toISOString()
    expect(told).toEqual([
      { type: 'quota.warning', data: { limit_name: 'emails_per_day', limit: 5, percent: 80, resets_at: resetsAt } },
      { type: 'quota.reached', data: { limit_name: 'emails_per_day', limit: 5, percent: 100, resets_at: resetsAt } },
    ])
  })

  it('touches no counter of a team without one', async () => {
    const team = await limitedTeam({ contacts: 5 })
    await send(team)
    for (const table of ['quota_periods', 'quota_reservations'])
      expect(await service.database.execute(`select from ${table} where team_id = $1`, [team.id])).toEqual([])
  })
})
