// The traffic of a shop is played to the guard hour by hour, as workers count it. Each test says what the guard must do, and when.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { HOUR_MS } from '../../../../src/lib/clock.ts'
import { lookAtReputations } from '../../../../src/modules/deliverability/guard/guard.worker.ts'
import type { GuardMode } from '../../../../src/modules/limits/reputation.schema.ts'
import { addUpCounts } from '../../../../src/modules/metrics/metrics.worker.ts'
import { type Counted, countOutcomes } from '../../../support/builders/outcomes.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const MONDAY = new Date('2027-03-01T00:00:00.000Z')
let time = MONDAY.getTime()
const clock = { now: () => new Date(time), monotonicMs: createMovingClock().monotonicMs }
const service = shared(() => startTestService({ clock }))

beforeEach(async () => {
  time = MONDAY.getTime()
  await service.database.execute('truncate email_counts, email_count_changes, outcome_changes, team_reputations, notifications')
})

const happens = (teamId: string, counts: Counted, domain = 'shop.example'): Promise<void> =>
  countOutcomes(service, teamId, { counts, domain, at: clock.now() })

async function look(): Promise<void> {
  while (await addUpCounts(service.service.context)) {}
  while (await lookAtReputations(service.service.context)) {}
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
