// Outcomes of mail are played to the guard hour by hour, as workers count them. Each test says what it must do, and when.
import { beforeEach, describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../../src/lib/clock.ts'
import { lookAtReputations } from '../../../../src/modules/deliverability/guard/guard.worker.ts'
import type { GuardMode } from '../../../../src/modules/limits/reputation.schema.ts'
import { addUpCounts } from '../../../../src/modules/metrics/metrics.worker.ts'
import { type Counted, countOutcomes } from '../../../support/builders/outcomes.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { keepInstallationMails } from '../../../support/servers/mailed-links.ts'
import { shared, startTestService, type TestService } from '../../../support/servers/service.ts'

const KEY = 'the-operator-key-of-these-tests-which-is-long'
const MONDAY = new Date('2027-03-01T00:00:00.000Z')
let time = MONDAY.getTime()
const clock = { now: () => new Date(time), monotonicMs: createMovingClock().monotonicMs }
const service = shared(() => startTestService({ clock, environment: { OPERATOR_KEY: KEY } }))
const beside = shared(() => startTestService({ clock, beside: service, environment: { OPERATOR_KEY: KEY } }))

beforeEach(async () => {
  time = MONDAY.getTime()
  await service.database.execute('truncate email_counts, email_count_changes, outcome_changes, team_reputations, notifications')
})

const happens = (teamId: string, counts: Counted, domain = 'shop.example'): Promise<void> =>
  countOutcomes(service, teamId, { counts, domain, at: clock.now() })

async function look(by: TestService = service): Promise<void> {
  while (await addUpCounts(by.service.context)) {}
  while (await lookAtReputations(by.service.context)) {}
}

async function team(mode: GuardMode = 'all'): Promise<string> {
  const { teams } = service.service.context.repositories
  const { id } = await teams.create('Acme')
  await teams.update(id, { guard: mode })
  return id
}

const statusOf = async (teamId: string) => (await service.service.context.repositories.teams.find(teamId))?.reputation?.status ?? 'good'

const told = (teamId: string) =>
  service.database.execute<{ type: string; data: Record<string, unknown> }>(
    `select type, data from notifications where team_id = $1 and type like 'reputation.%' order by id`,
    [teamId],
  )
const types = async (teamId: string) => (await told(teamId)).map(({ type }) => type)

const hours = (count: number): void => {
  time += count * HOUR_MS
}

describe('the thresholds', () => {
  it.each([
    ['one bounce below the warning', { sent: 1_000, bounced: 39 }, 'good', []],
    ['4 % bounces', { sent: 1_000, bounced: 40 }, 'warning', ['reputation.warning']],
    ['8 % bounces', { sent: 1_000, bounced: 80 }, 'bulk_paused', ['reputation.paused']],
    ['16 % bounces', { sent: 1_000, bounced: 160 }, 'paused', ['reputation.paused']],
    ['0.1 % complaints', { sent: 1_000, complained: 1 }, 'warning', ['reputation.warning']],
    ['0.3 % complaints', { sent: 1_000, complained: 3 }, 'bulk_paused', ['reputation.paused']],
    ['0.6 % complaints', { sent: 1_000, complained: 6 }, 'paused', ['reputation.paused']],
    ['all of 499', { sent: 499, bounced: 499, complained: 499 }, 'good', []],
    ['all of 500', { sent: 500, bounced: 500 }, 'paused', ['reputation.paused']],
    ['mailboxes that are full', { sent: 1_000, transient: 500 }, 'good', []],
    ['the simulator, which counts as neither sent nor bounced', { sent: 499, bounced: 20, simulated: 5_000 }, 'good', []],
  ] as const)('%s', async (_what, counts, status, events) => {
    const teamId = await team()
    await happens(teamId, counts)
    await look()
    expect([await statusOf(teamId), await types(teamId)]).toEqual([status, events])
  })

  it.each([
    ['warn', 'warning'],
    ['bulk', 'bulk_paused'],
    ['all', 'paused'],
  ] as const)('lead as far as the guard goes with a team: %s', async (mode, status) => {
    const teamId = await team(mode)
    await happens(teamId, { sent: 1_000, bounced: 500 })
    await look()
    expect(await statusOf(teamId)).toBe(status)
  })

  it('are those of a domain as much as those of the team', async () => {
    const teamId = await team()
    await happens(teamId, { sent: 50_000 })
    await happens(teamId, { sent: 600, bounced: 60 }, 'news.shop.example')
    await look()
    expect(await told(teamId)).toMatchObject([
      { type: 'reputation.paused', data: { domain: 'news.shop.example', period: 'day', sent: 600 } },
    ])
    expect(await statusOf(teamId)).toBe('bulk_paused')
  })

  it('are those of the team where no domain has 500', async () => {
    const teamId = await team()
    for (const domain of ['a.example', 'b.example', 'c.example']) await happens(teamId, { sent: 200, bounced: 18 }, domain)
    await look()
    expect(await told(teamId)).toMatchObject([{ type: 'reputation.paused', data: { domain: null, sent: 600, bounced: 54 } }])
  })

  it('are those of a week as much as those of a day', async () => {
    const teamId = await team()
    for (let day = 0; day < 5; day += 1) {
      await happens(teamId, { sent: 120, bounced: 11 })
      await look()
      hours(24)
    }
    expect(await told(teamId)).toMatchObject([{ data: { period: 'week', sent: 600, bounced: 55 } }])
  })

  it('forget what is older than a week', async () => {
    const teamId = await team()
    await happens(teamId, { sent: 400, bounced: 100 })
    await look()
    hours(8 * 24)
    await happens(teamId, { sent: 400, bounced: 4 })
    await look()
    expect(await statusOf(teamId)).toBe('good')
  })
})

describe('a warning', () => {
  it('is told once in a day, however many outcomes follow', async () => {
    const teamId = await team()
    await happens(teamId, { sent: 1_000, bounced: 50 })
    for (let hour = 0; hour < 20; hour += 1) {
      await happens(teamId, { sent: 20, bounced: 1 })
      await look()
      hours(1)
    }
    expect(await types(teamId)).toEqual(['reputation.warning'])
  })

  it('ends by itself when the rates are lower', async () => {
    const teamId = await team()
    await happens(teamId, { sent: 1_000, bounced: 50 })
    await look()
    hours(23)
    await happens(teamId, { sent: 4_000 })
    await look()
    expect(await statusOf(teamId)).toBe('warning')
    hours(2)
    await look()
    expect([await statusOf(teamId), await types(teamId)]).toEqual(['good', ['reputation.warning']])
  })
})

describe('a pause', () => {
  it('lasts a day at least, ends when the rates are lower, and mail goes at a tenth for a day', async () => {
    const teamId = await team()
    await happens(teamId, { sent: 1_000, bounced: 120 })
    await look()
    hours(12)
    await happens(teamId, { sent: 2_000 })
    await look()
    hours(11)
    await look()
    expect(await statusOf(teamId)).toBe('bulk_paused')
    hours(2)
    await look()
    expect(await types(teamId)).toEqual(['reputation.paused', 'reputation.released'])
    const { reputations } = service.service.context.repositories
    expect(await reputations.heldAcrossTeams()).toEqual([
      { teamId, status: 'good', throttled: 'bulk', throttledUntil: new Date(time + DAY_MS) },
    ])
    hours(25)
    await look()
    expect(await reputations.heldAcrossTeams()).toEqual([])
  })

  it('lasts while the rates of the week are at the thresholds, and ends after that week', async () => {
    const teamId = await team()
    await happens(teamId, { sent: 1_000, bounced: 300 })
    await look()
    hours(6 * 24)
    await look()
    expect(await statusOf(teamId)).toBe('paused')
    hours(25)
    await look()
    expect(await statusOf(teamId)).toBe('good')
  })

  it('of bulk mail becomes one of all mail when the rates rise to twice the thresholds', async () => {
    const teamId = await team()
    await happens(teamId, { sent: 1_000, bounced: 90 })
    await look()
    await happens(teamId, { sent: 100, bounced: 100 })
    await look()
    expect((await told(teamId)).map(({ data }) => data.status)).toEqual(['bulk_paused', 'paused'])
  })

  it('is ended by an operator, and what was counted until then does not bring it back', async () => {
    const teamId = await team()
    await happens(teamId, { sent: 1_000, bounced: 300 })
    await look()
    const released = await service.call('POST', `/teams/${teamId}/release`, { token: KEY })
    expect(released).toMatchObject({ status: 200, body: { id: teamId, reputation: 'good', reputation_reason: null } })
    await happens(teamId, { bounced: 10 })
    await look()
    hours(1)
    await happens(teamId, { sent: 600, bounced: 5 })
    await look()
    expect(await types(teamId)).toEqual(['reputation.paused', 'reputation.released'])
    await happens(teamId, { bounced: 60 })
    await look()
    expect(await statusOf(teamId)).toBe('bulk_paused')
  })

  it('is released once by operators that come at the same time', async () => {
    const teamId = await team()
    await happens(teamId, { sent: 1_000, bounced: 300 })
    await look()
    const release = (by: TestService) => by.call('POST', `/teams/${teamId}/release`, { token: KEY })
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => release(index % 2 ? service : beside)))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
    expect(await types(teamId)).toEqual(['reputation.paused', 'reputation.released'])
  })

  it('is known to the team and its operator, with the reason', async () => {
    const teamId = await team()
    await happens(teamId, { sent: 1_000, bounced: 90, unknown: 80, trapped: 2, complained: 1 })
    await look()
    const reason =
      '9 % of the mail of this team bounced in the last 24 hours (90 of 1,000 recipients). Bulk mail is paused; transactional mail is sent. Bulk mail pauses at 8 %, all mail at 16 %.'
    const rates = { sent: 1_000, bounce_rate: 9, complaint_rate: 0.1, unknown_user_rate: 8, spam_traps: 2 }
    const usage = await service.call('GET', '/usage', { token: await service.createKey(teamId) })
    expect(usage.body).toMatchObject({
      reputation: { status: 'bulk_paused', since: clock.now().toISOString(), reason, throttled_until: null, day: rates, week: rates },
    })
    expect((await service.call('GET', `/teams/${teamId}`, { token: KEY })).body).toMatchObject({
      reputation: 'bulk_paused',
      reputation_reason: reason,
    })
  })
})

