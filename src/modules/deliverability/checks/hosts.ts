// Whether the names and addresses of this server lead to each other, which receivers demand (RFC 1912, section 2.1).

import type { RecordAnswer } from '../../../mail/record-types.ts'
import { about, type Finding, isPublic, isSameAddress } from '../findings.ts'
import type { ResolverAnswer } from '../probes.client.ts'

export type HostAnswers = { a: RecordAnswer; aaaa: RecordAnswer; alias: RecordAnswer }

/** @param allowsPrivate on a network of the owner's, every address will do. */
export function checkHostname(hostname: string, { a, aaaa, alias }: HostAnswers, allowsPrivate: boolean): Finding {
  const { ok, warning, problem, unknown } = about('hostname', hostname)
  const addresses = valuesOf(a, aaaa)
  const silent = [a, aaaa].find((answer) => answer.kind === 'unanswered')
  if (addresses.length === 0 && silent !== undefined)
    return unknown(`Its addresses could not be looked up: ${answerReason(silent)}.`, RESOLVERS)
  if (addresses.length === 0)
    return problem(
      'It has no address in the DNS, so servers cannot tell whose name EHLO gives.',
      'Publish an A record (and AAAA, if the machine has IPv6) that points to the address from which mail leaves; `posthaste dns` shows it.',
    )
  const unreachable = addresses.filter((address) => !isPublic(address))
  if (unreachable.length > 0 && !allowsPrivate)
    return problem(
      `It points to ${listed(unreachable)}, which the internet cannot reach.`,
      'Point its A and AAAA records to public addresses only.',
    )
  const [target] = valuesOf(alias)
  if (target !== undefined)
    return warning(
      `It is an alias (CNAME) of ${target}, which the name of a mail server may not be (RFC 2181, section 10.3).`,
      'Give it A and AAAA records of its own.',
    )
  return ok(`It points to ${listed(addresses)}.`)
}

export type ReverseAnswers = { ptr: RecordAnswer; forward: { name: string; answer: RecordAnswer }[] }

/**
 * Whether an address has a name, and that name the address.
 *
 * @param hostname the name in EHLO, which should be the same; null if a relay gives its own.
 */
export function checkReverse(address: string, { ptr, forward }: ReverseAnswers, hostname: string | null): Finding {
  const { ok, warning, problem, unknown } = about('reverse', address)
  const names = valuesOf(ptr)
  const rightName = hostname ?? 'the name of its server'
  if (ptr.kind === 'unanswered') return unknown(`Its name (PTR) could not be looked up: ${ptr.reason}.`, RESOLVERS)
  if (names.length === 0)
    return problem(
      'It has no name (PTR record), so many servers refuse its mail.',
      `Ask the provider of the address to set its reverse DNS to ${rightName}.`,
    )
  const leadsBack = ({ answer }: { answer: RecordAnswer }) => valuesOf(answer).some((each) => isSameAddress(each, address))
  const confirmed = forward.filter(leadsBack).map(({ name }) => name)
  const silent = forward.find(({ answer }) => answer.kind === 'unanswered')
  if (confirmed.length === 0 && silent !== undefined)
    return unknown(`It has the name ${silent.name}, whose addresses could not be looked up: ${answerReason(silent.answer)}.`, RESOLVERS)
  if (confirmed.length === 0)
    return problem(
      `It has the name ${listed(names)}, which does not point back to it.`,
      `Publish an address record of that name for ${address}, or have its reverse DNS set to ${rightName}.`,
    )
  if (hostname !== null && !confirmed.includes(hostname))
    return warning(
      `It has the name ${listed(confirmed)}, and the server calls itself ${hostname}.`,
      `Have its reverse DNS set to ${hostname}, or set MAIL_HOSTNAME to ${confirmed[0]}.`,
    )
  return ok(`Its name is ${listed(confirmed)}, which points back to it.`)
}

/** All values of answers that have some. */
export const valuesOf = (...answers: RecordAnswer[]): string[] =>
  answers.flatMap((answer) => (answer.kind === 'records' ? answer.values : []))

export const answerReason = (answer: RecordAnswer): string => (answer.kind === 'unanswered' ? answer.reason : 'there is no record')

/** What to do when there was no answer. */
export const RESOLVERS = 'Run the check again; if they still do not answer, look at the resolvers of DNS_SERVERS.'

