// The keys with which reports are signed, as the DNS has them. What was asked is remembered for minutes, so that a domain that does not answer costs
// one question, and a feedback loop that sends thousands of reports too.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { createExpiringCache } from '../../lib/expiring-cache.ts'
import { registrableDomain } from '../../mail/domains/domain-names.ts'
import { keyNameOf, type Signer } from '../../mail/reports/report-sender.ts'

/** TXT records by the names of the keys. `areAll` is false while the DNS has not answered for one, or others ask too much at once. */
export type FoundKeys = { found: Record<string, string[]>; areAll: boolean }

export type SignatureKeys = {
  /** Never fails. Ends early with the signal. */
  of(signers: readonly Signer[], signal?: AbortSignal): Promise<FoundKeys>
}

/** The limit for all keys of a report. */
const KEYS_MS_MAX = 10_000

/** A domain that never answers must leave places to the others. */
const ASKED_AT_ONCE = { all: 20, perOrganization: 5 }

/** A resolver that failed has recovered, and a key that was replaced is seen. */
const REMEMBERED_MS = { answered: 60_000, unanswered: 120_000 }
const REMEMBERED_MAX = 5_000

type Answer = { values: string[] } | 'unanswered'

export function createSignatureKeys({ dns, clock }: { dns: Context['gateways']['domainDns']; clock: Context['clock'] }): SignatureKeys {
  const remembered = createExpiringCache<Answer>({ entriesMax: REMEMBERED_MAX, clock })
  const asking = new Map<string, Promise<Answer>>()
  const askedBy = new Map<string, number>()

  function answerFor(signer: Signer): Promise<Answer> | Answer {
    const name = keyNameOf(signer)
    const known = remembered.get(name) ?? asking.get(name)
    if (known !== undefined) return known
    const organization = registrableDomain(signer.domain) ?? signer.domain
    const askedAlready = askedBy.get(organization) ?? 0
    if (asking.size >= ASKED_AT_ONCE.all || askedAlready >= ASKED_AT_ONCE.perOrganization) return 'unanswered'
    askedBy.set(organization, askedAlready + 1)
    const answer = ask(name).finally(() => {
      asking.delete(name)
      const left = (askedBy.get(organization) ?? 1) - 1
      if (left === 0) askedBy.delete(organization)
      else askedBy.set(organization, left)
    })
    asking.set(name, answer)
    return answer
  }

  async function ask(name: string): Promise<Answer> {
    const reply = await dns.ask(name, 'TXT', 'complaints')
    const answer = reply.kind === 'unanswered' ? 'unanswered' : { values: reply.kind === 'records' ? reply.values : [] }
    remembered.set(name, answer, answer === 'unanswered' ? REMEMBERED_MS.unanswered : REMEMBERED_MS.answered)
    return answer
  }

  return {
    async of(signers, signal) {
      const keys: FoundKeys = { found: {}, areAll: true }
      const ending = new AbortController()
      const signals = [ending.signal, ...(signal ? [signal] : [])]
      const tooLate = sleep(KEYS_MS_MAX, 'unanswered' as const, { signal: AbortSignal.any(signals), ref: false }).catch(
        () => 'unanswered' as const,
      )
      await Promise.all(
        signers.map(async (signer) => {
          const answer = await Promise.race([answerFor(signer), tooLate])
          if (answer === 'unanswered') keys.areAll = false
          else if (answer.values.length > 0) keys.found[keyNameOf(signer)] = answer.values
        }),
      )
      ending.abort()
      return keys
    },
  }
}
