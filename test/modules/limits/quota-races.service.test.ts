// Many processes that accept for one team: each has memory and a clock of its own, and all have one database.
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Clock } from '../../../src/lib/clock.ts'
import { Failure } from '../../../src/lib/failure.ts'
import { createId } from '../../../src/lib/ids.ts'
import { acceptEmails } from '../../../src/modules/emails/accept-email.service.ts'
import { validateEmail } from '../../../src/modules/emails/validate-emails.service.ts'
import type { TeamLimits } from '../../../src/modules/limits/limits.schema.ts'
import { createQuotas, TAKE_ROUNDS_MAX } from '../../../src/modules/limits/quotas.service.ts'
import { createShiftingClock } from '../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const clock = createShiftingClock()
const service = shared(() => startTestService({ clock }))

const MAIL = { from: 'Acme <hello@example.com>', to: 'ada@example.org', subject: 'Hello', text: 'Hello.' }

async function limitedTeam(limits: Partial<TeamLimits>): Promise<string> {
  const { teams, teamLimits } = service.service.context.repositories
  const { id } = await teams.create('Team with limits')
  await teamLimits.setAcrossTeams(id, limits)
  return id
}

type Process = (teamId: string, mail?: object) => Promise<'accepted' | Failure>

/** A process that accepts by this clock. One that waited for others too long asks again, as its client would. */
function startProcess(ofProcess: Clock = clock): Process {
  const { context } = service.service
  const { repositories } = context
  const quotas = createQuotas({ repositories, clock: ofProcess, processId: createId() })
  const own = { ...context, clock: ofProcess, quotas }
  const accept: Process = async (teamId, mail = {}) => {
    const holder = { teamId, apiKeyId: createId(), permission: 'full_access' as const, domainId: null }
    try {
      const validated = await validateEmail(own, holder, { ...MAIL, ...mail })
      await acceptEmails(own, { mode: 'one', holder, validated, idempotency: null })
      return 'accepted'
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('timeout exceeded when trying to connect')) return accept(teamId, mail)
      if (!(error instanceof Failure)) throw error
      return error.kind === 'unavailable' ? accept(teamId, mail) : error
    }
  }
  return accept
}

const at = (time: string): Clock => ({ now: () => new Date(time), monotonicMs: clock.monotonicMs })

const goTo = (time: string): void => clock.shift(new Date(time).getTime() - clock.now().getTime())

async function acceptedByDay(teamId: string): Promise<Record<string, number>> {
  const rows = await service.database.execute<{ day: string; count: number }>(
    `select (e.created_at at time zone 'UTC')::date::text as day, count(*)::int as count from recipients r join emails e on e.id = r.email_id where e.team_id = $1 group by 1`,
    [teamId],
  )
  return Object.fromEntries(rows.map(({ day, count }) => [day, count]))
}

const left = async (teamId: string): Promise<number[]> =>
  (await service.service.context.repositories.quotas.left(teamId, clock.now())).map((quota) => quota.left)

describe('fifty processes that accept at once', () => {
  it('accept as much as the limit, not one more or less, and tell of it once', async () => {
    const teamId = await limitedTeam({ emails_per_day: 150 })
    const processes = Array.from({ length: 50 }, () => startProcess())
    const results = await Promise.all(processes.flatMap((accept) => Array.from({ length: 5 }, () => accept(teamId))))
    const accepted = results.filter((result) => result === 'accepted').length
    expect({ accepted, stored: Object.values(await acceptedByDay(teamId)), left: await left(teamId) }).toEqual({
      ...{ accepted: 150, stored: [150], left: [0] },
    })
    const told = await service.database.execute<{ percent: string }>(
      `select j.payload ->> 'percent' as percent from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
       where t.identifier = 'tell-of-quota' and j.payload ->> 'teamId' = $1`,
      [teamId],
    )
    expect(told.map(({ percent }) => percent).toSorted()).toEqual(['100', '80'])
  })
})

