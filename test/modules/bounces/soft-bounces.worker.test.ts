import { beforeEach, describe, expect, it } from 'vitest'
import { toTimestamp } from '../../../src/lib/clock.ts'
import { createId } from '../../../src/lib/ids.ts'
import { type Outcome, toSettlement } from '../../../src/modules/delivery/engine/settlements.ts'
import { deliveryRepository } from '../../../src/modules/delivery/queue/deliveries.repository.ts'
import { IN_A_ROW, suppressedBySoftBounces } from '../../../src/modules/emails/soft-bounces.repository.ts'
import { TIMESTAMP, UUID } from '../../support/builders/answers.ts'
import { claimAndBegin, outcome, sendEmail } from '../../support/builders/engine.ts'
import { deliveryReport } from '../../support/builders/returned-mail.ts'
import { startReportService } from '../../support/servers/bounce-services.ts'
import { shared } from '../../support/servers/service.ts'
import { untilLockWait } from '../../support/servers/statements.ts'
import { openTestDatabase } from '../../support/servers/test-databases.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const BOUNCES = 5
const DAYS = 7

/** More delays than there are retries. */
const LAST_DELAY = 100

const FULL = { status: '5.2.2', diagnostic: 'smtp; 552 5.2.2 Mailbox full' }
const TOO_LARGE = { status: '5.3.4', diagnostic: 'smtp; 552 5.3.4 Message too large' }
const UNKNOWN = { status: '5.1.1', diagnostic: 'smtp; 550 5.1.1 User unknown' }

const service = shared(() => startReportService())

beforeEach(async () => {
  await service.forget()
  await service.database.execute('truncate recipients')
  await service.database.execute('update teams set suppresses_soft_bounces = true')
})

/** Accepted by its server, and returned afterwards. */
async function returned(to: string, report: { status: string; diagnostic: string } = FULL): Promise<string> {
  const mail = await service.sentToOne({ to })
  await service.returned(mail, deliveryReport([{ address: mail.address, ...report }]))
  await service.act()
  return mail.emailId
}

/** Begins an attempt of an email, and says how it ends. */
async function attempted(to: string, end: Outcome, { delays = 0, token }: { delays?: number; token?: string } = {}): Promise<string> {
  const { clock, repositories } = service.service.context
  const emailId = await sendEmail(service, { to }, token)
  const workerId = createId()
  const begun = (await claimAndBegin(service, workerId, clock.now())).filter(({ delivery }) => delivery.emailId === emailId)
  const moment = { now: clock.now(), random: () => 0.5 }
  const settlements = begun.map(({ delivery, attemptId }) => toSettlement({ ...delivery, delays }, attemptId, end, moment))
  await repositories.deliveries.settle(workerId, settlements, clock.now())
  return emailId
}

const givenUp = (to: string) => attempted(to, outcome('delayed'), { delays: LAST_DELAY })
const refused = (to: string) => attempted(to, outcome('bounced', { code: 552, enhancedCode: '5.2.2', text: 'Mailbox full' }))

const ROADS = { returned: (to: string) => returned(to), 'given up': givenUp, refused }

/** One mail after the other, these days apart. */
async function bounce(times: number, { road = givenUp, to = 'full@example.org', days = 2 } = {}): Promise<string[]> {
  const emailIds: string[] = []
  for (let count = 0; count < times; count += 1) {
    emailIds.push(await road(to))
    service.clock.advance(days * DAY_MS)
  }
  return emailIds
}

const RECORD = { object: 'suppression', id: UUID, email: 'full@example.org', created_at: TIMESTAMP }

const softly = (sourceId: string | undefined, email = 'full@example.org') => [{ email, origin: 'bounce', sourceId }]

