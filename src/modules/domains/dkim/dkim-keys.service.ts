// Keeps key pairs ready, because making one for RSA takes up to a second, which no request should wait for.
import type { Clock } from '../../../lib/clock.ts'
import { createEd25519KeyPair, type DkimAlgorithm, type KeyPair, publicKeyText } from '../../../lib/crypto/keys.ts'
import { Failure } from '../../../lib/failure.ts'
import { createId } from '../../../lib/ids.ts'
import { createFairQueue } from '../../../lib/limits/fair.ts'
import { pause } from '../../../lib/poll-loop.ts'
import { type KeyVersions, sealPrivateKey } from '../../secrets/data-keys.ts'
import type { NewDkimKey } from './dkim-keys.repository.ts'

export type SpareKeyPairs = {
  /**
   * A pair that no one else gets: at once if one is ready, or else as soon as one is made. Fails if it stops meanwhile.
   * @param asker those who wait take turns, and each may wait for some only.
   * @throws Failure `unavailable` if too many wait for one.
   */
  take(asker: string): Promise<KeyPair>
  /** Makes no more, and waits for the one that is being made. */
  stop(): Promise<void>
}

export type SpareKeyPairsOptions = {
  /** How many are kept ready. With none, a pair is made when it is needed. */
  spares: number
  create: () => Promise<KeyPair>
  /** A pair could not be made. It is tried again. */
  onFailure: (error: unknown) => void
  retryMs?: number
}

const RETRY_MS = 1_000

/** The last of them waits for about ten seconds. */
const WAITING_MAX = 32
/** So that a team that registers many domains leaves room for others, and for claims. */
const WAITING_PER_ASKER_MAX = 16
const RETRY_AFTER_SECONDS = 10

/** One is made at a time, so that most of the threads stay free for signing and files. */
export function createSpareKeyPairs({ spares, create, onFailure, retryMs = RETRY_MS }: SpareKeyPairsOptions): SpareKeyPairs {
  const ready: KeyPair[] = []
  const waiting = createFairQueue<PromiseWithResolvers<KeyPair>>({ itemsMax: WAITING_MAX, itemsPerOwnerMax: WAITING_PER_ASKER_MAX })
  let waitingCount = 0
  const stopping = new AbortController()
  const { signal } = stopping
  let making: Promise<void> | null = null

  const isWanted = () => !signal.aborted && (waitingCount > 0 || ready.length < spares)

  function refill(): void {
    making ??= make().finally(() => {
      making = null
      if (isWanted()) refill()
    })
  }

  async function make(): Promise<void> {
    while (isWanted()) {
      try {
        give(await create())
      } catch (error) {
        onFailure(error)
        await pause(retryMs, signal)
      }
    }
  }

  function give(pair: KeyPair): void {
    const next = takeWaiting()
    if (next) next.resolve(pair)
    else ready.push(pair)
  }

  function takeWaiting(): PromiseWithResolvers<KeyPair> | undefined {
    const next = waiting.take()
    if (next) waitingCount -= 1
    return next
  }

  refill()

  return {
    take(asker) {
      if (signal.aborted) return Promise.reject(stopped())
      const pair = ready.shift()
      const taker = Promise.withResolvers<KeyPair>()
      if (pair) taker.resolve(pair)
      else if (waiting.add(asker, taker)) waitingCount += 1
      else return Promise.reject(tooMany())
      refill()
      return taker.promise
    },
    async stop() {
      stopping.abort()
      for (let next = takeWaiting(); next; next = takeWaiting()) next.reject(stopped())
      await making
    },
  }
}

const stopped = () => new Error('No key pair is made while the service stops')

const tooMany = (): Failure =>
  new Failure('unavailable', 'Many domains are being registered at the moment. Please try again in a few seconds.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })

/** `teamId`: who asks for it. */
export type DkimKeyMaker = (algorithm: DkimAlgorithm, teamId: string) => Promise<NewDkimKey>

/** Makes keys that can be stored. `takeRsaKeyPair` gives away spare pairs, because RSA takes its time; `versionsOf` the data keys of the moment. */
export function createDkimKeyMaker(options: {
  takeRsaKeyPair: (asker: string) => Promise<KeyPair>
  versionsOf: () => KeyVersions
  clock: Clock
}): DkimKeyMaker {
  const { takeRsaKeyPair, versionsOf, clock } = options
  return async (algorithm, teamId) => {
    const { publicKey, privateKey } = await (algorithm === 'rsa-sha256' ? takeRsaKeyPair(teamId) : createEd25519KeyPair())
    const id = createId(clock)
    const { sealed, keyVersion } = sealPrivateKey(versionsOf(), id, privateKey)
    return { id, algorithm, publicKey: publicKeyText(publicKey), privateKey: sealed, keyVersion }
  }
}