describe('the end of a month', () => {
  afterEach(() => vi.unstubAllEnvs())

  it.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago'])(
    'is that of UTC for a process in %s, whose clock and that of another differ by seconds',
    async (zone) => {
      vi.stubEnv('TZ', zone)
      expect(Math.abs(new Date().getTimezoneOffset())).toBeGreaterThan(600)
      goTo('2028-02-29T23:59:58.000Z')
      const teamId = await limitedTeam({ emails_per_day: 4, emails_per_month: 6 })
      // They stand still: on a busy machine the first would pass midnight before it has accepted.
      const [late, early] = [startProcess(at('2028-02-29T23:59:56.000Z')), startProcess(at('2028-03-01T00:00:01.000Z'))]
      const results = await Promise.all(Array.from({ length: 24 }, (_, index) => (index % 2 === 0 ? late : early)(teamId)))
      expect(await acceptedByDay(teamId)).toEqual({ '2028-02-29': 4, '2028-03-01': 4 })
      expect(results.filter((result) => result === 'accepted')).toHaveLength(8)

      goTo('2028-03-02T00:00:00.000Z')
      expect(await left(teamId)).toEqual([4, 2])
      const accept = startProcess()
      expect([await accept(teamId), await accept(teamId)]).toEqual(['accepted', 'accepted'])
      expect(await accept(teamId)).toMatchObject({
        kind: 'monthlyQuotaExceeded',
        message: expect.stringContaining('The next month begins at 2028-04-01T00:00:00.000Z.'),
      })
    },
  )
})

describe('an email that is not accepted after all', () => {
  it.each([
    ['whose data PostgreSQL refuses', 'check_violation'],
    ['whose commit failed for another reason', 'internal_error'],
  ])('%s counts nothing', async (_what, code) => {
    const teamId = await limitedTeam({ emails_per_day: 1 })
    await service.database.execute(
      `create function refuse_email() returns trigger language plpgsql as $$ begin raise exception 'refused' using errcode = '${code}'; end $$`,
    )
    await service.database.execute(
      `create trigger refuse_email before insert on emails for each row when (new.subject = 'refuse') execute function refuse_email()`,
    )
    const accept = startProcess()
    await expect(accept(teamId, { subject: 'refuse' })).rejects.toThrow()
    expect(await left(teamId)).toEqual([1])
    expect([await accept(teamId), await left(teamId)]).toEqual(['accepted', [0]])
    await service.database.execute('drop trigger refuse_email on emails')
    await service.database.execute('drop function refuse_email')
  })
})

it('a request before which a thousand others took what was reserved is told to try again, and can', async () => {
  const teamId = await limitedTeam({ emails_per_day: 100_000_000 })
  const { repositories } = service.service.context
  const quotas = createQuotas({ repositories, clock, processId: createId() })
  // As many as a reservation has: each needs one of its own, and waits for all before it.
  const take = () => quotas.take(teamId, { count: 1_000, at: clock.now() }).catch((error: unknown) => error)
  const taken = await Promise.all(Array.from({ length: TAKE_ROUNDS_MAX + 2 }, take))
  // What took its own reservation had one round more.
  expect(taken.filter((each) => !(each instanceof Error))).toHaveLength(TAKE_ROUNDS_MAX - 1)
  const refused = taken.at(-1)
  expect(refused).toBeInstanceOf(Failure)
  expect(refused).toMatchObject({
    ...{ kind: 'unavailable', retryAfterSeconds: 1 },
    message: 'The quota of your team is almost used, and others are taking the rest. Please try again.',
  })
  expect(await take()).toMatchObject({ count: 1_000 })
})

it('what a process had reserved returns when it stops', async () => {
  const teamId = await limitedTeam({ emails_per_day: 1_000 })
  const token = await service.createKey(teamId)
  const stopping = await startTestService({ clock, beside: service })
  expect((await stopping.call('POST', '/emails', { token, body: MAIL })).status).toBe(200)
  const reserved = () => service.database.execute('select count from quota_reservations where team_id = $1', [teamId])
  expect(await reserved()).toEqual([{ count: 10 }])
  await stopping.close()
  expect([await reserved(), await left(teamId)]).toEqual([[], [999]])
})
