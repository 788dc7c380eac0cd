import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createId } from '../../src/lib/ids.ts'
import { attemptsOf, claimAndBegin, deliveriesOf, recipientFields, sendEmail } from '../support/engine.ts'
import { startTestService, type TestService } from '../support/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})
afterEach(() => service.database.execute('delete from deliveries'))
afterAll(() => service.close())

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
          const claimed = await deliveries().claim(workerId, { now: soon(), limit: 20, isSuspect: false })
          if (claimed.length === 0) return taken
          taken.push(...claimed.map(({ id }) => id))
        }
      }),
    )

    expect(takes.flat()).toHaveLength(600)
    expect(new Set(takes.flat()).size).toBe(600)
  })

  it('takes what has waited longest first, and nothing that is not due', async () => {
    const now = Date.now()
    const late = await sendEmail(service, { scheduled_at: new Date(now + 20_000).toISOString() })
    const early = await sendEmail(service, { scheduled_at: new Date(now + 10_000).toISOString() })
    await sendEmail(service, { scheduled_at: new Date(now + 60_000).toISOString() })

    const claimed = await deliveries().claim(createId(), { now: new Date(now + 30_000), limit: 10, isSuspect: false })

    expect(claimed.map(({ emailId }) => emailId)).toEqual([early, late])
  })

  it('leaves what was taken three times without an outcome to those who take it alone', async () => {
    const id = await sendEmail(service)
    for (let time = 0; time < 3; time++) {
      expect(await deliveries().claim(createId(), { now: soon(), limit: 10, isSuspect: false })).toHaveLength(1)
      await service.database.execute('update deliveries set leased_by = null where email_id = $1', [id])
    }

    expect(await deliveries().claim(createId(), { now: soon(), limit: 10, isSuspect: false })).toEqual([])
    expect(await deliveries().claim(createId(), { now: soon(), limit: 1, isSuspect: true })).toMatchObject([{ emailId: id, claims: 4 }])
  })
})

describe('giving back', () => {
  it('makes a delivery anybody’s again and does not count as a claim', async () => {
    const id = await sendEmail(service)
    const workerId = createId()
    const [delivery] = await deliveries().claim(workerId, { now: soon(), limit: 10, isSuspect: false })

    await deliveries().release(workerId, [delivery?.id ?? ''], new Date())

    expect(await deliveriesOf(service, id)).toMatchObject([{ leasedBy: null, claims: 0 }])
  })

  it('takes nothing from another worker', async () => {
    const id = await sendEmail(service)
    const workerId = createId()
    const [delivery] = await deliveries().claim(workerId, { now: soon(), limit: 10, isSuspect: false })

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
  it('counts what is due, what waits and what is being delivered, and the age of the oldest', async () => {
    await sendEmail(service)
    await deliveries().claim(createId(), { now: soon(), limit: 1, isSuspect: false })
    const start = Date.now()
    await sendEmail(service, { scheduled_at: new Date(start + 10_000).toISOString() })
    await sendEmail(service, { scheduled_at: new Date(start + 90_000).toISOString() })

    expect(await deliveries().sample(new Date(start + 40_000))).toEqual({ due: 1, waiting: 1, leased: 1, oldestDueSeconds: 30 })
  })
})