describe('an address whose mail bounces softly', () => {
  it.each(Object.entries(ROADS))('in five mails in a row over a week is suppressed, with the history: %s', async (_, road) => {
    const times: Date[] = []
    const emailIds: string[] = []
    for (let count = 0; count < BOUNCES; count += 1) {
      expect(await service.suppressions()).toEqual([])
      times.push(service.clock.now())
      emailIds.push(...(await bounce(1, { road })))
    }

    const last = emailIds.at(-1)
    expect(await service.suppressions()).toEqual(softly(last))
    expect((await service.call('GET', '/suppressions/full@example.org')).body).toMatchObject({
      origin: 'bounce',
      reason: 'soft_bounces',
      soft_bounces: times.map((time, place) => ({ email_id: emailIds[place], bounced_at: toTimestamp(time) })),
    })
    expect((await service.call('GET', '/suppressions')).body).toMatchObject({ data: [{ origin: 'bounce', reason: 'soft_bounces' }] })
    const told = await service.database.execute(
      `select data from notifications where type = 'suppression.added' and data->>'source_id' = $1`,
      [last],
    )
    expect(told).toEqual([
      {
        data: {
          id: UUID,
          email: 'full@example.org',
          origin: 'bounce',
          source_id: last,
          created_at: expect.any(String),
          reason: 'soft_bounces',
        },
      },
    ])
  })

  it('counts the bounces of all roads, and writes the address in any case', async () => {
    await bounce(1, { road: givenUp })
    await bounce(2, { road: refused, to: 'Full@example.org' })
    const [, last] = await bounce(2, { road: ROADS.returned, to: 'FULL@EXAMPLE.org' })
    expect(await service.suppressions()).toEqual(softly(last))
  })

  it('is not suppressed before a week is over, and then by the next one', async () => {
    await bounce(9, { days: 0.8 })
    expect(await service.suppressions()).toEqual([])
    const [last] = await bounce(1)
    expect(await service.suppressions()).toEqual(softly(last))
  })

  it.each([1, 3, 4])('begins a new row with mail that was delivered, after %i', async (before) => {
    await bounce(before)
    await service.sentToOne({ to: 'full@example.org' })
    await bounce(BOUNCES - 1)
    expect(await service.suppressions()).toEqual([])
    const [last] = await bounce(1)
    expect(await service.suppressions()).toEqual(softly(last))
  })

  it('begins a new row with mail that was reported as spam: it arrived', async () => {
    await bounce(1)
    await attempted('full@example.org', outcome('delivered', { isComplaint: true }))
    await bounce(BOUNCES - 1)
    expect(await service.suppressions()).toEqual([])
  })

  it('is not suppressed if mail that was scheduled before the first was delivered in between', async () => {
    const scheduledAt = new Date(service.clock.now().getTime() + 5 * DAY_MS).toISOString()
    await sendEmail(service, { to: 'full@example.org', scheduled_at: scheduledAt })
    await bounce(3)
    const workerId = createId()
    const { repositories, clock } = service.service.context
    const begun = await claimAndBegin(service, workerId, clock.now())
    const moment = { now: clock.now(), random: () => 0.5 }
    await repositories.deliveries.settle(
      workerId,
      begun.map(({ delivery, attemptId }) => toSettlement(delivery, attemptId, outcome('delivered'), moment)),
      clock.now(),
    )
    await bounce(2)
    expect(begun).toHaveLength(1)
    expect(await service.suppressions()).toEqual([])
  })

  it('is not suppressed for mail that is too large, nor for mail that still waits', async () => {
    for (let count = 0; count < BOUNCES; count += 1) await returned('full@example.org', TOO_LARGE)
    await bounce(4)
    for (let count = 0; count < 3; count += 1) await attempted('full@example.org', outcome('delayed'))
    expect(await service.suppressions()).toEqual([])
    const [last] = await bounce(1)
    expect(await service.suppressions()).toEqual(softly(last))
  })

  it('is not suppressed while our network, the DNS or a relay fails, which refuses no recipient', async () => {
    await bounce(BOUNCES, {
      road: (to) => attempted(to, outcome('delayed', { code: null, isRefusalByRecipient: false }), { delays: LAST_DELAY }),
    })
    await bounce(BOUNCES, { road: (to) => attempted(to, outcome('bounced', { code: 452, isRefusalByRecipient: false })) })
    expect(await service.suppressions()).toEqual([])
  })

  it('is not suppressed while its server refuses our address or its rate, on any road', async () => {
    const refusal = { code: 450, enhancedCode: '4.7.1', text: 'Client host [192.0.2.7] blocked using zen.spamhaus.org' }
    await bounce(BOUNCES, { road: (to) => attempted(to, outcome('delayed', refusal), { delays: LAST_DELAY }) })
    await bounce(BOUNCES, { road: (to) => attempted(to, outcome('bounced', { ...refusal, text: 'Too many messages, try again later' })) })
    await bounce(BOUNCES, { road: (to) => returned(to, { status: '4.7.1', diagnostic: `smtp; 450 4.7.1 ${refusal.text}` }) })
    expect(await service.suppressions()).toEqual([])
    expect(await service.database.execute('select from recipients where soft_bounced_at is not null')).toEqual([])
  })

  it('counts a mail that is returned again and again once', async () => {
    const mail = await service.sentToOne({ to: 'full@example.org' })
    for (let count = 0; count < BOUNCES; count += 1) {
      await service.returned(mail, deliveryReport([{ address: mail.address, ...FULL }]))
      await service.act()
      service.clock.advance(2 * DAY_MS)
    }
    expect(await service.suppressions()).toEqual([])
  })

  it('is not suppressed for a report about another address', async () => {
    for (let count = 0; count < BOUNCES; count += 1) {
      const mail = await service.sentToOne({ to: 'list@example.org' })
      await service.returned(mail, deliveryReport([{ address: 'member@example.net', originalAddress: mail.address, ...FULL }]))
      await service.act()
      service.clock.advance(2 * DAY_MS)
    }
    expect(await service.suppressions()).toEqual([])
  })

  it('is counted anew after it was taken from the list', async () => {
    await bounce(BOUNCES)
    await service.call('DELETE', '/suppressions/full@example.org')
    await bounce(BOUNCES - 1)
    expect(await service.suppressions()).toEqual([])
    const [last] = await bounce(1)
    expect(await service.suppressions()).toEqual(softly(last))
  })

  it('keeps the reason of a suppression that is older', async () => {
    await bounce(BOUNCES - 1)
    await service.call('POST', '/suppressions', { body: { email: 'full@example.org' } })
    await bounce(1)
    expect((await service.call('GET', '/suppressions/full@example.org')).body).toEqual({ ...RECORD, origin: 'manual', source_id: null })
  })

  it('is suppressed for its team alone, and not for a team that ignores soft bounces', async () => {
    await service.database.execute('update teams set suppresses_soft_bounces = false where id = $1', [service.teamId])
    await bounce(BOUNCES)
    expect(await service.suppressions()).toEqual([])
    for (let count = 0; count < BOUNCES; count += 1) {
      await attempted('full@example.org', outcome('delayed'), { delays: LAST_DELAY, token: service.other.token })
      service.clock.advance(2 * DAY_MS)
    }
    expect(await service.suppressions()).toEqual([])
    expect(await service.suppressions(service.other.token)).toMatchObject([{ email: 'full@example.org', origin: 'bounce' }])
  })

  it('that does not exist after all has no soft bounces', async () => {
    await bounce(BOUNCES - 1)
    const last = await returned('full@example.org', UNKNOWN)
    expect(await service.suppressions()).toEqual(softly(last))
    expect((await service.call('GET', '/suppressions/full@example.org')).body).toEqual({ ...RECORD, origin: 'bounce', source_id: last })
  })
})