describe('a clock that is set back', () => {
  it('by a month lets no pause last longer than a day from then', async () => {
    const teamId = await team()
    await happens(teamId, { sent: 1_000, bounced: 300 })
    await look()
    hours(-30 * 24)
    await look()
    expect(await statusOf(teamId)).toBe('paused')
    hours(25)
    await look()
    expect(await statusOf(teamId)).toBe('good')
  })

  it('after a release lets mail go at a tenth for no longer than a day, and counts what happens from then', async () => {
    const teamId = await team()
    await happens(teamId, { sent: 1_000, bounced: 90 })
    await look()
    await service.call('POST', `/teams/${teamId}/release`, { token: KEY })
    hours(-30 * 24)
    await look()
    hours(1)
    await happens(teamId, { sent: 600, bounced: 60 })
    await look()
    expect(await statusOf(teamId)).toBe('bulk_paused')
  })
})

describe('two processes', () => {
  it('that count and look at the same time evaluate each team once, and miss none', async () => {
    expect(beside.teamId).not.toBe(service.teamId)
    const teamIds = await Promise.all(Array.from({ length: 120 }, () => team()))
    const parts = teamIds.flatMap((teamId) => Array.from({ length: 4 }, () => happens(teamId, { sent: 250, bounced: 25 })))
    await Promise.all([...parts, ...Array.from({ length: 10 }, (_, index) => look(index % 2 ? service : beside))])
    await look()
    for (const teamId of teamIds) expect([await statusOf(teamId), (await types(teamId)).length]).toEqual(['bulk_paused', 1])
  })

  it('lose no outcome of which one died while it looked', async () => {
    const teamId = await team()
    await happens(teamId, { sent: 1_000, bounced: 90 })
    while (await addUpCounts(service.service.context)) {}
    await service.database.execute('alter table team_reputations rename to elsewhere')
    await expect(lookAtReputations(service.service.context)).rejects.toThrow('team_reputations')
    await service.database.execute('alter table elsewhere rename to team_reputations')
    await look(beside)
    expect(await statusOf(teamId)).toBe('bulk_paused')
  })
})

