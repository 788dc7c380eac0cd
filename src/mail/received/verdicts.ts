// Whether a message comes from the sender that it names: SPF (RFC 7208), DKIM (RFC 6376), DMARC (RFC 9989) and ARC (RFC 8617), as it was at reception.
import type { Readable } from 'node:stream'
import { type AuthenticateResult, authenticate } from 'mailauth'
import type { Verdict } from '../../lib/inbound/sender-verdicts.ts'
import { hasRepeatedFields } from './repeated-fields.ts'

export type Verdicts = { spf: Verdict; dkim: Verdict; dmarc: Verdict; arc: Verdict }

export type Origin = { peer: string; helo: string; mailFrom: string }

/** `shownFrom`: the address that readers see as the sender's. */
export type Judged = Origin & { shownFrom: string }

/** As that of Node.js: answers of its form, and errors with its codes. */
export type Resolve = (name: string, type: string) => Promise<string[] | string[][]>

export const FAILED: Verdicts = {
  spf: 'processing_failed',
  dkim: 'processing_failed',
  dmarc: 'processing_failed',
  arc: 'processing_failed',
}

export type JudgeOptions = {
  resolve: Resolve
  mailHostname: string
  timeMsMax: number
  /** ARC is `unknown` then. */
  skipsArc: boolean
}

/** Never fails. */
export async function judge(
  message: Readable,
  { peer, helo, mailFrom, shownFrom }: Judged,
  { resolve, mailHostname, timeMsMax, skipsArc }: JudgeOptions,
): Promise<Verdicts> {
  const late = Promise.withResolvers<'late'>()
  const timer = setTimeout(late.resolve, timeMsMax, 'late')
  const judging = authenticate(message, {
    ip: peer,
    helo,
    sender: mailFrom,
    mta: mailHostname,
    resolver: resolve as (name: string, type: string) => Promise<string[][]>,
    rejectRsaSha1: true,
    disableBimi: true,
    disableArc: skipsArc,
  }).catch(() => null)
  const result = await Promise.race([judging, late.promise])
  clearTimeout(timer)
  message.destroy()
  if (result === null || result === 'late') return FAILED
  return { ...verdictsOf(result, shownFrom), ...(skipsArc && { arc: 'unknown' }) }
}

function verdictsOf({ spf, dkim, dmarc, dmarcSkipReason, arc }: AuthenticateResult, shownFrom: string): Verdicts {
  const covers = hasRepeatedFields(dkim.headers) ? () => false : coversBody
  const signed = dkimVerdict(dkim.results, covers)
  const isClear = hasOneAuthor(dmarcSkipReason) && isAuthor(shownFrom, dkim.headerFrom)
  return {
    spf: spf === false ? 'gray' : common(spf.status.result),
    dkim: !isClear && signed === 'pass' ? 'fail' : signed,
    dmarc: isClear ? dmarcVerdict(dmarc, { isSigned: signed === 'pass' }) : 'fail',
    arc: !arc ? 'gray' : common(arc.status.result),
  }
}

type Signature = AuthenticateResult['dkim']['results'][number]

/** With `l=`, anyone can add to the body without breaking the signature (RFC 6376, section 8.2). */
const coversBody = ({ status }: Signature): boolean => (status.underSized ?? 0) === 0

/** One of several senders may have sent the message while the reader sees another. A message without any sender says nothing. */
const hasOneAuthor = (skipReason: AuthenticateResult['dmarcSkipReason']): boolean =>
  skipReason === undefined || skipReason === 'no-author-domain'

/** What is not read alike by those who show a message and those who judge it is not to be trusted. */
const isAuthor = (shownFrom: string, authors: string[]): boolean =>
  authors.length === 0 || authors.some((author) => domainOf(author) === domainOf(shownFrom))

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase()

/** A signature that does not cover what is shown does not show who wrote that. */
function dmarcVerdict(dmarc: AuthenticateResult['dmarc'], { isSigned }: { isSigned: boolean }): Verdict {
  if (dmarc === false) return 'gray'
  const { result } = dmarc.status
  if (result === 'pass') return isSigned || dmarc.alignment.spf.result ? 'pass' : 'gray'
  return result === 'fail' && dmarc.policy === 'none' ? 'gray' : common(result)
}

function common(result: string): Verdict {
  if (result === 'pass' || result === 'fail') return result
  if (result === 'temperror') return 'processing_failed'
  return result === 'permerror' ? 'unknown' : 'gray'
}

/** One signature of the domain of the sender that covers the message is enough. */
function dkimVerdict(results: readonly Signature[], covers: (signature: Signature) => boolean): Verdict {
  const signed = results.filter(({ status }) => status.result !== 'none')
  if (signed.some((one) => one.status.result === 'pass' && one.status.aligned && covers(one))) return 'pass'
  if (signed.some(({ status }) => status.result === 'temperror')) return 'processing_failed'
  if (signed.length === 0 || signed.some(({ status }) => status.result === 'pass')) return 'gray'
  return 'fail'
}
