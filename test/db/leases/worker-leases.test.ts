import { afterEach, describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { toSettlement } from '../../../src/modules/delivery/engine/settlements.ts'
import { attemptsOf, claimAndBegin, deliveriesOf, outcome, sendEmail, stateOf } from '../../support/builders/engine.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())
afterEach(async () => {
  await service.database.execute('truncate deliveries, worker_leases')
  await service.database.execute('delete from graphile_worker._private_jobs')
})

const leases = () => service.service.context.repositories.workerLeases

async function register(): Promise<string> {
  const id = createId()
  await leases().register(id)
  return id
}

describe('a beat', () => {
  it('raises the counter of a registered worker', async () => {
    const id = await register()
    expect([await leases().beat(id), await leases().beat(id)]).toEqual([true, true])
    expect(await leases().list()).toEqual([{ id, beat: '2' }])
  })

  it('tells a worker that was declared dead', async () => {
    const id = await register()
    await leases().free(id, '0', new Date())
    expect(await leases().beat(id)).toBe(false)
    expect(await leases().list()).toEqual([])
  })
})

describe('freeing a dead worker', () => {
  it('frees its deliveries and its open attempts, once, however many see it', async () => {
    const workerId = await register()
    const emailId = await sendEmail(service)
    expect(await claimAndBegin(service, workerId)).toHaveLength(1)

    const freed = await Promise.all(Array.from({ length: 8 }, () => leases().free(workerId, '0', new Date())))

    expect(freed.filter(Boolean)).toHaveLength(1)
    expect(await deliveriesOf(service, emailId)).toMatchObject([{ leasedBy: null, attemptId: null, claims: 1 }])
    expect(await attemptsOf(service, emailId)).toEqual([{ number: 1, outcome: 'unknown', code: null, enhancedCode: null, text: null }])
  })

  it('does nothing when its counter has risen since', async () => {
    const workerId = await register()
    const emailId = await sendEmail(service)
    await claimAndBegin(service, workerId)
    await leases().beat(workerId)

    expect(await leases().free(workerId, '0', new Date())).toBe(false)

    expect(await deliveriesOf(service, emailId)).toMatchObject([{ leasedBy: workerId }])
    expect(await attemptsOf(service, emailId)).toMatchObject([{ outcome: null }])
  })

  it('unlocks its jobs, and no others', async () => {
    const [dead, alive] = [await register(), await register()]
    for (const owner of [dead, alive]) {
      await service.database.execute(`select graphile_worker.add_job('test', json_build_object('owner', $1::text))`, [owner])
      await service.database.execute(
        `update graphile_worker._private_jobs set locked_by = $1, locked_at = now() where payload->>'owner' = $1`,
        [owner],
      )
    }

    await leases().free(dead, '0', new Date())

    const rows = await service.database.execute<{ owner: string; lockedBy: string | null }>(
      `select payload->>'owner' as owner, locked_by as "lockedBy" from graphile_worker._private_jobs order by id`,
    )
    expect(rows).toEqual([
      { owner: dead, lockedBy: null },
      { owner: alive, lockedBy: alive },
    ])
  })

  it('is overruled by the outcome, when the worker lives after all', async () => {
    const workerId = await register()
    const emailId = await sendEmail(service)
    const [begun] = await claimAndBegin(service, workerId)
    if (!begun) throw new Error('Nothing was begun')
    await leases().free(workerId, '0', new Date())

    const settlement = toSettlement(begun.delivery, begun.attemptId, outcome('delivered'), { now: new Date(), random: () => 0.5 })
    await service.service.context.repositories.deliveries.settle(workerId, [settlement], new Date())

    expect(await attemptsOf(service, emailId)).toMatchObject([{ number: 1, outcome: 'delivered' }])
    expect(await stateOf(service, emailId)).toMatchObject({ lastEvent: 'delivered' })
  })

  it('keeps an outcome that was written before', async () => {
    const workerId = await register()
    const emailId = await sendEmail(service)
    const [begun] = await claimAndBegin(service, workerId)
    if (!begun) throw new Error('Nothing was begun')
    const settlement = toSettlement(begun.delivery, begun.attemptId, outcome('bounced'), { now: new Date(), random: () => 0.5 })
    await Promise.all([
      service.service.context.repositories.deliveries.settle(workerId, [settlement], new Date()),
      leases().free(workerId, '0', new Date()),
    ])

    expect(await attemptsOf(service, emailId)).toMatchObject([{ outcome: 'bounced', code: 550 }])
  })
})

describe('a worker that leaves', () => {
  it('gives everything back whatever its counter says', async () => {
    const workerId = await register()
    await leases().beat(workerId)
    const emailId = await sendEmail(service)
    await claimAndBegin(service, workerId)

    expect(await leases().free(workerId, null, new Date())).toBe(true)

    expect(await deliveriesOf(service, emailId)).toMatchObject([{ leasedBy: null }])
    expect(await leases().list()).toEqual([])
  })
})
