import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../../src/db/database.ts'
import { createId } from '../../../../src/lib/ids.ts'
import type { Suppressed } from '../../../../src/modules/delivery/engine/refusals.ts'
import {
  failedWithoutAttempt,
  type Outcome,
  suppressedWithoutAttempt,
  toSettlement,
} from '../../../../src/modules/delivery/engine/settlements.ts'
import { deliveryRepository } from '../../../../src/modules/delivery/queue/deliveries.repository.ts'
import {
  attemptsOf,
  claimAndBegin,
  claimDue,
  deliveriesOf,
  expectedLastEvent,
  notificationsOf,
  outcome,
  recipientFields,
  seededRandom,
  sendEmail,
  shuffled,
  stateOf,
} from '../../../support/builders/engine.ts'
import { shared, startTestService, type TestService } from '../../../support/servers/service.ts'
import { openTestDatabase } from '../../../support/servers/test-databases.ts'

let connections: Database[]

const service = shared(() => startTestService())
beforeAll(() => {
  connections = Array.from({ length: 4 }, () => openTestDatabase(service.config.databaseUrl ?? '', { connectionsMax: 1 }))
})
afterEach(() => service.database.execute('delete from deliveries'))
afterAll(() => Promise.all(connections.map((connection) => connection.close())))

const SUPPRESSED: Suppressed = { message: 'for the test', type: 'OnAccountSuppressionList', reason: 'manual', diagnosticCode: [] }
const moment = { now: new Date(), random: () => 0.5 }
const settle = (
  workerId: string,
  ...settlements: Parameters<TestService['service']['context']['repositories']['deliveries']['settle']>[1]
) => service.service.context.repositories.deliveries.settle(workerId, settlements, new Date())

async function beginOne(workerId = createId()) {
  const emailId = await sendEmail(service)
  const [attempt] = await claimAndBegin(service, workerId)
  if (!attempt) throw new Error('The delivery was not begun')
  return { emailId, workerId, ...attempt }
}

describe('settling from several connections', () => {
  const KINDS: Outcome[] = [
    outcome('delivered'),
    outcome('delivered', { isComplaint: true }),
    outcome('delayed'),
    outcome('bounced'),
    outcome('abandoned'),
  ]

  it.each([1, 2, 3, 4])('leaves last_event as the pure function says, for 150 recipients settled in any order (seed %i)', async (seed) => {
    const random = seededRandom(seed)
    const workerId = createId()
    // The rest arrives in batches that share both emails, in any order. If locks were taken in that order, they would deadlock.
    const emailIds = [await sendEmail(service, recipientFields(150)), await sendEmail(service, recipientFields(150))]
    const begun = await claimAndBegin(service, workerId)
    expect(begun).toHaveLength(300)
    const kinds = seed === 1 ? KINDS.filter(({ kind }) => kind === 'bounced') : KINDS.slice(0, 1 + Math.floor(random() * KINDS.length))
    const settlements = shuffled(begun, random).map(({ delivery, attemptId }) =>
      random() < 0.1
        ? { ...suppressedWithoutAttempt(delivery, SUPPRESSED), attempt: null }
        : toSettlement(delivery, attemptId, kinds[Math.floor(random() * kinds.length)] ?? outcome('bounced'), moment),
    )
    const batches: (typeof settlements)[] = []
    while (settlements.length > 0) batches.push(settlements.splice(0, 1 + Math.floor(random() * 12)))

    const results = await Promise.allSettled(
      connections.map(async (connection) => {
        const repository = deliveryRepository(connection)
        for (let batch = batches.pop(); batch; batch = batches.pop()) await repository.settle(workerId, batch, new Date())
      }),
    )

    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled'])
    for (const emailId of emailIds) {
      const state = await stateOf(service, emailId)
      expect(state.lastEvent).toBe(expectedLastEvent(state))
      expect(state.recipients).toHaveLength(150)
    }
  })
})

