// Counts and lists of recipients say the same at every moment, in whatever order things happen to the mail of a broadcast.
import { afterEach, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { RECIPIENT_TYPES } from '../../../src/modules/broadcasts/recipients/broadcast-recipients.schema.ts'
import { suppressedBy } from '../../../src/modules/delivery/engine/refusals.ts'
import {
  failedWithoutAttempt,
  type Outcome,
  sentNotification,
  suppressedWithoutAttempt,
  toSettlement,
} from '../../../src/modules/delivery/engine/settlements.ts'
import type { ClaimedDelivery } from '../../../src/modules/delivery/queue/deliveries.repository.ts'
import { advanceRecipients } from '../../../src/modules/emails/recipient-states.repository.ts'
import { addManyMembers, createBroadcast, doDue, readBroadcast } from '../../support/builders/broadcasts.ts'
import { addSegment } from '../../support/builders/contacts.ts'
import { claimDue, outcome, seededRandom } from '../../support/builders/engine.ts'
import { createShiftingClock } from '../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const MEMBERS = 12
const STEPS = 48
const HOUR_MS = 3_600_000

const clock = createShiftingClock()
const service = shared(() => startTestService({ clock, environment: { SMTP_RELAY_URL: 'smtp://127.0.0.1:1' } }))
afterEach(() => service.database.execute('truncate deliveries'))

type Recipient = { id: string; emailId: string; address: string; contactId: string }
type Attempt = { delivery: ClaimedDelivery; attemptId: string }

/** What may happen to the broadcast, each to one of its emails by chance. */
async function createWorld(random: () => number) {
  const { repositories } = service.service.context
  const workerId = createId()
  const segmentId = await addSegment(service)
  await addManyMembers(service, segmentId, MEMBERS)
  const id = await createBroadcast(service, { segment_id: segmentId, send: true })
  await doDue(service)
  const recipients = await service.database.execute<Recipient>(
    `select r.id, r.email_id as "emailId", r.address, e.contact_id as "contactId" from recipients r join emails e on e.id = r.email_id
      where e.broadcast_id = $1 order by r.id`,
    [id],
  )
  const open: Attempt[] = []
  const abandoned: Attempt[] = []

  function oneOf<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(random() * items.length)]
    if (item === undefined) throw new Error('There is none')
    return item
  }
  const takeFrom = <Item>(items: Item[]): Item | undefined => items.splice(Math.floor(random() * items.length), 1)[0]
  const claimOne = async () => (await claimDue(service, workerId, clock.now(), 1))[0]
  const settle = async ({ delivery, attemptId }: Attempt, kind: Outcome['kind']) => {
    const codes = kind === 'bounced' ? { enhancedCode: oneOf(['5.1.1', '4.2.2', null]) } : {}
    await repositories.deliveries.settle(
      workerId,
      [toSettlement(delivery, attemptId, outcome(kind, codes), { now: clock.now(), random })],
      clock.now(),
    )
  }
  const act = async (kind: 'open' | 'click') => {
    const { id: recipientId, emailId, address } = oneOf(recipients)
    const machineRule = random() < 0.5 ? 'bot' : null
    const target = kind === 'click' ? oneOf(['https://shop.example.com/a', 'https://shop.example.com/b']) : ''
    const whose = { teamId: service.teamId, emailId, recipientId, address }
    const how = { at: clock.now(), machineRule, target, writtenLink: null, userAgent: 'any', ipAddress: null }
    await repositories.trackedEvents.recordAcrossTeams([{ kind, ...whose, ...how }], clock.now())
  }
  const report = async (to: 'bounced' | 'complained') => {
    const { id: recipientId, emailId, address } = oneOf(recipients)
    const facts = { id: createId(), teamId: service.teamId, subjectId: emailId }
    const data = { to: [address], detail: to === 'bounced' ? { bounce: { type: 'Permanent' } } : { complaint: { type: 'abuse' } } }
    const notifications = [
      to === 'bounced' ? { ...facts, type: 'email.bounced' as const, data } : { ...facts, type: 'email.complained' as const, data },
    ]
    const change = { teamId: service.teamId, emailId, recipientId, to, notifications }
    await service.database.transaction((inside) => advanceRecipients(inside, [change], clock.now()), { plans: 'by index' })
  }
  const move = (name: string) => service.call('POST', `/broadcasts/${id}/${name}`)

  const acts: Record<string, () => unknown> = {
    async begin() {
      const delivery = await claimOne()
      if (!delivery) return
      const attempt = { delivery, attemptId: createId() }
      const begun = await repositories.deliveries.begin(
        workerId,
        [{ deliveryId: delivery.id, attemptId: attempt.attemptId, sentNotification: sentNotification(delivery) }],
        clock.now(),
      )
      if (begun.size > 0) open.push(attempt)
    },
    async answer() {
      const attempt = takeFrom(open)
      if (attempt) await settle(attempt, oneOf(['delivered', 'delivered', 'delayed', 'bounced']))
    },
    async skip() {
      const delivery = await claimOne()
      if (!delivery) return
      const settlement =
        random() < 0.5 ? failedWithoutAttempt(delivery, 'Nobody wants it') : suppressedWithoutAttempt(delivery, suppressedBy('manual'))
      await repositories.deliveries.settle(workerId, [settlement], clock.now())
    },
    async die() {
      const attempt = takeFrom(open)
      if (!attempt) return
      await repositories.deliveries.release(workerId, [attempt.delivery.id], clock.now())
      abandoned.push(attempt)
    },
    /** A worker that was taken for dead writes what it knows. */
    async haunt() {
      const attempt = takeFrom(abandoned)
      if (attempt) await settle(attempt, oneOf(['delivered', 'delayed', 'bounced']))
    },
    open: () => act('open'),
    click: () => act('click'),
    bounce: () => report('bounced'),
    complain: () => report('complained'),
    unsubscribe: () => repositories.emails.recordUnsubscribed(service.teamId, oneOf(recipients).emailId, clock.now()),
    pause: () => move('pause'),
    resume: () => move('resume'),
    look: () => doDue(service),
    wait: () => clock.shift(HOUR_MS),
  }
  const names = ['begin', 'begin', 'begin', 'answer', 'answer', 'answer', 'open', 'open', 'click', 'look', ...Object.keys(acts)]
  return {
    id,
    /** @returns its name. */
    async step(): Promise<string> {
      const name = oneOf(names)
      await acts[name]?.()
      return name
    },
    async cancel(): Promise<void> {
      await move('cancel')
      await doDue(service)
    },
  }
}

async function listed(id: string): Promise<Record<string, number>> {
  const lists = await Promise.all(
    RECIPIENT_TYPES.map(async (type) => {
      const { body } = await service.call('GET', `/broadcasts/${id}/recipients?type=${type}&limit=100`)
      const { data } = body as { data: { id: string }[] }
      expect(new Set(data.map((row) => row.id)).size).toBe(data.length)
      return [type, data.length] as const
    }),
  )
  return Object.fromEntries(lists)
}

it.each([2, 3, 5, 6])('with the seed %i', async (seed) => {
  const world = await createWorld(seededRandom(seed))
  const history: string[] = []
  const check = async () => {
    const { counts } = await readBroadcast(service, world.id)
    expect({ recipients: MEMBERS, ...(await listed(world.id)) }, history.join(', ')).toEqual(counts)
  }
  for (let steps = 0; steps < STEPS; steps += 1) {
    history.push(await world.step())
    await check()
    if (steps !== (STEPS * 2) / 3) continue
    await world.cancel()
    history.push('cancel')
    await check()
  }
})
