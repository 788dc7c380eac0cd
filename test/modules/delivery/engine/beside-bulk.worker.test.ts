// Bulk mail that is prepared beside mail that people wait for.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { Context } from '../../../../src/context.ts'
import { type Lease, takeLease } from '../../../../src/db/leases/lease.ts'
import { type Deliverer, startDeliverer } from '../../../../src/modules/delivery/engine/deliver.worker.ts'
import { PREPARED_AT_ONCE_BESIDE_URGENT_MAIL } from '../../../../src/modules/delivery/engine/preparation.ts'
import type { LaneClass } from '../../../../src/modules/emails/new-delivery.ts'
import { deliveriesOf, recipientFields, sendEmail, untilEvent } from '../../../support/builders/engine.ts'
import { LONG_LEASE } from '../../../support/clocks/lease-times.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const RECIPIENTS = 12

const service = shared(() => startTestService())
let running: { deliverer: Deliverer; lease: Lease } | null = null
afterEach(async () => {
  await running?.deliverer.stop()
  await running?.lease.leave()
  running = null
})

/** An email to many, not claimed yet. */
async function queue(kind: LaneClass, count = RECIPIENTS): Promise<string> {
  const id = await sendEmail(service, recipientFields(count))
  await service.database.execute('update deliveries set class = $2 where email_id = $1', [id, kind])
  return id
}

type Starting = { isRecent?: boolean } & Pick<Context, 'withBroadcastContent'>

/** `withBroadcastContent`: what is done first when a message is prepared, instead of what the service does. */
async function start({ isRecent = true, withBroadcastContent }: Starting): Promise<void> {
  const context = { ...service.service.context, withBroadcastContent }
  const lease = await takeLease(context, LONG_LEASE)
  const urgentMail = { note() {}, isRecent: () => isRecent }
  running = { lease, deliverer: startDeliverer(context, lease, { urgentMail, recentFanOut: { isRecent: () => false }, onSettled() {} }) }
}

describe('messages that are prepared at once', () => {
  it.each([
    ['bulk mail beside transactional mail: a few', 'bulk', true, PREPARED_AT_ONCE_BESIDE_URGENT_MAIL],
    ['bulk mail alone: all that were claimed', 'bulk', false, RECIPIENTS],
    ['transactional mail: all that were claimed', 'transactional', true, RECIPIENTS],
  ] as const)('%s', async (_what, kind, isRecent, expected) => {
    const id = await queue(kind)
    const counts: number[] = []
    let atOnce = 0
    await start({
      isRecent,
      async withBroadcastContent(email) {
        atOnce += 1
        counts.push(atOnce)
        await nextTurn()
        atOnce -= 1
        return email
      },
    })
    await untilEvent(service, id, 'delivered')
    expect({ most: Math.max(...counts), messages: counts.length }).toEqual({ most: expected, messages: RECIPIENTS })
  })
})

it('transactional mail is sent while bulk mail that was claimed with it is prepared', async () => {
  const [bulk, urgent] = [await queue('bulk'), await queue('transactional', 1)]
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await start({
    async withBroadcastContent(email) {
      if (email.id === bulk) await released
      return email
    },
  })
  try {
    await untilEvent(service, urgent, 'delivered')
    expect((await deliveriesOf(service, bulk)).map(({ leasedBy }) => leasedBy)).toEqual(Array(RECIPIENTS).fill(running?.lease.id))
  } finally {
    release()
  }
  await untilEvent(service, bulk, 'delivered')
})