describe('an outcome', () => {
  it('is written with its attempt, its notification and the state of the email, and ends the work', async () => {
    const { emailId, workerId, delivery, attemptId } = await beginOne()

    await settle(workerId, toSettlement(delivery, attemptId, outcome('bounced', { enhancedCode: '5.1.1', text: 'Nobody here' }), moment))

    expect(await stateOf(service, emailId)).toEqual({ state: 'queued', lastEvent: 'bounced', recipients: ['bounced'] })
    expect(await attemptsOf(service, emailId)).toEqual([
      { number: 1, outcome: 'bounced', code: 550, enhancedCode: '5.1.1', text: 'Nobody here' },
    ])
    expect((await notificationsOf(service, emailId)).map(({ type }) => type)).toEqual(['email.sent', 'email.bounced'])
    expect(await deliveriesOf(service, emailId)).toEqual([])
  })

  it('of an address that does not exist is written together with its suppression, or not at all', async () => {
    await service.database.execute('truncate suppressions')
    const { emailId, workerId, delivery, attemptId } = await beginOne()
    const settlement = toSettlement(delivery, attemptId, outcome('bounced', { enhancedCode: '5.1.1', text: 'Nobody here' }), moment)
    const suppressions = () => service.database.execute('select email, origin, source_id from suppressions')

    const impossible = {
      ...settlement,
      suppression: { teamId: delivery.teamId, email: 'a', origin: 'spam' as 'bounce', sourceId: emailId },
    }
    await expect(settle(workerId, impossible)).rejects.toThrow('suppressions_origin_check')
    expect({ state: (await stateOf(service, emailId)).recipients, listed: await suppressions() }).toEqual({ state: ['sent'], listed: [] })

    await settle(workerId, settlement)
    expect({ state: (await stateOf(service, emailId)).recipients, listed: await suppressions() }).toEqual({
      state: ['bounced'],
      listed: [{ email: 'to@example.org', origin: 'bounce', source_id: emailId }],
    })
  })

  it('is written although the lease is lost, and leaves the delivery to its new owner', async () => {
    const { emailId, workerId, delivery, attemptId } = await beginOne()
    const heir = createId()
    await service.database.execute('update deliveries set leased_by = $1, attempt_id = null where email_id = $2', [heir, emailId])

    await settle(workerId, toSettlement(delivery, attemptId, outcome('delivered'), moment))

    expect(await stateOf(service, emailId)).toEqual({ state: 'queued', lastEvent: 'delivered', recipients: ['delivered'] })
    expect((await attemptsOf(service, emailId))[0]).toMatchObject({ outcome: 'delivered', code: 250 })
    expect(await deliveriesOf(service, emailId)).toMatchObject([{ leasedBy: heir }])
  })

  it('of a dead worker makes the new owner drop the delivery without sending', async () => {
    const { emailId, workerId, delivery, attemptId } = await beginOne()
    await service.database.execute('update deliveries set leased_by = null, attempt_id = null where email_id = $1', [emailId])
    await settle(workerId, toSettlement(delivery, attemptId, outcome('delivered'), moment))

    const begun = await claimAndBegin(service, createId())

    expect(begun).toEqual([])
    expect(await deliveriesOf(service, emailId)).toEqual([])
    expect(await attemptsOf(service, emailId)).toHaveLength(1)
  })

  it('that comes late never puts a delay over a delivery', async () => {
    const { emailId, workerId, delivery, attemptId } = await beginOne()
    await settle(workerId, toSettlement(delivery, attemptId, outcome('delivered'), moment))

    await settle(workerId, toSettlement(delivery, attemptId, outcome('delayed'), moment))

    expect(await stateOf(service, emailId)).toEqual({ state: 'queued', lastEvent: 'delivered', recipients: ['delivered'] })
    expect((await notificationsOf(service, emailId)).map(({ type }) => type)).toEqual(['email.sent', 'email.delivered'])
    expect(await deliveriesOf(service, emailId)).toEqual([])
  })

  it('that is written twice counts once', async () => {
    const { emailId, workerId, delivery, attemptId } = await beginOne()
    const settlement = toSettlement(delivery, attemptId, outcome('delivered', { isComplaint: true }), moment)

    await Promise.all([settle(workerId, settlement), settle(workerId, settlement)])

    expect(await stateOf(service, emailId)).toEqual({ state: 'queued', lastEvent: 'complained', recipients: ['complained'] })
    const types = (await notificationsOf(service, emailId)).map(({ type }) => type)
    expect(types.toSorted()).toEqual(['email.complained', 'email.delivered', 'email.sent'])
  })

  it('that is written again does not take the delivery away from the next attempt', async () => {
    const { emailId, workerId, delivery, attemptId } = await beginOne()
    const abandoned = toSettlement(delivery, attemptId, outcome('abandoned'), moment)
    await settle(workerId, abandoned)
    const [next] = await claimAndBegin(service, workerId, new Date(Date.now() + 1_000))

    await settle(workerId, abandoned)

    expect(await deliveriesOf(service, emailId)).toMatchObject([{ leasedBy: workerId, attemptId: next?.attemptId }])
  })

  it('of an abandoned attempt is written without changing the recipient, and the delivery is due at once', async () => {
    const { emailId, workerId, delivery, attemptId } = await beginOne()

    await settle(workerId, toSettlement(delivery, attemptId, outcome('abandoned'), moment))

    expect(await stateOf(service, emailId)).toEqual({ state: 'queued', lastEvent: 'sent', recipients: ['sent'] })
    expect(await deliveriesOf(service, emailId)).toMatchObject([{ dueAt: moment.now, leasedBy: null, claims: 0, attemptId: null }])
  })
})

describe('what is settled without an attempt', () => {
  async function claimScheduled() {
    const emailId = await sendEmail(service, { scheduled_at: new Date(Date.now() + 60_000).toISOString() })
    const workerId = createId()
    const [delivery] = await claimDue(service, workerId, new Date(Date.now() + 61_000), 1)
    if (!delivery) throw new Error('The delivery was not claimed')
    return { emailId, workerId, delivery }
  }

  it('does not fail an email that was canceled meanwhile', async () => {
    const { emailId, workerId, delivery } = await claimScheduled()
    expect((await service.call('POST', `/emails/${emailId}/cancel`)).status).toBe(200)

    await settle(workerId, suppressedWithoutAttempt(delivery, SUPPRESSED))

    expect(await stateOf(service, emailId)).toEqual({ state: 'canceled', lastEvent: 'canceled', recipients: ['queued'] })
    expect((await notificationsOf(service, emailId)).map(({ type }) => type)).toEqual(['email.scheduled', 'email.canceled'])
    expect(await deliveriesOf(service, emailId)).toEqual([])
  })

  it('dates a delivery anew whose email was rescheduled meanwhile', async () => {
    const { emailId, workerId, delivery } = await claimScheduled()
    const later = new Date(Date.now() + 3_600_000)
    const { status } = await service.call('PATCH', `/emails/${emailId}`, { body: { scheduled_at: later.toISOString() } })
    expect(status).toBe(200)

    await settle(workerId, failedWithoutAttempt(delivery, 'for the test'))

    expect(await stateOf(service, emailId)).toEqual({ state: 'scheduled', lastEvent: 'scheduled', recipients: ['queued'] })
    expect(await deliveriesOf(service, emailId)).toMatchObject([{ dueAt: later, leasedBy: null, claims: 0 }])
  })
})
