// Mail through the whole service: what counts, what waits, and that all of it leaves in the end.
import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../../src/lib/clock.ts'
import { lookAtReputations } from '../../../../src/modules/deliverability/guard/guard.worker.ts'
import { toSettlement } from '../../../../src/modules/delivery/engine/settlements.ts'
import { newReputation, type Reputation } from '../../../../src/modules/limits/reputation-evaluation.ts'
import { saveReputationsAcrossTeams } from '../../../../src/modules/limits/reputations.repository.ts'
import { addUpCounts } from '../../../../src/modules/metrics/metrics.worker.ts'
import { claimAndBegin, outcome } from '../../../support/builders/engine.ts'
import { createShiftingClock } from '../../../support/clocks/clocks.ts'
import { until } from '../../../support/clocks/until.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const KEY = 'the-operator-key-of-these-tests-which-is-long'
const clock = createShiftingClock()
const environment = { OPERATOR_KEY: KEY, DELIVERY: 'capture' }
const service = shared(() => startTestService({ clock, environment }))
const worker = shared(() => startTestService({ clock, beside: service, environment: { ...environment, ROLES: 'worker' } }))
/** Its mail is delivered by the test itself. */
const counting = shared(() => startTestService({ clock }))

const MAIL = { from: 'a@example.com', subject: 'Hello', text: 'Hello' }

async function outcomes() {
  const { context } = counting.service
  while (await addUpCounts(context)) {}
  await lookAtReputations(context)
  const [team] = await context.repositories.outcomeCounts.of(counting.teamId, { countedFrom: null, now: clock.now() })
  return team?.outcomes
}

/** Delivers what is due: with these outcomes, by the local part of the address. */
async function deliver(): Promise<void> {
  const { repositories } = counting.service.context
  const workerId = counting.teamId
  const begun = await claimAndBegin(counting, workerId, clock.now())
  const moment = { now: clock.now(), random: () => 0.5 }
  const settlements = begun.map(({ delivery, attemptId }) => {
    const [name = ''] = delivery.address.split('+')
    const answers: Record<string, ReturnType<typeof outcome>> = {
      unknown: outcome('bounced', { enhancedCode: '5.1.1', text: 'User unknown' }),
      trap: outcome('bounced', { enhancedCode: '5.7.1', text: 'Your IP sends to our spam traps' }),
      blocked: outcome('bounced', { enhancedCode: '5.7.1', text: 'Blocked' }),
      full: outcome('bounced', { enhancedCode: '5.2.2', text: 'Mailbox full' }),
    }
    return toSettlement(delivery, attemptId, answers[name] ?? outcome('delivered'), moment)
  })
  await repositories.deliveries.settle(workerId, settlements, clock.now())
}

describe('the counts', () => {
  it('tell unknown users and spam traps apart, and leave out full mailboxes and suppressed addresses', async () => {
    await counting.call('POST', '/suppressions', { body: { email: 'unknown+suppressed@example.org' } })
    const to = ['unknown+1', 'unknown+2', 'trap+1', 'blocked+1', 'full+1', 'fine+1', 'fine+2'].map((name) => `${name}@example.org`)
    expect((await counting.call('POST', '/emails', { body: { ...MAIL, to } })).status).toBe(200)
    await deliver()
    expect(await outcomes()).toEqual({ sent: 7, bounced: 4, complained: 0, unknownUsers: 2, spamTraps: 1 })
  })
})

describe('the simulator', () => {
  it('counts as nothing, whatever its addresses answer', async () => {
    expect(worker.service.worker).not.toBeNull()
    const token = await service.createKey(service.teamId)
    const names = ['bounced', 'complained', 'delivered', 'suppressed']
    const to = Array.from({ length: 48 }, (_, index) => `${names[index % 4]}+${index}@simulator.test`)
    await service.call('POST', '/emails', { token, body: { ...MAIL, to } })
    const counts = () =>
      service.database.execute<{ sent: number; simulated: number; bounced: number; complained: number }>(
        `select sum(sent)::int as sent, sum(sent_simulated)::int as simulated, sum(bounced_permanent - bounced_simulated)::int as bounced,
           sum(complained - complained_simulated)::int as complained from email_counts where team_id = $1`,
        [service.teamId],
      )
    await until(async () => expect(await counts()).toEqual([{ sent: 36, simulated: 36, bounced: 0, complained: 0 }]))
    const [team] = await service.service.context.repositories.outcomeCounts.of(service.teamId, { countedFrom: null, now: clock.now() })
    expect(team?.outcomes).toEqual({ sent: 0, bounced: 0, complained: 0, unknownUsers: 0, spamTraps: 0 })
  })
})

describe('mail of a paused team', () => {
  const change = (teamId: string, changes: Partial<Reputation>) =>
    saveReputationsAcrossTeams(service.database.execute, [{ teamId, ...newReputation(clock.now()), reason: 'Bounces.', ...changes }])

  async function send(token: string, delayMs: number | null): Promise<string> {
    const { status, body } = await service.call('POST', '/emails', {
      token,
      body: {
        ...MAIL,
        to: 'b@example.org',
        ...(delayMs !== null && { scheduled_at: new Date(clock.now().getTime() + delayMs).toISOString() }),
      },
    })
    expect(status).toBe(200)
    return (body as { id: string }).id
  }

  const events = async (ids: string[]) => {
    const rows = await service.database.execute<{ event: string }>(
      'select last_event as event from emails where id = any($1::uuid[]) order by id',
      [ids],
    )
    return rows.map(({ event }) => event)
  }

  it('is accepted and kept, transactional mail leaves where only bulk mail is paused, and all leaves in the end', async () => {
    expect(worker.service.worker).not.toBeNull()
    const { id } = await service.service.context.repositories.teams.create('Acme')
    const token = await service.createKey(id)
    await change(id, { status: 'bulk_paused' })
    // Workers read it within a second, in the turn after the one in which they are.
    clock.shift(2_000)
    for (let turns = 0; turns < 2; turns += 1) {
      const known = await send(token, null)
      await until(async () => expect(await events([known])).toEqual(['delivered']))
    }
    const mail = await Promise.all(Array.from({ length: 6 }, () => send(token, HOUR_MS)))
    const bulk = mail.slice(0, 3)
    await service.database.execute(`update deliveries set class = 'bulk' where email_id = any($1::uuid[])`, [bulk])
    clock.shift(HOUR_MS + 1)
    await until(async () => expect(await events(mail.slice(3))).toEqual(['delivered', 'delivered', 'delivered']))
    const parked = () => service.database.execute(`select from deliveries where team_id = $1 and due_at = 'infinity'`, [id])
    await until(async () => expect(await parked()).toHaveLength(3))

    expect((await service.call('POST', `/teams/${id}/release`, { token: KEY })).status).toBe(200)
    await until(async () => expect(await parked()).toHaveLength(0))
    // The day of a tenth is over.
    clock.shift(DAY_MS + 1)
    await until(async () => expect(await events(mail)).toEqual(mail.map(() => 'delivered')))
  })
})
