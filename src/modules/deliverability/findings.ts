// What a check of this installation found: one thing that mail needs in order to arrive.
import ipaddr from 'ipaddr.js'
import { terminalText } from '../../lib/startup-problem.ts'

/**
 * The labels of an address in reverse, under which its PTR record (RFC 1035, section 3.5; RFC 3596, section 2.5) and its entries in blocklists
 * (RFC 5782, section 2) are found.
 *
 * @param zone of a blocklist; the DNS's own if absent.
 */
export function reverseName(address: string, zone?: string): string {
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return `${parsed.toByteArray().reverse().join('.')}.${zone ?? 'in-addr.arpa'}`
  const nibbles = parsed.toByteArray().flatMap((byte) => [byte >> 4, byte & 0xf])
  return `${nibbles
    .reverse()
    .map((nibble) => nibble.toString(16))
    .join('.')}.${zone ?? 'ip6.arpa'}`
}

/** However they are written. */
export const isSameAddress = (one: string, other: string): boolean =>
  ipaddr.isValid(one) && ipaddr.isValid(other) && ipaddr.process(one).toNormalizedString() === ipaddr.process(other).toNormalizedString()

export const isIpv6 = (address: string): boolean => ipaddr.process(address).kind() === 'ipv6'

/** Whether a host is an address and no name. */
export const isAddress = (host: string): boolean => ipaddr.isValid(host)

/** Whether the whole internet can reach it. */
export const isPublic = (address: string): boolean => ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast'

/** The worst first. `unknown`: it could not be found out. `skipped`: it does not apply here. */
export const FINDING_STATES = ['problem', 'warning', 'unknown', 'ok', 'skipped'] as const
export type FindingState = (typeof FINDING_STATES)[number]

export const CHECKS = [
  'resolver',
  'hostname',
  'reverse',
  'hello-spf',
  'spf-include',
  'port-25',
  'relay',
  'inbound',
  'certificate',
  'tracking',
  'clock',
  'blocklist',
  'dmarc',
  'receiving',
  'tls-rpt',
  'mta-sts',
] as const
export type CheckName = (typeof CHECKS)[number]

export type Finding = {
  check: CheckName
  /** What was looked at: a name, an address, a list. */
  subject: string
  state: FindingState
  /** One sentence. */
  found: string
  /** One sentence. Null if there is nothing to do. */
  advice: string | null
}

export type DeliverabilityReport = {
  status: Exclude<FindingState, 'skipped'>
  checkedAt: Date
  /** Why little or nothing was checked. */
  note: string | null
  /** The worst first. */
  findings: Finding[]
}

/** Sentences about one thing. They may quote strangers: what a terminal would act on is left out, and what is long is cut. */
export function about(check: CheckName, subject: string) {
  const finding = (state: FindingState, found: string, advice: string | null): Finding => ({
    check,
    subject: quotable(subject),
    state,
    found: quotable(found),
    advice: advice === null ? null : quotable(advice),
  })
  return {
    ok: (found: string) => finding('ok', found, null),
    warning: (found: string, advice: string) => finding('warning', found, advice),
    problem: (found: string, advice: string) => finding('problem', found, advice),
    unknown: (found: string, advice: string) => finding('unknown', found, advice),
    skipped: (found: string, advice: string | null = null) => finding('skipped', found, advice),
  }
}

/** Longer than any sentence of ours with a name of 253 characters in it. */
const SENTENCE_LENGTH_MAX = 600

function quotable(text: string): string {
  const cut = text.length > SENTENCE_LENGTH_MAX ? `${text.slice(0, SENTENCE_LENGTH_MAX - 1)}…` : text
  return terminalText(cut.toWellFormed())
}

/** Sorts findings. Equally bad ones stay in the order in which they were checked. */
export const worstFirst = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted((one, other) => FINDING_STATES.indexOf(one.state) - FINDING_STATES.indexOf(other.state))

export function summarizeFindings(findings: readonly Finding[]): DeliverabilityReport['status'] {
  const [worst] = worstFirst(findings)
  return worst === undefined || worst.state === 'skipped' ? 'ok' : worst.state
}
