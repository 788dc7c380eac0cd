import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createEd25519KeyPair, type KeyPair } from '../../../../src/lib/crypto/keys.ts'
import { createSpareKeyPairs, type SpareKeyPairs } from '../../../../src/modules/domains/dkim/dkim-keys.service.ts'
import { until } from '../../../support/clocks/until.ts'

/** Spares whose making the test ends, one after another. */
function world(spares: number) {
  const making: PromiseWithResolvers<KeyPair>[] = []
  const failures: unknown[] = []
  const started = { count: 0 }
  const pairs = createSpareKeyPairs({
    spares,
    create() {
      started.count += 1
      const one = Promise.withResolvers<KeyPair>()
      making.push(one)
      return one.promise
    },
    onFailure: (error) => failures.push(error),
    retryMs: 1,
  })
  return {
    pairs,
    started,
    failures,
    async finish(count = 1) {
      const made: KeyPair[] = []
      for (let left = count; left > 0; left -= 1) {
        await until(async () => expect(making.length).toBe(1))
        const pair = await createEd25519KeyPair()
        made.push(pair)
        making.shift()?.resolve(pair)
      }
      return made
    },
    async fail(error: Error) {
      await until(async () => expect(making.length).toBe(1))
      making.shift()?.reject(error)
    },
  }
}

/** Undefined if it is not there at once. */
const atOnce = (taken: Promise<KeyPair>): Promise<KeyPair | undefined> => Promise.race([taken, turn(undefined)])

it('keeps as many pairs ready as it was told, gives each away once, and makes others for them', async () => {
  const { pairs, started, finish } = world(3)
  const made = await finish(3)
  await turn()
  expect(started.count).toBe(3)

  const taken = [await atOnce(pairs.take('a')), await atOnce(pairs.take('a')), await atOnce(pairs.take('a'))]
  expect(taken).toEqual(made)
  const [fourth] = await finish(3)
  expect(await atOnce(pairs.take('a'))).toBe(fourth)
  await finish()
  await turn()
  expect(started.count).toBe(7)
  await pairs.stop()
})

it('gives pairs to those who wait in their order, and makes one at a time', async () => {
  const { pairs, started, finish } = world(1)
  const waiting = [pairs.take('a'), pairs.take('a'), pairs.take('a')]
  await turn()
  expect(started.count).toBe(1)
  const made = await finish(3)
  expect(await Promise.all(waiting)).toEqual(made)
  await finish()
  await pairs.stop()
})

it('without spares makes a pair only when it is needed', async () => {
  const { pairs, started, finish } = world(0)
  await turn()
  expect(started.count).toBe(0)
  const taken = pairs.take('a')
  const [made] = await finish()
  expect(await taken).toBe(made)
  await turn()
  expect(started.count).toBe(1)
  await pairs.stop()
})

it('reports a failure and tries again', async () => {
  const { pairs, failures, fail, finish } = world(0)
  const taken = pairs.take('a')
  const failure = new Error('no entropy')
  await fail(failure)
  const [made] = await finish()
  expect(await taken).toBe(made)
  expect(failures).toEqual([failure])
  await pairs.stop()
})

it('lets 32 wait for a pair, 16 of one asker, and refuses more with when to come back', async () => {
  const { pairs, finish } = world(0)
  const take = (asker: string) => Array.from({ length: 16 }, () => pairs.take(asker))
  const tooMany = { kind: 'unavailable', retryAfterSeconds: 10 }
  const taken = take('a')
  await expect(pairs.take('a')).rejects.toMatchObject(tooMany)
  taken.push(...take('b'))
  await expect(pairs.take('c')).rejects.toMatchObject(tooMany)
  const made = await finish(32)
  expect(new Set(await Promise.all(taken))).toEqual(new Set(made))
  await pairs.stop()
})

it('gives the next pair to an asker who waits for one, whatever others wait for', async () => {
  const { pairs, finish } = world(0)
  const many = Array.from({ length: 10 }, () => pairs.take('a'))
  const one = pairs.take('b')
  const made = await finish(2)
  expect([await many[0], await one]).toEqual(made)
  await finish(9)
  await Promise.all(many)
  await pairs.stop()
})

it('stops when the pair that is being made is done, and makes no more', async () => {
  const { pairs, started, finish } = world(2)
  const refused = expectStopped(pairs)
  let isStopped = false
  const stopping = pairs.stop().then(() => {
    isStopped = true
  })
  await refused
  await turn()
  expect(isStopped).toBe(false)
  await finish()
  await stopping
  expect(started.count).toBe(1)
  await expectStopped(pairs)
})

const expectStopped = (pairs: SpareKeyPairs) => expect(pairs.take('a')).rejects.toThrow('No key pair is made while the service stops')
