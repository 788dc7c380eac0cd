import { describe, expect, it } from 'vitest'
import { createLostClaims } from '../../../../src/modules/delivery/queue/lane-cache.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'

const LONG_MS = 60_000

function createWorker() {
  const clock = createMovingClock()
  const worker = { held: [] as string[], released: [] as string[][], looks: 0, found: [] as number[] }
  const releaseLostClaims = createLostClaims({
    clock,
    async held() {
      worker.looks += 1
      return worker.held
    },
    async release(ids) {
      worker.released.push(ids)
    },
    onFound: (count) => void worker.found.push(count),
  })
  const look = (...known: string[]) => {
    clock.advance(LONG_MS)
    return releaseLostClaims(new Set(known))
  }
  return { worker, look, again: (...known: string[]) => releaseLostClaims(new Set(known)) }
}

describe('what a worker holds without knowing', () => {
  it('is released when it was unknown at two looks', async () => {
    const { worker, look } = createWorker()
    worker.held = ['known', 'stray']
    await look('known')
    expect(worker.released).toEqual([])
    await look('known')
    expect(worker).toMatchObject({ released: [['stray']], found: [1] })
  })

  it('may be a claim whose answer is on its way', async () => {
    const { worker, look } = createWorker()
    worker.held = ['new']
    await look()
    await look('new')
    await look()
    expect(worker.released).toEqual([])
  })

  it('is looked for only now and then', async () => {
    const { worker, look, again } = createWorker()
    await again()
    await look()
    await again()
    expect(worker.looks).toBe(1)
  })
})
