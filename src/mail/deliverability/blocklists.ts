// What a blocklist says of the addresses from which mail leaves (RFC 5782).
import { about, type Finding } from '../../lib/deliverability/findings.ts'
import type { RecordAnswer } from '../../lib/domains/domain-records.ts'
import { listed, RESOLVERS, reasonOf, valuesOf } from './hostnames.ts'

/** `reason`: the TXT record of the entry. */
export type ListAnswer = { address: string; answer: RecordAnswer; reason: RecordAnswer }

export function judgeBlocklist(zone: string, answers: readonly ListAnswer[]): Finding {
  const { ok, problem, unknown } = about('blocklist', zone)
  const entries = answers.map((each) => ({ ...each, verdict: verdictOf(each.answer) }))
  const found = entries.filter(({ verdict }) => verdict === 'listed')
  const [first] = found
  if (first !== undefined)
    return problem(
      `It lists ${listed(found.map(({ address }) => address))}${reasonGiven(first.reason)}`,
      'Find out why and stop it, then ask the list to remove the address; its website says how.',
    )
  if (entries.some(({ verdict }) => verdict === 'refused'))
    return unknown(
      'It refuses to answer your resolver, as lists do with large public ones.',
      'Ask through a resolver of your own (DNS_SERVERS), or by the host name that the list gave you.',
    )
  const nonsense = entries.find(({ verdict }) => verdict === 'nonsense')
  if (nonsense !== undefined)
    return unknown(
      `It answers ${listed(valuesOf(nonsense.answer))}, which is no answer of a list.`,
      'It may have closed: remove it from DNSBL_ZONES.',
    )
  const silent = entries.find(({ verdict }) => verdict === 'silent')
  if (silent !== undefined) return unknown(`It did not answer: ${reasonOf(silent.answer)}.`, RESOLVERS)
  return ok(`It does not list ${listed(answers.map(({ address }) => address))}.`)
}

type Verdict = 'listed' | 'refused' | 'nonsense' | 'silent' | 'absent'

/** Entries are addresses in 127.0.0.0/8 (section 2.1). Some lists say in the same way that they refuse to answer. */
function verdictOf(answer: RecordAnswer): Verdict {
  if (answer.kind === 'unanswered') return 'silent'
  const values = valuesOf(answer)
  if (values.length === 0) return 'absent'
  if (values.some((value) => value.startsWith('127.255.255.') || value === '127.0.0.1')) return 'refused'
  return values.some((value) => value.startsWith('127.')) ? 'listed' : 'nonsense'
}

/** Lists give a sentence, or the address of a page. */
const REASON_LENGTH_MAX = 200

function reasonGiven(answer: RecordAnswer): string {
  const [text] = valuesOf(answer)
  return text === undefined ? '.' : `: "${text.slice(0, REASON_LENGTH_MAX)}"`
}
