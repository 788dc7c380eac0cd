import { afterEach, describe, expect, it } from 'vitest'
import { LEASE_TIMES, type Lease, takeLease } from '../../../src/db/leases/lease.ts'
import type { Clock } from '../../../src/lib/clock.ts'
import { createId } from '../../../src/lib/ids.ts'
import { createMovingClock, createShiftingClock } from '../../support/clocks/clocks.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const taken: Lease[] = []

const service = shared(() => startTestService())
afterEach(async () => {
  await Promise.all(taken.splice(0).map((lease) => lease.leave()))
  await service.database.execute('delete from worker_leases')
})

/** Beats as often as a test can need. The other times depend on the clock that is submitted. */
const TIMES = { beatEveryMs: 10, giveUpAfterMs: 1_000_000, deadAfterMs: 1_000 }

async function take(clock: Clock, times = TIMES): Promise<Lease> {
  const { repositories, log } = service.service.context
  const lease = await takeLease({ repositories, log, clock }, times)
  taken.push(lease)
  return lease
}

const leases = () => service.service.context.repositories.workerLeases
const present = async () => (await leases().list()).map(({ id }) => id)
const beatOf = async (id: string) => Number((await leases().list()).find((one) => one.id === id)?.beat)

/** A worker that beats also watches: after three beats it has checked the others with the clock as it stands. */
async function untilWatched(lease: Lease): Promise<void> {
  const from = await beatOf(lease.id)
  await until(async () => expect(await beatOf(lease.id)).toBeGreaterThanOrEqual(from + 3))
}

const isOver = async (lease: Lease) => Promise.race([lease.lost.then(() => true), Promise.resolve(false)])

describe('a worker that stands still', () => {
  it('is freed when its counter has not moved for the whole time, and not before', async () => {
    const clock = createMovingClock()
    const dead = createId()
    await leases().register(dead)
    const lease = await take(clock)
    await untilWatched(lease)

    clock.advance(TIMES.deadAfterMs - 1)
    await untilWatched(lease)
    expect((await present()).toSorted()).toEqual([dead, lease.id].toSorted())

    clock.advance(1)
    await until(async () => expect(await present()).toEqual([lease.id]))
  })

  it('begins anew with every beat that is seen', async () => {
    const clock = createMovingClock()
    const slow = createId()
    await leases().register(slow)
    const lease = await take(clock)
    for (let time = 0; time < 4; time++) {
      await untilWatched(lease)
      clock.advance(TIMES.deadAfterMs - 1)
      await leases().beat(slow)
    }
    await untilWatched(lease)
    expect(await present()).toContain(slow)
  })
})

describe('workers that live', () => {
  it('do not free each other, wherever their wall clocks jump', async () => {
    const [first, second] = [createShiftingClock(), createShiftingClock()]
    const [a, b] = [
      await take(first, { ...TIMES, giveUpAfterMs: 60_000, deadAfterMs: 80_000 }),
      await take(second, { ...TIMES, giveUpAfterMs: 60_000, deadAfterMs: 80_000 }),
    ]
    for (const ms of [86_400_000, -2 * 86_400_000, 3_600_000]) {
      first.shift(ms)
      second.shift(-ms)
      await Promise.all([untilWatched(a), untilWatched(b)])
    }
    expect([a.isHeld(), b.isHeld(), await isOver(a), await isOver(b)]).toEqual([true, true, false, false])
    expect((await present()).toSorted()).toEqual([a.id, b.id].toSorted())
  })
})

describe('a lease', () => {
  it('is given up well before another process may declare it dead', () => {
    expect(LEASE_TIMES.deadAfterMs - LEASE_TIMES.giveUpAfterMs).toBeGreaterThanOrEqual(2 * LEASE_TIMES.beatEveryMs)
    expect(LEASE_TIMES.giveUpAfterMs).toBeGreaterThanOrEqual(3 * LEASE_TIMES.beatEveryMs)
  })

  it('is lost at the moment when its beat was not confirmed for too long, before anything has noticed', async () => {
    const clock = createMovingClock()
    const lease = await take(clock, { beatEveryMs: 60_000, giveUpAfterMs: 200, deadAfterMs: 1_000 })
    clock.advance(199)
    expect(lease.isHeld()).toBe(true)
    clock.advance(1)
    expect(lease.isHeld()).toBe(false)
    // Others act upon that at once, so a beat that is confirmed afterwards changes nothing.
    await lease.lost
    expect(lease.isHeld()).toBe(false)
  })

  it('tells its worker when the database does not confirm the beat in time, and never comes back', async () => {
    const clock = createMovingClock()
    const lease = await take(clock, { ...TIMES, giveUpAfterMs: 200 })
    await service.database.transaction(async (execute) => {
      await execute('select id from worker_leases where id = $1 for update', [lease.id])
      clock.advance(200)
      await lease.lost
    })
    expect(lease.isHeld()).toBe(false)
    // Its row stays for others to judge: what it holds is not free yet.
    expect(await present()).toEqual([lease.id])
  })

  it('is lost when another process has declared it dead', async () => {
    const lease = await take(createMovingClock())
    await service.database.execute('delete from worker_leases')
    await lease.lost
    expect(lease.isHeld()).toBe(false)
  })

  it('that is left is gone at once, and is not lost', async () => {
    const lease = await take(createMovingClock())
    await lease.leave()
    expect(await present()).toEqual([])
    expect([lease.isHeld(), await isOver(lease)]).toEqual([false, false])
  })
})