it('is suppressed by the second of two bounces that are recorded at the same time', async () => {
  await bounce(3, { days: 3 })
  const refusal = outcome('bounced', { enhancedCode: '5.7.1', text: 'blocked' })
  const emailIds = [await attempted('full@example.org', refusal), await attempted('full@example.org', refusal)]
  const [first, second] = await service.database.execute<{ id: string }>('select id from recipients where email_id = any($1) order by id', [
    emailIds,
  ])
  const options = { limits: { bounces: BOUNCES, days: DAYS }, now: service.clock.now() }
  const end = Promise.withResolvers<void>()
  const isRecorded = Promise.withResolvers<void>()
  const one = service.database.transaction(async (inside) => {
    const found = await suppressedBySoftBounces(inside, [first?.id ?? ''], options)
    isRecorded.resolve()
    await end.promise
    return found
  })
  await isRecorded.promise
  const other = service.database.transaction((inside) => suppressedBySoftBounces(inside, [second?.id ?? ''], options))
  await untilLockWait(service)
  end.resolve()
  expect(await one).toEqual([])
  expect(await other).toMatchObject([{ email: 'full@example.org', sourceId: emailIds[1] }])
})

it.each([
  ['switched off by 0', { bounces: 0, days: DAYS }, 0],
  ['after three, on the same day', { bounces: 3, days: 0 }, 1],
])('has limits: %s', async (_, softBounces, expected) => {
  const database = openTestDatabase(service.config.databaseUrl ?? '', { connectionsMax: 1 })
  const limited = deliveryRepository(database, { softBounces })
  const { clock } = service.service.context
  const ends = []
  for (let count = 0; count < 3; count += 1) {
    await sendEmail(service, { to: 'full@example.org' })
    const workerId = createId()
    const moment = { now: clock.now(), random: () => 0.5 }
    for (const { delivery, attemptId } of await claimAndBegin(service, workerId, clock.now()))
      ends.push(
        await limited.settle(
          workerId,
          [toSettlement({ ...delivery, delays: LAST_DELAY }, attemptId, outcome('delayed'), moment)],
          clock.now(),
        ),
      )
  }
  await database.close()
  expect(ends.flatMap(({ suppressed }) => suppressed)).toHaveLength(expected)
})

it('finds the mail to an address by its index', async () => {
  await service.database.execute('analyze recipients')
  const plan = JSON.stringify(
    await service.database.transaction(
      (inside) => inside(`explain (format json) ${IN_A_ROW.text}`, [[service.teamId], ['full@example.org'], BOUNCES, DAYS]),
      {
        plans: 'by index',
      },
    ),
  )
  expect(plan).toContain('recipients_address_idx')
  expect(plan).not.toMatch(/"Seq Scan"[^}]*"Relation Name":"recipients"/)
})
