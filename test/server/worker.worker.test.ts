import { afterEach, describe, expect, it } from 'vitest'
import type { Clock } from '../../src/lib/clock.ts'
import { createId } from '../../src/lib/ids.ts'
import { attemptsOf, deliveriesOf, notificationsOf, recipientFields, sendEmail, stateOf, untilEvent } from '../support/builders/engine.ts'
import { createShiftingClock } from '../support/clocks/clocks.ts'
import { until } from '../support/clocks/until.ts'
import { type RelayService, startRelayService } from '../support/servers/mail-services.ts'

let service: RelayService

afterEach(() => service.close())

const leaseIds = async () => (await service.service.context.repositories.workerLeases.list()).map(({ id }) => id)
const untilLeased = (count = 1) => until(async () => expect(await leaseIds()).toHaveLength(count))

describe('a worker', () => {
  it('delivers an email to each of 150 recipients once, and tells it once', async () => {
    service = await startRelayService()
    service.startWorker()

    const id = await sendEmail(service, recipientFields(150))
    await untilEvent(service, id, 'delivered')
    await until(async () => expect(await deliveriesOf(service, id)).toEqual([]))

    expect(service.sink.messages.flatMap(({ to }) => to).toSorted()).toEqual(Object.values(recipientFields(150)).flat().toSorted())
    expect(service.sink.messages.every(({ to }) => to.length === 1)).toBe(true)
    const told = (await notificationsOf(service, id)).map(({ type, to }) => `${type} ${to.join()}`)
    expect(new Set(told).size).toBe(300)
    expect(told).toHaveLength(300)
    expect(new Set((await stateOf(service, id)).recipients)).toEqual(new Set(['delivered']))
  })

  it('shares the work with another one, and nothing is sent twice', async () => {
    service = await startRelayService()
    const ids = await Promise.all([1, 2, 3].map(() => sendEmail(service, recipientFields(150))))
    service.startWorker()
    service.startWorker()

    for (const id of ids) await until(async () => expect(await deliveriesOf(service, id)).toEqual([]))

    expect(service.sink.messages).toHaveLength(450)
    for (const id of ids)
      expect((await attemptsOf(service, id)).map(({ outcome }) => outcome)).toEqual(Array.from({ length: 150 }, () => 'delivered'))
  })

  it('that stops gives back what it has not begun, and leaves no lease', async () => {
    service = await startRelayService({ environment: { SMTP_RELAY_CONNECTIONS: '1' }, sink: { replyDelayMs: 50 } })
    const id = await sendEmail(service, recipientFields(150))
    const worker = service.startWorker()
    await until(() => expect(service.sink.messages.length).toBeGreaterThan(0))

    await Promise.all([worker.stop(), service.service.context.gateways.relay?.close()])

    expect(await leaseIds()).toEqual([])
    const rows = await deliveriesOf(service, id)
    expect(rows.every(({ leasedBy, attemptId }) => leasedBy === null && attemptId === null)).toBe(true)
    expect(rows.length + service.sink.messages.length).toBe(150)
    expect((await attemptsOf(service, id)).filter(({ outcome }) => outcome === null)).toEqual([])
  })
})

describe('a delivery that was taken again and again without an outcome', () => {
  it('is failed after five times, and the rest continues', async () => {
    service = await startRelayService()
    const [bad, suspect, good] = [await sendEmail(service), await sendEmail(service), await sendEmail(service)]
    await service.database.execute('update deliveries set claims = 5 where email_id = $1', [bad])
    await service.database.execute('update deliveries set claims = 4 where email_id = $1', [suspect])

    service.startWorker()

    await untilEvent(service, bad, 'failed')
    await untilEvent(service, suspect, 'delivered')
    await untilEvent(service, good, 'delivered')
    expect(service.sink.messages).toHaveLength(2)
    expect(await attemptsOf(service, bad)).toEqual([])
    expect(await reasonOf(bad)).toBe('The email could not be processed.')
  })

  it('is taken alone: nothing else is on its way while it is', async () => {
    let mostAtOnce = 0
    let atOnce = 0
    service = await startRelayService({
      sink: {
        async beforeReply() {
          mostAtOnce = Math.max(mostAtOnce, ++atOnce)
          await new Promise((resolve) => setImmediate(resolve))
          atOnce--
        },
      },
    })
    const ids = await Promise.all(Array.from({ length: 6 }, () => sendEmail(service)))
    await service.database.execute('update deliveries set claims = 3')

    service.startWorker()

    for (const id of ids) await untilEvent(service, id, 'delivered')
    expect([mostAtOnce, service.sink.messages.length]).toEqual([1, 6])
  })
})

