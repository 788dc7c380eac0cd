import { afterEach, describe, expect, it } from 'vitest'
import { createId } from '../../../../src/lib/ids.ts'
import { attemptsOf, claimAndBegin, claimDue, deliveriesOf, recipientFields, sendEmail } from '../../../support/builders/engine.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const MINUTE_MS = 60_000

const service = shared(() => startTestService())
afterEach(() => service.database.execute('delete from deliveries'))

const deliveries = () => service.service.context.repositories.deliveries
const soon = () => new Date(Date.now() + 1_000)

describe('claiming', () => {
  it('never gives one delivery to two workers', async () => {
    for (let index = 0; index < 4; index++) await sendEmail(service, recipientFields(150))
    const workers = Array.from({ length: 8 }, () => createId())

    const takes = await Promise.all(
      workers.map(async (workerId) => {
        const taken: string[] = []
        for (;;) {
          const claimed = await claimDue(service, workerId, soon(), 20)
          if (claimed.length === 0) return taken
          taken.push(...claimed.map(({ id }) => id))
        }
      }),
    )

    expect(takes.flat()).toHaveLength(600)
    expect(new Set(takes.flat()).size).toBe(600)
  })

  it('takes nothing that is not due, and of a lane what was accepted first', async () => {
    const now = Date.now()
    const late = await sendEmail(service, { scheduled_at: new Date(now + 20 * MINUTE_MS).toISOString() })
    const early = await sendEmail(service, { scheduled_at: new Date(now + 10 * MINUTE_MS).toISOString() })
    await sendEmail(service, { scheduled_at: new Date(now + 60 * MINUTE_MS).toISOString() })

    const claimed = await claimDue(service, createId(), new Date(now + 30 * MINUTE_MS), 10)

    expect(claimed.map(({ emailId }) => emailId)).toEqual([late, early])
  })

  it('leaves what was taken three times without an outcome to those who take it alone', async () => {
    const id = await sendEmail(service)
    for (let time = 0; time < 3; time++) {
      expect(await claimDue(service, createId(), soon(), 10)).toHaveLength(1)
      await service.database.execute('update deliveries set leased_by = null where email_id = $1', [id])
    }

    expect(await claimDue(service, createId(), soon(), 10)).toEqual([])
    expect(await deliveries().claimSuspect(createId(), soon())).toMatchObject([{ emailId: id, claims: 4 }])
  })
})

describe('giving back', () => {
  it('releases a delivery, and does not count as a claim', async () => {
    const id = await sendEmail(service)
    const workerId = createId()
    const [delivery] = await claimDue(service, workerId, soon(), 10)

    await deliveries().release(workerId, [delivery?.id ?? ''], new Date())

    expect(await deliveriesOf(service, id)).toMatchObject([{ leasedBy: null, claims: 0 }])
  })

  it('takes nothing from another worker', async () => {
    const id = await sendEmail(service)
    const workerId = createId()
    const [delivery] = await claimDue(service, workerId, soon(), 10)

    await deliveries().release(createId(), [delivery?.id ?? ''], new Date())

    expect(await deliveriesOf(service, id)).toMatchObject([{ leasedBy: workerId, claims: 1 }])
  })

  it('ends an attempt that was opened without the worker hearing of it', async () => {
    const id = await sendEmail(service)
    const workerId = createId()
    const [begun] = await claimAndBegin(service, workerId, soon())

    await deliveries().release(workerId, [begun?.delivery.id ?? ''], new Date())

    expect(await attemptsOf(service, id)).toMatchObject([{ number: 1, outcome: 'abandoned' }])
    expect(await deliveriesOf(service, id)).toMatchObject([{ leasedBy: null, attemptId: null }])
  })
})

describe('the sample of the queue', () => {
  it('counts what is ready, what waits and what is being delivered, and the age of the oldest', async () => {
    await sendEmail(service)
    await claimDue(service, createId(), soon(), 1)
    const start = Date.now()
    await sendEmail(service, { scheduled_at: new Date(start + 10 * MINUTE_MS).toISOString() })
    await sendEmail(service, { scheduled_at: new Date(start + 90 * MINUTE_MS).toISOString() })

    expect(await service.service.context.repositories.queueView.sampleAcrossTeams(new Date(start + 40 * MINUTE_MS))).toEqual({
      lanes: [{ class: 'transactional', destination: 'example.org', ready: 0, waiting: 2, leased: 1, parked: 0 }],
      oldestDueSeconds: 30 * 60,
    })
  })
})
