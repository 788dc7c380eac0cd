// The DNS as verdicts ask it: many messages of one sender come at once, and ask the same. What does not answer is not asked again for a while, because
// each question would hold up a message for seconds.
import { LRUCache } from 'lru-cache'
import { askServers, dnsErrorCode, isAbsence, withResolver } from '../../../io/dns/record-lookup.ts'
import { createExpiringCache } from '../../../lib/cache.ts'
import { systemClock, within } from '../../../lib/clock.ts'
import { registrableDomain } from '../../../mail/domain-names.ts'
import type { Resolve } from '../content/verdicts.ts'

/** Answers are remembered for less than any time to live that is in use. */
const KEPT_MS = 30_000
const KEPT_MAX = 5_000
/** The servers of a domain that were silent are asked again after this time. */
const SILENT_MS = 30_000
const SILENT_MAX = 5_000
/** So many questions without any answer in between: our own resolver is silent. Several senders may have dead servers. */
const SILENT_IN_A_ROW_MAX = 20
/** SPF alone may need a hundred (RFC 7208, section 4.6.4). */
const LOOKUPS_PER_MESSAGE_MAX = 120

type Options = {
  dnsServers: readonly string[]
  /** The time-out of the first try. */
  timeoutMs?: number
  /** How long a question may take, however many messages wait for the answer. */
  questionMsMax?: number
}

export function createVerdictDns({ dnsServers, timeoutMs = 2_000, questionMsMax = 6_500 }: Options) {
  const answers = new LRUCache<string, ReturnType<Resolve>>({ max: KEPT_MAX, ttl: KEPT_MS })
  const silent = createExpiringCache<true>({ entriesMax: SILENT_MAX, clock: systemClock })
  let silentInARow = 0
  /** Until then, nothing is asked: one question is on its way that finds out whether the resolver answers again, or has failed a moment ago. */
  let triedUntilMs = Number.NEGATIVE_INFINITY

  function isSilent(name: string): boolean {
    if (silent.get(zoneOf(name))) return true
    if (silentInARow < SILENT_IN_A_ROW_MAX) return false
    if (performance.now() < triedUntilMs) return true
    triedUntilMs = performance.now() + questionMsMax
    return false
  }

  function ask(name: string, type: string): ReturnType<Resolve> {
    const key = `${type} ${name.toLowerCase()}`
    const known = answers.get(key)
    if (known !== undefined) return known
    if (isSilent(name)) throw noAnswer('was silent a moment ago')
    const asking = askOnce(name, type)
    answers.set(key, asking)
    asking.catch((error) => {
      if (!isAbsence(error)) answers.delete(key)
    })
    return asking
  }

  async function askOnce(name: string, type: string): ReturnType<Resolve> {
    try {
      const answer = await withResolver({ dnsServers, timeoutMs, tries: 2, timeMsMax: questionMsMax }, (resolver) =>
        askServers(resolver, (each) => each.resolve(name, type) as ReturnType<Resolve>),
      )
      silentInARow = 0
      return answer
    } catch (error) {
      if (!SILENCE.includes(dnsErrorCode(error) ?? '')) {
        silentInARow = 0
        throw error
      }
      silentInARow += 1
      silent.set(zoneOf(name), true, SILENT_MS)
      triedUntilMs = performance.now() + questionMsMax
      throw noAnswer('did not answer in time')
    }
  }

  return {
    /** For one message: after this time nothing is asked, and what was asked is answered with a failure. */
    during(timeMsMax: number): Resolve {
      const endsAtMs = performance.now() + timeMsMax
      let lookups = 0
      return async (name, type) => {
        lookups += 1
        if (lookups > LOOKUPS_PER_MESSAGE_MAX) throw noAnswer('was asked too much for one message')
        return askWithin(endsAtMs - performance.now(), () => ask(name, type))
      }
    },
  }
}

async function askWithin<Answer>(leftMs: number, ask: () => Promise<Answer>): Promise<Answer> {
  const fail = () => {
    throw noAnswer('did not answer in time')
  }
  return leftMs <= 0 ? fail() : within(leftMs, ask(), fail)
}

const SILENCE: readonly string[] = ['ETIMEOUT', 'ECANCELLED']

/** A failure in the form that verdicts understand. */
const noAnswer = (what: string) => Object.assign(new Error(`The DNS ${what}`), { code: 'ETIMEOUT' })

/** Most domains have one set of servers for all of their names. */
const zoneOf = (name: string): string => registrableDomain(name.toLowerCase()) ?? name.toLowerCase()
