import { afterEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { createId } from '../../../src/lib/ids.ts'
import { sentNotification, toSettlement } from '../../../src/modules/delivery/engine/settlements.ts'
import { type ClaimedDelivery, deliveryRepository } from '../../../src/modules/delivery/queue/deliveries.repository.ts'
import { advanceRecipients, type LaterChange, type LaterState } from '../../../src/modules/emails/recipient-states.repository.ts'
import {
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
} from '../../support/builders/engine.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { openTestDatabase } from '../../support/servers/test-databases.ts'

const service = shared(() => startTestService())
afterEach(() => service.database.execute('delete from deliveries'))

const moment = { now: new Date(), random: () => 0.5 }
const workerId = createId()

const advance = (changes: LaterChange[], database: Database = service.database) =>
  database.transaction((inside) => advanceRecipients(inside, changes, new Date()), { plans: 'by index' })

/** Opens and clicks have none yet. */
const TYPES = { bounced: 'email.bounced', complained: 'email.complained', opened: 'email.delivered', clicked: 'email.delivered' } as const

function changeOf(
  { teamId, emailId, id: recipientId, address }: Pick<ClaimedDelivery, 'teamId' | 'emailId' | 'id' | 'address'>,
  to: LaterState,
  more: Partial<LaterChange> = {},
): LaterChange {
  const notifications = [{ id: createId(), teamId, type: TYPES[to], subjectId: emailId, data: { to: [address] } }]
  return { teamId, emailId, recipientId, to, notifications, ...more }
}

/** An email whose recipients have got it, and the deliveries that brought it. */
async function delivered(fields: Record<string, unknown> = {}): Promise<{ emailId: string; deliveries: ClaimedDelivery[] }> {
  const emailId = await sendEmail(service, fields)
  const begun = await claimAndBegin(service, workerId)
  const settlements = begun.map(({ delivery, attemptId }) => toSettlement(delivery, attemptId, outcome('delivered'), moment))
  await service.service.context.repositories.deliveries.settle(workerId, settlements, new Date())
  return { emailId, deliveries: begun.map(({ delivery }) => delivery) }
}

async function deliveredToOne() {
  const { emailId, deliveries } = await delivered()
  const [delivery] = deliveries
  if (!delivery) throw new Error('Nothing was delivered')
  return { emailId, delivery }
}

const typesOf = async (emailId: string) => (await notificationsOf(service, emailId)).map(({ type }) => type)

const finalAtOf = async (emailId: string) =>
  (await service.database.execute<{ finalAt: Date | null }>('select final_at as "finalAt" from emails where id = $1', [emailId]))[0]
    ?.finalAt

describe('what is reported later', () => {
  it('moves the recipient, its email, and is told', async () => {
    const { emailId, delivery } = await deliveredToOne()

    const changed = await advance([changeOf(delivery, 'bounced')])

    expect(changed).toEqual(new Set([delivery.id]))
    expect(await stateOf(service, emailId)).toEqual({ state: 'queued', lastEvent: 'bounced', recipients: ['bounced'] })
    expect(await typesOf(emailId)).toEqual(['email.sent', 'email.delivered', 'email.bounced'])
  })

  it('leaves the other recipients of the email as they are', async () => {
    const { emailId, deliveries } = await delivered({ to: ['a@example.org', 'b@example.org'] })
    const second = deliveries.find(({ address }) => address === 'b@example.org')
    if (!second) throw new Error('There is no second recipient')

    await advance([changeOf(second, 'bounced')])

    expect(await stateOf(service, emailId)).toEqual({ state: 'queued', lastEvent: 'delivered', recipients: ['delivered', 'bounced'] })
  })

  it('changes and tells nothing where the state does not allow it', async () => {
    const { emailId, delivery } = await deliveredToOne()
    await advance([changeOf(delivery, 'complained')])

    expect(await advance([changeOf(delivery, 'bounced')])).toEqual(new Set())
    expect(await advance([changeOf(delivery, 'complained')])).toEqual(new Set())

    expect(await stateOf(service, emailId)).toEqual({ state: 'queued', lastEvent: 'complained', recipients: ['complained'] })
    expect(await typesOf(emailId)).toEqual(['email.sent', 'email.delivered', 'email.complained'])
  })

  it('is told again although the state does not change, if it is always told', async () => {
    const { emailId, delivery } = await deliveredToOne()
    await advance([changeOf(delivery, 'clicked')])

    expect(await advance([changeOf(delivery, 'opened', { always: true })])).toEqual(new Set())

    expect(await stateOf(service, emailId)).toEqual({ state: 'queued', lastEvent: 'clicked', recipients: ['clicked'] })
    expect(await typesOf(emailId)).toEqual(['email.sent', 'email.delivered', 'email.delivered', 'email.delivered'])
  })

  it('of one recipient follows one after the other within a batch', async () => {
    const { emailId, delivery } = await deliveredToOne()

    const changed = await advance([
      changeOf(delivery, 'bounced'),
      changeOf(delivery, 'bounced'),
      changeOf(delivery, 'opened', { always: true }),
      changeOf(delivery, 'bounced'),
      changeOf(delivery, 'complained'),
    ])

    expect(changed).toEqual(new Set([delivery.id]))
    expect(await stateOf(service, emailId)).toEqual({ state: 'queued', lastEvent: 'complained', recipients: ['complained'] })
    expect((await typesOf(emailId)).toSorted()).toEqual([
      'email.bounced',
      'email.complained',
      'email.delivered',
      'email.delivered',
      'email.sent',
    ])
  })

  it.each([
    ['of another team', async () => ({ teamId: service.other.teamId })],
    ['of another email', async () => ({ emailId: (await deliveredToOne()).emailId })],
    ['that does not exist', async () => ({ recipientId: createId() })],
  ])('of a recipient %s changes and tells nothing', async (_name, other) => {
    const { emailId, delivery } = await deliveredToOne()

    expect(await advance([changeOf(delivery, 'opened', { ...(await other()), always: true })])).toEqual(new Set())

    expect(await stateOf(service, emailId)).toEqual({ state: 'queued', lastEvent: 'delivered', recipients: ['delivered'] })
    expect(await typesOf(emailId)).toEqual(['email.sent', 'email.delivered'])
  })

  it('of an email that was canceled changes nothing', async () => {
    const emailId = await sendEmail(service, { scheduled_at: new Date(Date.now() + 60_000).toISOString() })
    const [delivery] = await claimDue(service, workerId, new Date(Date.now() + 61_000))
    if (!delivery) throw new Error('Nothing was claimed')
    expect((await service.call('POST', `/emails/${emailId}/cancel`)).status).toBe(200)

    await advance([changeOf(delivery, 'bounced')])

    expect(await stateOf(service, emailId)).toEqual({ state: 'canceled', lastEvent: 'canceled', recipients: ['queued'] })
  })
})

describe('what is reported of a recipient that is still being tried', () => {
  it('ends the wait for the next attempt, and with it the work for the email', async () => {
    const emailId = await sendEmail(service)
    const [begun] = await claimAndBegin(service, workerId)
    if (!begun) throw new Error('Nothing was begun')
    const delayed = toSettlement(begun.delivery, begun.attemptId, outcome('delayed'), moment)
    await service.service.context.repositories.deliveries.settle(workerId, [delayed], new Date())
    expect(await finalAtOf(emailId)).toBe(null)

    await advance([changeOf(begun.delivery, 'bounced')])

    expect(await stateOf(service, emailId)).toEqual({ state: 'queued', lastEvent: 'bounced', recipients: ['bounced'] })
    expect(await deliveriesOf(service, emailId)).toEqual([])
    expect(await finalAtOf(emailId)).toEqual(expect.any(Date))
  })

  it('leaves an attempt that is running to its worker, whose outcome changes nothing and ends the work', async () => {
    const emailId = await sendEmail(service)
    const [begun] = await claimAndBegin(service, workerId)
    if (!begun) throw new Error('Nothing was begun')

    await advance([changeOf(begun.delivery, 'bounced')])
    expect(await deliveriesOf(service, emailId)).toMatchObject([{ leasedBy: workerId }])
    const settlement = toSettlement(begun.delivery, begun.attemptId, outcome('delivered'), moment)
    await service.service.context.repositories.deliveries.settle(workerId, [settlement], new Date())

    expect(await stateOf(service, emailId)).toEqual({ state: 'queued', lastEvent: 'bounced', recipients: ['bounced'] })
    expect(await deliveriesOf(service, emailId)).toEqual([])
    expect(await finalAtOf(emailId)).toEqual(expect.any(Date))
  })

  it('makes a worker that has claimed the delivery drop it, which ends the work for the email', async () => {
    const emailId = await sendEmail(service)
    const [delivery] = await claimDue(service, workerId)
    if (!delivery) throw new Error('Nothing was claimed')
    await advance([changeOf(delivery, 'complained')])
    expect(await finalAtOf(emailId)).toBe(null)

    const attempt = { deliveryId: delivery.id, attemptId: createId(), sentNotification: sentNotification(delivery) }
    const begun = await service.service.context.repositories.deliveries.begin(workerId, [attempt], new Date())

    expect(begun).toEqual(new Set())
    expect(await deliveriesOf(service, emailId)).toEqual([])
    expect(await finalAtOf(emailId)).toEqual(expect.any(Date))
  })
})

describe('reports and outcomes at once', () => {
  it.each([1, 2])('leave last_event as the pure function says, and neither deadlocks (seed %i)', async (seed) => {
    const random = seededRandom(seed)
    const emailIds = [await sendEmail(service, recipientFields(100)), await sendEmail(service, recipientFields(100))]
    const begun = await claimAndBegin(service, workerId)
    const kinds = [outcome('delivered'), outcome('delayed'), outcome('bounced')]
    const states = ['bounced', 'opened', 'clicked', 'complained'] as const
    const settlements = shuffled(begun, random).map(({ delivery, attemptId }) =>
      toSettlement(delivery, attemptId, kinds[Math.floor(random() * 3)] ?? outcome('delivered'), moment),
    )
    const changes = shuffled(begun, random).map(({ delivery }) => changeOf(delivery, states[Math.floor(random() * 4)] ?? 'bounced'))
    const works: ((database: Database) => Promise<unknown>)[] = []
    while (settlements.length > 0) {
      const some = settlements.splice(0, 1 + Math.floor(random() * 12))
      works.push((database) => deliveryRepository(database).settle(workerId, some, new Date()))
    }
    while (changes.length > 0) {
      const some = changes.splice(0, 1 + Math.floor(random() * 12))
      works.push((database) => advance(some, database))
    }
    const waiting = shuffled(works, random)
    const connections = Array.from({ length: 4 }, () => openTestDatabase(service.config.databaseUrl ?? '', { connectionsMax: 1 }))

    const results = await Promise.allSettled(
      connections.map(async (connection) => {
        for (let work = waiting.pop(); work; work = waiting.pop()) await work(connection)
      }),
    )
    await Promise.all(connections.map((connection) => connection.close()))

    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled'])
    for (const emailId of emailIds) {
      const state = await stateOf(service, emailId)
      expect(state.lastEvent).toBe(expectedLastEvent(state))
      expect(state.recipients).toHaveLength(100)
    }
  })
})
