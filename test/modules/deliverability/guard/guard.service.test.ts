// Outcomes of mail are played to the guard hour by hour, as workers count them. Each test says what it must do, and when.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../../src/lib/clock.ts'
import { LOWEST_ID } from '../../../../src/lib/ids.ts'
import { lookAtReputations } from '../../../../src/modules/deliverability/guard/guard.worker.ts'
import type { GuardMode } from '../../../../src/modules/limits/reputation.schema.ts'
import { addUpCounts } from '../../../../src/modules/metrics/metrics.worker.ts'
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

type Counted = {
  sent?: number
  bounced?: number
  unknown?: number
  trapped?: number
  complained?: number
  transient?: number
  simulated?: number
}

/** The names of the counters, with those that go with each. */
const METRICS: Record<keyof Counted, string[]> = {
  sent: ['sent'],
  bounced: ['bounced_permanent'],
  unknown: ['bounced_unknown_user'],
  trapped: ['bounced_spam_trap'],
  complained: ['complained'],
  transient: ['bounced_transient'],
  simulated: ['sent', 'sent_simulated', 'bounced_permanent', 'bounced_simulated', 'complained', 'complained_simulated'],
}

/** Counts outcomes as they are counted now, as the trigger of the database does. */
async function happens(teamId: string, counts: Counted, domain = 'shop.example'): Promise<void> {
  const rows = Object.entries(counts).flatMap(([name, count]) =>
    METRICS[name as keyof Counted].map((metric) => ({ teamId, domain, metric, count })),
  )
  await service.database.execute(
    `insert into email_count_changes (team_id, bucket, domain, broadcast_id, metric, count)
     select "teamId", email_count_bucket($2), domain, '${LOWEST_ID}', metric, count
     from jsonb_to_recordset($1::jsonb) as r("teamId" uuid, domain text, metric text, count int) where count > 0`,
    [JSON.stringify(rows), clock.now()],
  )
}

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

type Hour = { day: number; hour: number; domain: string; counts: Counted }

/** Three weeks of a shop: receipts all day, and a newsletter on Tuesdays. */
const TRAFFIC: Hour[] = readFileSync(join(import.meta.dirname, 'traffic.csv'), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [day, hour, domain = '', sent, bounced, unknown, complained] = line.split(',')
    return {
      ...{ day: Number(day), hour: Number(hour), domain },
      counts: { sent: Number(sent), bounced: Number(bounced), unknown: Number(unknown), complained: Number(complained) },
    }
  })

/** Plays these weeks, and more that happens in them. Returns what was told, with its day. */
async function play(teamId: string, more: Hour[] = []): Promise<{ day: number; type: string }[]> {
  const all: { day: number; type: string }[] = []
  for (const [at, ofHour] of Map.groupBy([...TRAFFIC, ...more], ({ day, hour }) => day * 24 + hour)
    .entries()
    .toArray()
    .toSorted(([a], [b]) => a - b)) {
    time = MONDAY.getTime() + at * HOUR_MS
    for (const { counts, domain } of ofHour) await happens(teamId, counts, domain)
    await look()
    const now = await types(teamId)
    for (const type of now.slice(all.length)) all.push({ day: Math.floor(at / 24), type })
  }
  return all
}

describe('three weeks of a shop', () => {
  it('stop nothing, and one complaint of 500 recipients is a warning', async () => {
    const teamId = await team()
    expect(await play(teamId)).toEqual([{ day: 9, type: 'reputation.warning' }])
    expect(await statusOf(teamId)).toBe('good')
  })

  it('stop nothing with a batch to twenty addresses that all bounce', async () => {
    const teamId = await team()
    const batch = { day: 9, hour: 9, domain: 'old.shop.example', counts: { sent: 20, bounced: 20, unknown: 20 } }
    expect((await play(teamId, [batch])).map(({ type }) => type)).not.toContain('reputation.paused')
  })

  it('pause bulk mail in the hour in which the first part of a bought list is mailed', async () => {
    const teamId = await team('bulk')
    const list = [10, 11, 12].map((hour) => ({
      ...{ day: 11, hour, domain: 'offers.shop.example' },
      counts: { sent: 260, bounced: 70, unknown: 55, trapped: 2, complained: 1 },
    }))
    expect(await play(teamId, list)).toContainEqual({ day: 11, type: 'reputation.paused' })
    const paused = (await told(teamId)).find(({ type }) => type === 'reputation.paused')
    expect(paused?.data).toMatchObject({ status: 'bulk_paused', domain: null, period: 'day', sent: 721 })
  })

  it('pause bulk mail at complaints', async () => {
    const teamId = await team('bulk')
    const spam = { day: 8, hour: 10, domain: 'news.shop.example', counts: { complained: 25 } }
    expect(await play(teamId, [spam])).toContainEqual({ day: 8, type: 'reputation.paused' })
  })
})

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
