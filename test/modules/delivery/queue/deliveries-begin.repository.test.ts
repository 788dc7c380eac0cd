import { afterEach, describe, expect, it } from 'vitest'
import { createId } from '../../../../src/lib/ids.ts'
import { toSettlement } from '../../../../src/modules/delivery/engine/settlements.ts'
import {
  attemptsOf,
  claimAndBegin,
  claimDue,
  deliveriesOf,
  EvenRace,
  notificationsOf,
  outcome,
  recipientFields,
  sendEmail,
  stateOf,
} from '../../../support/builders/engine.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService())
afterEach(() => service.database.execute('delete from deliveries'))

const MINUTE_MS = 60_000
const inMs = (ms: number) => new Date(Date.now() + ms)
const scheduled = (fields: Record<string, unknown> = {}) => sendEmail(service, { scheduled_at: inMs(MINUTE_MS).toISOString(), ...fields })
const cancel = (id: string) => service.call('POST', `/emails/${id}/cancel`)
const reschedule = (id: string, at: Date) => service.call('PATCH', `/emails/${id}`, { body: { scheduled_at: at.toISOString() } })
const sentTypes = async (id: string) => (await notificationsOf(service, id)).filter(({ type }) => type === 'email.sent')

describe('the first attempt', () => {
  it('moves the email on, opens an attempt, and says so once for each recipient', async () => {
    const id = await sendEmail(service, recipientFields(150))

    const begun = await claimAndBegin(service, createId())

    expect(begun).toHaveLength(150)
    expect(await stateOf(service, id)).toEqual({
      state: 'queued',
      lastEvent: 'sent',
      recipients: Array.from({ length: 150 }, () => 'sent'),
    })
    const told = await sentTypes(id)
    expect(new Set(told.map(({ to }) => to[0])).size).toBe(150)
    expect(told).toHaveLength(150)
    expect(await attemptsOf(service, id)).toEqual(
      Array.from({ length: 150 }, () => ({ number: 1, outcome: null, code: null, enhancedCode: null, text: null })),
    )
  })

  it('is numbered after the ones before, and says nothing again', async () => {
    const id = await sendEmail(service)
    const workerId = createId()
    const [first] = await claimAndBegin(service, workerId)
    if (!first) throw new Error('Nothing was begun')
    const settlement = toSettlement(first.delivery, first.attemptId, outcome('delayed'), { now: new Date(), random: () => 0.5 })
    await service.service.context.repositories.deliveries.settle(workerId, [settlement], new Date())

    const again = await claimAndBegin(service, workerId, inMs(2 * MINUTE_MS))

    expect(again).toHaveLength(1)
    expect((await attemptsOf(service, id)).map(({ number, outcome: came }) => [number, came])).toEqual([
      [1, 'delayed'],
      [2, null],
    ])
    expect((await notificationsOf(service, id)).map(({ type }) => type)).toEqual(['email.sent', 'email.delivery_delayed'])
    expect((await stateOf(service, id)).recipients).toEqual(['delivery_delayed'])
  })

  it('is not opened by a worker that does not hold the delivery', async () => {
    const id = await sendEmail(service)
    const [claimed] = await claimDue(service, createId(), inMs(1), 10)
    if (!claimed) throw new Error('Nothing was claimed')

    const begun = await service.service.context.repositories.deliveries.begin(
      createId(),
      [
        {
          deliveryId: claimed.id,
          attemptId: createId(),
          sentNotification: { id: createId(), teamId: claimed.teamId, type: 'email.sent', subjectId: id, data: { to: [claimed.address] } },
        },
      ],
      new Date(),
    )

    expect(begun).toEqual(new Set())
    expect(await attemptsOf(service, id)).toEqual([])
    expect(await stateOf(service, id)).toEqual({ state: 'queued', lastEvent: 'queued', recipients: ['queued'] })
  })
})