it('takes GUARD and its thresholds for all teams', async () => {
  const teamId = await team('all')
  await happens(teamId, { sent: 1_000, bounced: 30, complained: 4 })
  while (await addUpCounts(service.service.context)) {}
  const { context } = service.service
  const guard = { mode: 'bulk' as const, thresholds: { bouncesPercent: 1.5, complaintsPercent: 2 } }
  await lookAtReputations({ ...context, config: { ...context.config, guard } })
  expect(await told(teamId)).toMatchObject([{ data: { status: 'bulk_paused', bounced: 30 } }])
})

it('mails the owners at a warning, at a pause and at its end', async () => {
  const { notifyOfReputation } = await import('../../../../src/modules/deliverability/guard/guard.service.ts')
  const teamId = await team()
  const { context } = service.service
  const mails = keepInstallationMails(context)
  await context.repositories.persons.becomeFirstOwner(teamId, { email: 'owner@example.com', name: 'Olga' })
  await happens(teamId, { sent: 1_000, bounced: 50 })
  await look()
  await happens(teamId, { bounced: 50 })
  await look()
  hours(8 * 24)
  await look()
  const jobs = await service.database.execute<{ payload: Parameters<typeof notifyOfReputation>[1] }>(
    `select j.payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
     where t.identifier = 'tell-of-reputation' and j.payload ->> 'teamId' = $1 order by j.id`,
    [teamId],
  )
  for (const { payload } of jobs) await notifyOfReputation(context, payload)
  expect(mails.all.map(({ to, subject }) => [to, subject])).toEqual([
    ['owner@example.com', 'Many bounces or complaints in Acme'],
    ['owner@example.com', 'Mail of Acme is paused'],
    ['owner@example.com', 'Mail of Acme is sent again'],
  ])
  expect(mails.all[1]?.text).toContain('10 % of the mail of this team bounced in the last 24 hours (100 of 1,000 recipients).')
})
