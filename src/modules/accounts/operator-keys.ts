// The credential of the operator: OPERATOR_KEY, and the one before it.
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { createRequestCounts } from '../../lib/limits/counts.ts'
import { peerOf } from '../../lib/peer-addresses.ts'
import type { OperatorKeys } from './accounts.context.ts'
import { isSame } from './operator-gate.ts'

/** How many wrong keys a client address may send in a window. A person mistypes one once or twice. */
const WRONG_KEYS_MAX = 3
const WRONG_KEYS_WINDOW_MS = 60_000

/** Wrong keys are counted even where RATE_LIMIT_PER_SECOND switches the other limits off, because no team loses anything by it. */
export function createOperatorKeys({ keys, clock }: { keys: readonly string[]; clock: Clock }): OperatorKeys {
  const failures = createRequestCounts({ max: WRONG_KEYS_MAX, windowMs: WRONG_KEYS_WINDOW_MS, clock })

  return {
    verify(address, token) {
      // Before the comparison: otherwise one who guesses would learn the right one in spite of the limit.
      const failed = failures.read(peerOf(address))
      if (failed?.remaining === 0)
        return new Failure('rateLimited', TOO_MANY_OPERATOR_KEYS, { retryAfterSeconds: Math.max(1, failed.ttlInSeconds) })
      // Each is compared, so that the time does not tell which one it is.
      return keys.map((key) => isSame(token, key)).includes(true)
    },
    countFailure: (address) => void failures.add(peerOf(address)),
  }
}

export const TOO_MANY_OPERATOR_KEYS = `More than ${WRONG_KEYS_MAX} wrong operator keys a minute came from your address. Please wait and try again.`