describe('a claimed delivery of an email that was changed before its first attempt', () => {
  async function claimedThen(change: (id: string) => Promise<{ status: number }>) {
    const id = await scheduled()
    const workerId = createId()
    const now = inMs(MINUTE_MS + 1_000)
    const { deliveries } = service.service.context.repositories
    const [delivery] = await claimDue(service, workerId, now, 10)
    if (!delivery) throw new Error('Nothing was claimed')
    expect((await change(id)).status).toBe(200)
    const sentNotification = {
      id: createId(),
      teamId: delivery.teamId,
      type: 'email.sent' as const,
      subjectId: id,
      data: { to: [delivery.address] },
    }
    const begun = await deliveries.begin(workerId, [{ deliveryId: delivery.id, attemptId: createId(), sentNotification }], now)
    expect(begun).toEqual(new Set())
    expect(await attemptsOf(service, id)).toEqual([])
    expect(await sentTypes(id)).toEqual([])
    return id
  }

  it('is dropped without an attempt when the email was canceled', async () => {
    const id = await claimedThen(cancel)
    expect(await deliveriesOf(service, id)).toEqual([])
    expect(await stateOf(service, id)).toEqual({ state: 'canceled', lastEvent: 'canceled', recipients: ['queued'] })
  })

  it('is dated anew without an attempt when the email was rescheduled', async () => {
    const later = inMs(60 * MINUTE_MS)
    const id = await claimedThen((emailId) => reschedule(emailId, later))
    expect(await deliveriesOf(service, id)).toEqual([{ id: expect.any(String), dueAt: later, leasedBy: null, claims: 0, attemptId: null }])
    expect(await stateOf(service, id)).toEqual({ state: 'scheduled', lastEvent: 'scheduled', recipients: ['queued'] })
  })
})

describe('canceling and beginning at the same moment', () => {
  it('either cancels the email and nothing is begun, or begins it and refuses the cancellation', async () => {
    const race = new EvenRace(7)
    const answered = new Set<number>()
    for (let round = 0; round < 60; round++) {
      const id = await scheduled({ to: ['a@example.org', 'b@example.org', 'c@example.org'] })
      const [canceled, begun] = await race.run(
        () => cancel(id),
        () => claimAndBegin(service, createId(), inMs(MINUTE_MS + 1_000)),
      )
      race.favor(canceled.status === 200 ? 'second' : 'first')
      answered.add(canceled.status)
      const { state, recipients } = await stateOf(service, id)
      const attempts = await attemptsOf(service, id)
      if (canceled.status === 200) {
        expect([state, recipients, attempts, begun, await sentTypes(id)]).toEqual(['canceled', ['queued', 'queued', 'queued'], [], [], []])
        expect(await deliveriesOf(service, id)).toEqual([])
      } else {
        expect([canceled.status, state, recipients]).toEqual([422, 'queued', ['sent', 'sent', 'sent']])
        expect([attempts.length, begun.length, (await sentTypes(id)).length]).toEqual([3, 3, 3])
      }
    }
    // Both outcomes occurred. Otherwise the rounds proved nothing.
    expect([...answered].toSorted()).toEqual([200, 422])
  })

  it('either reschedules the email, whole and without an attempt, or begins it and refuses the new time', async () => {
    const race = new EvenRace(11)
    const answered = new Set<number>()
    for (let round = 0; round < 60; round++) {
      const id = await scheduled({ to: ['a@example.org', 'b@example.org', 'c@example.org'] })
      const later = inMs(60 * MINUTE_MS)
      const [changed] = await race.run(
        () => reschedule(id, later),
        () => claimAndBegin(service, createId(), inMs(MINUTE_MS + 1_000)),
      )
      race.favor(changed.status === 200 ? 'second' : 'first')
      answered.add(changed.status)
      const { state } = await stateOf(service, id)
      const rows = await deliveriesOf(service, id)
      if (changed.status === 200) {
        expect([state, await attemptsOf(service, id)]).toEqual(['scheduled', []])
        expect(rows.map(({ dueAt, leasedBy }) => [dueAt, leasedBy])).toEqual([
          [later, null],
          [later, null],
          [later, null],
        ])
      } else {
        expect([changed.status, state, (await attemptsOf(service, id)).length]).toEqual([422, 'queued', 3])
      }
      await service.database.execute('delete from deliveries')
    }
    expect([...answered].toSorted()).toEqual([200, 422])
  })
})