describe('an API key that is deleted', () => {
  async function sendWithKey(fields: Record<string, unknown>) {
    const token = await service.createKey(service.teamId)
    const id = await sendEmail(service, fields, token)
    const [key] = await service.database.execute<{ id: string }>('select api_key_id as id from emails where id = $1', [id])
    expect((await service.call('DELETE', `/api-keys/${key?.id}`)).status).toBe(200)
    return id
  }

  it('fails all recipients of its scheduled emails with that reason, however many batches they come in', async () => {
    const clock = createShiftingClock()
    service = await startRelayService({ clock })
    const id = await sendWithKey({ ...recipientFields(150), scheduled_at: new Date(Date.now() + 60_000).toISOString() })
    clock.shift(61_000)
    // Half of them arrive a moment later, when the others have already failed.
    await service.database.execute('update deliveries set due_at = $1 where id in (select id from deliveries limit 75)', [
      new Date(clock.now().getTime() + 86_400_000),
    ])

    const worker = service.startWorker()

    await until(async () => expect((await stateOf(service, id)).recipients.filter((state) => state === 'failed')).toHaveLength(75))
    await service.database.execute('update deliveries set due_at = $1', [clock.now()])
    worker.wake()
    await until(async () => expect(await deliveriesOf(service, id)).toEqual([]))
    expect(await stateOf(service, id)).toEqual({
      state: 'queued',
      lastEvent: 'failed',
      recipients: Array.from({ length: 150 }, () => 'failed'),
    })
    expect(await reasonOf(id)).toBe('The API key that scheduled the email was deleted before the scheduled time.')
    expect(service.sink.messages).toEqual([])
    expect(await attemptsOf(service, id)).toEqual([])
  })

  it('does not fail an email that is queued already', async () => {
    service = await startRelayService()
    const id = await sendWithKey({})

    service.startWorker()

    await untilEvent(service, id, 'delivered')
    expect(service.sink.messages).toHaveLength(1)
  })
})

describe('a worker that has lost its lease', () => {
  /** A clock whose process can be stopped for a while, as far as it can tell. */
  function createStoppableClock(): Clock & { stopFor(ms: number): void } {
    let skippedMs = 0
    return {
      now: () => new Date(),
      monotonicMs: () => performance.now() + skippedMs,
      stopFor(ms) {
        skippedMs += ms
      },
    }
  }

  it('breaks off before the message is handed over, and begins anew under another id', async () => {
    const clock = createStoppableClock()
    service = await startRelayService({ clock, sink: { replyDelayMs: 5_000 } })
    const worker = service.startWorker()
    await untilLeased()
    const [lost] = await leaseIds()
    const id = await sendEmail(service)
    worker.wake()
    await until(async () => expect((await attemptsOf(service, id)).length).toBe(1))

    await service.database.transaction(async (execute) => {
      // No one can confirm the beat meanwhile.
      await execute('select id from worker_leases where id = $1 for update', [lost])
      clock.stopFor(13_000)
      await untilLeased(2)
      expect(service.sink.messages).toEqual([])
      service.sinkOptions.replyDelayMs = 0
    })

    await untilEvent(service, id, 'delivered')
    expect(service.sink.messages).toHaveLength(1)
    expect((await attemptsOf(service, id)).map(({ outcome }) => outcome)).toEqual(['abandoned', 'delivered'])
    expect(worker.isRunning()).toBe(true)
    expect(await leaseIds()).toContain(lost)
  })

  it('still writes what the server had answered, and leaves the delivery to its new owner', async () => {
    const held = Promise.withResolvers<() => void>()
    service = await startRelayService({ sink: { beforeReply: () => new Promise((answer) => held.resolve(answer)) } })
    const worker = service.startWorker()
    await untilLeased()
    const id = await sendEmail(service)
    worker.wake()
    const answer = await held.promise
    const heir = createId()
    await service.database.execute('delete from worker_leases')
    await service.database.execute('update deliveries set leased_by = $1, attempt_id = null', [heir])

    answer()

    await untilEvent(service, id, 'delivered')
    expect(await attemptsOf(service, id)).toMatchObject([{ outcome: 'delivered' }])
    expect(await deliveriesOf(service, id)).toMatchObject([{ leasedBy: heir }])
  })
})

async function reasonOf(emailId: string): Promise<string | undefined> {
  const rows = await service.database.execute<{ reason: string }>(
    `select distinct data->'detail'->'failed'->>'reason' as reason from notifications where subject_id = $1 and type = 'email.failed'`,
    [emailId],
  )
  expect(rows).toHaveLength(1)
  return rows[0]?.reason
}
