// Whether the names and addresses of this server lead to each other, which receivers demand (RFC 1912, section 2.1).
import { isPublic, isSameAddress } from '../../lib/deliverability/addresses.ts'
import { about, type Finding } from '../../lib/deliverability/findings.ts'
import type { RecordAnswer } from '../../lib/domains/domain-records.ts'

export type HostAnswers = { a: RecordAnswer; aaaa: RecordAnswer; alias: RecordAnswer }

/** @param allowsPrivate on a network of the owner's, every address will do. */
export function judgeHostname(hostname: string, { a, aaaa, alias }: HostAnswers, allowsPrivate: boolean): Finding {
  const { ok, warning, problem, unknown } = about('hostname', hostname)
  const addresses = valuesOf(a, aaaa)
  const silent = [a, aaaa].find((answer) => answer.kind === 'unanswered')
  if (addresses.length === 0 && silent !== undefined)
    return unknown(`Its addresses could not be looked up: ${reasonOf(silent)}.`, RESOLVERS)
  if (addresses.length === 0)
    return problem(
      'It has no address in the DNS, so servers cannot tell whose name EHLO gives.',
      'Publish an A record (and AAAA, if the machine has IPv6) that leads to the address from which mail leaves; `posthaste dns` shows it.',
    )
  const unreachable = addresses.filter((address) => !isPublic(address))
  if (unreachable.length > 0 && !allowsPrivate)
    return problem(
      `It leads to ${listed(unreachable)}, which the internet cannot reach.`,
      'Let its A and AAAA records lead to public addresses only.',
    )
  const [target] = valuesOf(alias)
  if (target !== undefined)
    return warning(
      `It is an alias (CNAME) of ${target}, which the name of a mail server may not be (RFC 2181, section 10.3).`,
      'Give it A and AAAA records of its own.',
    )
  return ok(`It leads to ${listed(addresses)}.`)
}

export type ReverseAnswers = { ptr: RecordAnswer; forward: { name: string; answer: RecordAnswer }[] }

/**
 * Whether an address has a name, and that name the address.
 *
 * @param hostname the name in EHLO, which should be the same; null if a relay gives its own.
 */
export function judgeReverse(address: string, { ptr, forward }: ReverseAnswers, hostname: string | null): Finding {
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
    return unknown(`It has the name ${silent.name}, whose addresses could not be looked up: ${reasonOf(silent.answer)}.`, RESOLVERS)
  if (confirmed.length === 0)
    return problem(
      `It has the name ${listed(names)}, which does not lead back to it.`,
      `Publish an address record of that name for ${address}, or have its reverse DNS set to ${rightName}.`,
    )
  if (hostname !== null && !confirmed.includes(hostname))
    return warning(
      `It has the name ${listed(confirmed)}, and the server calls itself ${hostname}.`,
      `Have its reverse DNS set to ${hostname}, or set MAIL_HOSTNAME to ${confirmed[0]}.`,
    )
  return ok(`Its name is ${listed(confirmed)}, which leads back to it.`)
}

/** All values of answers that have some. */
export const valuesOf = (...answers: RecordAnswer[]): string[] =>
  answers.flatMap((answer) => (answer.kind === 'records' ? answer.values : []))

export const reasonOf = (answer: RecordAnswer): string => (answer.kind === 'unanswered' ? answer.reason : 'there is no record')

/** What to do when there was no answer. */
export const RESOLVERS = 'Run the check again; if they still do not answer, look at the resolvers of DNS_SERVERS.'

/** Enough to recognize them. */
const LISTED_MAX = 4

export const listed = (values: readonly string[]): string =>
  values.length <= LISTED_MAX
    ? values.join(', ')
    : `${values.slice(0, LISTED_MAX).join(', ')} and ${(values.length - LISTED_MAX).toLocaleString('en')} more`
