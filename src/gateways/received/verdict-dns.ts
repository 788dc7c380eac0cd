// The DNS as verdicts ask it: many messages of one sender come at once, and ask the same.
import { LRUCache } from 'lru-cache'
import type { Resolve } from '../../mail/received/verdicts.ts'
import { askServers, isAbsence, withResolver } from '../dns/resolver.ts'

const TIMEOUT_MS = 2_000
const TRIES = 2
/** Answers are remembered for less than any time to live that is in use. */
const KEPT_MS = 30_000
const KEPT_MAX = 5_000

export function createVerdictDns({ dnsServers }: { dnsServers: readonly string[] }) {
  const answers = new LRUCache<string, ReturnType<Resolve>>({ max: KEPT_MAX, ttl: KEPT_MS })

  function ask(name: string, type: string, timeMsMax: number): ReturnType<Resolve> {
    const key = `${type} ${name.toLowerCase()}`
    const known = answers.get(key)
    if (known !== undefined) return known
    const asking = withResolver({ dnsServers, timeoutMs: TIMEOUT_MS, tries: TRIES, timeMsMax }, (resolver) =>
      askServers(resolver, (each) => each.resolve(name, type) as ReturnType<Resolve>),
    )
    answers.set(key, asking)
    asking.catch((error) => {
      if (!isAbsence(error)) answers.delete(key)
    })
    return asking
  }

  return {
    /** For one message: after this time nothing is asked, and what was asked is answered with a failure. */
    during(timeMsMax: number): Resolve {
      const endsAtMs = performance.now() + timeMsMax
      return async (name, type) => {
        const leftMs = Math.floor(endsAtMs - performance.now())
        if (leftMs <= 0) throw Object.assign(new Error('The DNS did not answer in time'), { code: 'ETIMEOUT' })
        return ask(name, type, leftMs)
      }
    },
  }
}
