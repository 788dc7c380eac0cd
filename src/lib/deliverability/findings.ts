// What a check of this installation found: one thing that mail needs in order to arrive.
import { terminalText } from '../terminal-text.ts'

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

export function statusOf(findings: readonly Finding[]): DeliverabilityReport['status'] {
  const [worst] = worstFirst(findings)
  return worst === undefined || worst.state === 'skipped' ? 'ok' : worst.state
}
