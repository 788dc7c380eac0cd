// Asks the spam or virus filter of the operator what it says of a message. A filter that is down or slow holds up no mail: then nothing was checked.
import { Failure } from '../../lib/failure.ts'
import type { FilterName } from '../../lib/inbound/filter-results.ts'
import { createTurns } from '../../lib/limits/turns.ts'
import { askClamd } from './clamd.ts'
import type { FilterAnswer, FilteredMessage } from './filtered-message.ts'
import { askRspamd } from './rspamd.ts'

export type MessageFilter = {
  /** Never fails. */
  check(message: FilteredMessage): Promise<FilterAnswer>
}

/** A sender waits for our reply meanwhile. */
const FILTER_MS_MAX = 10_000
/** Filters look at little of larger messages, or refuse them. */
const FILTERED_BYTES_MAX = 20 * 1024 * 1024
const AT_ONCE_MAX = 50
const WAITING_MAX = 500
const WAIT_MS_MAX = 5_000
/** So many failures in a row: the filter is down, and is not asked for a while. */
const FAILURES_IN_A_ROW_MAX = 10
const PAUSE_MS = 10_000

type Options = { url: URL; timeMsMax?: number; pauseMs?: number; onFailure?: (error: unknown) => void }

export function createMessageFilter({ url, timeMsMax = FILTER_MS_MAX, pauseMs = PAUSE_MS, onFailure = () => {} }: Options): MessageFilter {
  const name: FilterName = url.protocol === 'tcp:' ? 'clamd' : 'rspamd'
  const ask = name === 'clamd' ? askClamd : askRspamd
  const turns = createTurns({
    atOnceMax: { perKey: AT_ONCE_MAX, inAll: AT_ONCE_MAX },
    waitingMax: { perKey: WAITING_MAX, inAll: WAITING_MAX },
    waitMsMax: WAIT_MS_MAX,
    refusal: () => new Failure('unavailable', 'Too many messages wait for the filter.'),
  })
  let failuresInARow = 0
  let pausedUntilMs = Number.NEGATIVE_INFINITY

  const notChecked = (detail: string): FilterAnswer => ({ result: { name, verdict: 'not_checked', score: null, detail }, refuses: 'not' })

  return {
    async check(message) {
      if (message.bytes > FILTERED_BYTES_MAX) return notChecked('The message is larger than what is checked.')
      if (performance.now() < pausedUntilMs) return notChecked('The filter was down.')
      try {
        const { refuses, ...judgement } = await turns.take(name, () => ask(url, message, AbortSignal.timeout(timeMsMax)))
        failuresInARow = 0
        return { result: { name, ...judgement }, refuses }
      } catch (error) {
        failuresInARow += 1
        if (failuresInARow >= FAILURES_IN_A_ROW_MAX) pausedUntilMs = performance.now() + pauseMs
        onFailure(error)
        return notChecked('The filter did not answer.')
      }
    },
  }
}