/** Enough to recognize them. */
const LISTED_MAX = 4

export const listed = (values: readonly string[]): string =>
  values.length <= LISTED_MAX
    ? values.join(', ')
    : `${values.slice(0, LISTED_MAX).join(', ')} and ${(values.length - LISTED_MAX).toLocaleString('en')} more`

// What a blocklist says of the addresses from which mail leaves (RFC 5782).

/** `reason`: the TXT record of the entry. */
export type ListAnswer = { address: string; answer: RecordAnswer; reason: RecordAnswer }

export function checkBlocklist(zone: string, answers: readonly ListAnswer[]): Finding {
  const { ok, problem, unknown } = about('blocklist', zone)
  const entries = answers.map((each) => ({ ...each, verdict: listingVerdict(each.answer) }))
  const found = entries.filter(({ verdict }) => verdict === 'listed')
  const [first] = found
  if (first !== undefined)
    return problem(
      `It lists ${listed(found.map(({ address }) => address))}${quotedReason(first.reason)}`,
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
      `It answers ${listed(valuesOf(nonsense.answer))}, which is not the answer of a blocklist.`,
      'It may have closed: remove it from DNSBL_ZONES.',
    )
  const silent = entries.find(({ verdict }) => verdict === 'silent')
  if (silent !== undefined) return unknown(`It did not answer: ${answerReason(silent.answer)}.`, RESOLVERS)
  return ok(`It does not list ${listed(answers.map(({ address }) => address))}.`)
}

type Verdict = 'listed' | 'refused' | 'nonsense' | 'silent' | 'absent'

/** Entries are addresses in 127.0.0.0/8 (section 2.1). Some lists say in the same way that they refuse to answer. */
function listingVerdict(answer: RecordAnswer): Verdict {
  if (answer.kind === 'unanswered') return 'silent'
  const values = valuesOf(answer)
  if (values.length === 0) return 'absent'
  if (values.some((value) => value.startsWith('127.255.255.') || value === '127.0.0.1')) return 'refused'
  return values.some((value) => value.startsWith('127.')) ? 'listed' : 'nonsense'
}

/** Lists give a sentence, or the address of a page. */
const REASON_LENGTH_MAX = 200

function quotedReason(answer: RecordAnswer): string {
  const [text] = valuesOf(answer)
  return text === undefined ? '.' : `: "${text.slice(0, REASON_LENGTH_MAX)}"`
}

/** How far ahead this machine's clock is of another; null if the other did not tell. */
export type ClockOffset = { source: string; offsetMs: number | null }

/** Signatures with a time, and mail with a date, are judged by receivers whose clocks are right. */
const OFF_MS_MAX = 60_000
const FAR_OFF_MS = 5 * 60_000

/** Judges by the clock that differs most. */
export function checkClock(offsets: readonly ClockOffset[]): Finding {
  const { ok, warning, problem, unknown } = about('clock', 'this machine')
  const known = offsets.flatMap(({ source, offsetMs }) => (offsetMs === null ? [] : [{ source, offsetMs }]))
  const [furthest] = known.toSorted((one, other) => Math.abs(other.offsetMs) - Math.abs(one.offsetMs))
  if (furthest === undefined)
    return unknown('There was no other clock to compare with.', 'Check by hand that the clock is synchronized (`timedatectl`).')
  const seconds = Math.round(Math.abs(furthest.offsetMs) / 1_000)
  if (seconds * 1_000 <= OFF_MS_MAX)
    return ok(`It agrees with ${known.map(({ source }) => source).join(' and ')} to within ${seconds + 1} s.`)
  const found = `It is ${seconds.toLocaleString('en')} s ${furthest.offsetMs > 0 ? 'ahead of' : 'behind'} ${furthest.source}.`
  const advice = 'Synchronize the clock by NTP, for example with `timedatectl set-ntp true`.'
  return seconds * 1_000 > FAR_OFF_MS ? problem(found, advice) : warning(found, advice)
}

/** That a name does not exist is an answer, too. */
export function checkResolver({ server, answer }: ResolverAnswer): Finding {
  const { ok, unknown } = about('resolver', server)
  if (answer.kind !== 'unanswered') return ok('It answers.')
  return unknown(`It does not answer: ${answer.reason}.`, 'Start it, or name resolvers that answer in DNS_SERVERS.')
}
