// Whether a message comes from the sender that it names: SPF (RFC 7208), DKIM (RFC 6376), DMARC (RFC 9989) and ARC (RFC 8617), as it was at reception.
import type { Readable } from 'node:stream'
import { type AuthenticateResult, authenticate } from 'mailauth'
import { evaluateDmarc } from 'mailauth/lib/dmarc/index.js'
import { within } from '../../../lib/clock.ts'
import { SINGLE_FIELDS } from '../../../mail/headers.ts'
import type { Verdict, Verdicts } from './sender-verdicts.ts'

// Whether a message may be judged. The library that judges keeps what each signature covers, joins lines in a time that grows with the square of their
// number, and has no limits of its own. Honest messages have a hundred lines, a few kilobytes and three signatures.

/** How much of a head is judged. */
export const AUTHENTICATED_BYTES_MAX = 64 * 1024
export const AUTHENTICATED_LINES_MAX = 2_000
export const AUTHENTICATED_SIGNATURES_MAX = 10
/** Each server that passed the message on may have added one, whose key is looked up. RFC 8617 allows 50; three are many. */
export const AUTHENTICATED_ARC_SETS_MAX = 10

export type AuthenticationChecks = 'wholly' | 'without ARC' | 'not at all'

/** `beginning`: the first bytes of the message, one more than may be authenticated if it has so many. */
export function chooseAuthenticationChecks(beginning: Buffer): AuthenticationChecks {
  let lines = 0
  const counts = new Map<string, number>()
  const isMore = (names: readonly string[], max: number) => names.some((name) => (counts.get(name) ?? 0) > max)
  const scope = () => (isMore(ARC_FIELDS, AUTHENTICATED_ARC_SETS_MAX) ? 'without ARC' : 'wholly')
  for (let at = 0; at < beginning.length; ) {
    const end = beginning.indexOf(LINE_FEED, at)
    const line = beginning.subarray(at, end === -1 ? undefined : end)
    if (line.length === 0 || (line.length === 1 && line[0] === CARRIAGE_RETURN)) return scope()
    const name = FIELDS.find((field) => line.toString('latin1', 0, field.length).toLowerCase() === field)
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1)
    lines += 1
    if (lines > AUTHENTICATED_LINES_MAX || isMore([SIGNATURE], AUTHENTICATED_SIGNATURES_MAX)) return 'not at all'
    if (end === -1) break
    at = end + 1
  }
  return beginning.length > AUTHENTICATED_BYTES_MAX ? 'not at all' : scope()
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SIGNATURE = 'dkim-signature'
const ARC_FIELDS = ['arc-seal', 'arc-message-signature', 'arc-authentication-results']
const FIELDS = [SIGNATURE, ...ARC_FIELDS]

type Headers = AuthenticateResult['dkim']['headers']

/**
 * Whether a field that must be there once is there more often: signatures cover the last, and readers show the first. A line counts as a field if any
 * reader would take it for one. `From` has rules of its own.
 */
export const hasRepeatedFields = (headers: Headers): boolean => {
  const names = (headers?.parsed ?? []).flatMap(({ key, line }) => [key ?? '', ...namesInside(line)])
  const seen = new Set<string>()
  return names.some((name) => {
    const isRepeated = seen.has(name) && SINGLE.has(name)
    seen.add(name)
    return isRepeated
  })
}

const SINGLE: ReadonlySet<string> = new Set(SINGLE_FIELDS.map((name) => name.toLowerCase()).filter((name) => name !== 'from'))

/** The library joins lines that are no fields by the letter to the field above them. Those that read the message take some for fields. */
const namesInside = (line: Buffer): string[] =>
  line
    .toString('latin1')
    .split('\r\n')
    .slice(1)
    .filter((one) => !/^[ \t]/.test(one) && one.includes(':'))
    .map((one) => one.slice(0, one.indexOf(':')).trim().toLowerCase())

export type Origin = { peer: string; helo: string; mailFrom: string }

/** `shownFrom`: the address that readers see as the sender's. */
export type ClaimedOrigin = Origin & { shownFrom: string }

/** As that of Node.js: answers of its form, and errors with its codes. */
export type Resolve = (name: string, type: string) => Promise<string[] | string[][]>

export const FAILED: Verdicts = {
  spf: 'processing_failed',
  dkim: 'processing_failed',
  dmarc: 'processing_failed',
  arc: 'processing_failed',
}

export type AuthenticationOptions = {
  resolve: Resolve
  mailHostname: string
  timeMsMax: number
  /** ARC is `unknown` then. */
  skipsArc: boolean
}

/** Never fails. */
export async function authenticateMessage(
  message: Readable,
  { peer, helo, mailFrom, shownFrom }: ClaimedOrigin,
  { resolve, mailHostname, timeMsMax, skipsArc }: AuthenticationOptions,
): Promise<Verdicts> {
  const dns = watched(resolve)
  const authenticating = authenticate(message, {
    ip: peer,
    helo,
    sender: mailFrom,
    mta: mailHostname,
    resolver: dns.resolver,
    // Follows the RFCs exactly: an error anywhere in an SPF record counts, and so does a malformed ARC set.
    strict: true,
    disableBimi: true,
    disableArc: skipsArc,
  })
    .then((result) => toVerdicts(result, shownFrom, dns))
    .catch(() => null)
  const result = await within(timeMsMax, authenticating, () => null)
  message.destroy()
  if (result === null) return FAILED
  return { ...result, ...(skipsArc && { arc: 'unknown' }) }
}

type Resolver = (name: string, type: string) => Promise<string[][]>
type Dns = {
  resolver: Resolver
  /** Whether the DNS did not say if there is such a record. */
  hasFailed(name: string): boolean
}

function watched(resolve: Resolve): Dns {
  const failed = new Set<string>()
  return {
    async resolver(name, type) {
      try {
        return (await resolve(name, type)) as string[][]
      } catch (error) {
        if (!ABSENCES.includes((error as { code?: unknown }).code)) failed.add(name.toLowerCase())
        throw error
      }
    },
    hasFailed: (name) => failed.has(name.toLowerCase()),
  }
}

const ABSENCES: readonly unknown[] = ['ENOTFOUND', 'ENODATA', 'EBADNAME']

async function toVerdicts({ dmarcSkipReason, arc, ...result }: AuthenticateResult, shownFrom: string, dns: Dns): Promise<Verdicts> {
  const { spf, dkim } = result
  const signatures = await withoutTests(dkim.results, dns)
  const covers = hasRepeatedFields(dkim.headers) ? () => false : coversBody
  const signed = dkimVerdict(signatures, covers)
  const isClear = hasOneAuthor(dmarcSkipReason) && isAuthor(shownFrom, dkim.headerFrom)
  return {
    spf: spf === false ? 'gray' : common(spf.status.result),
    dkim: !isClear && signed === 'pass' ? 'fail' : signed,
    dmarc: isClear ? await dmarcVerdict(result, { signatures, isSigned: signed === 'pass', dns }) : 'fail',
    arc: !arc ? 'gray' : arcVerdict(arc, dns),
  }
}

type Signature = AuthenticateResult['dkim']['results'][number]

/**
 * The signatures of domains that do not only try whether signing works: a message with one of these is like one without (RFC 6376, section 3.6.1),
 * also when the signature does not fit. The library does not look up the key of a signature whose body was changed.
 */
async function withoutTests(signatures: readonly Signature[], dns: Dns): Promise<Signature[]> {
  const tests = await Promise.all(
    signatures.map(
      ({ status, rr, selector, signingDomain }) =>
        status.testing === true ||
        (status.result === 'fail' && rr === undefined ? isTestKey(`${selector}._domainkey.${signingDomain}`, dns) : false),
    ),
  )
  return signatures.filter(({ status }, index) => status.result !== 'none' && tests[index] !== true)
}

async function isTestKey(name: string, { resolver }: Dns): Promise<boolean> {
  const texts = await resolver(name, 'TXT').catch(() => [])
  return texts.some((parts) =>
    parts
      .join('')
      .split(';')
      .map((tag) => tag.split('='))
      .some(([tag, value = '']) => tag?.trim() === 't' && value.split(':').some((flag) => flag.trim() === 'y')),
  )
}

/** With `l=`, anyone can add to the body without breaking the signature (RFC 6376, section 8.2). */
const coversBody = ({ status }: Signature): boolean => (status.underSized ?? 0) === 0

/** One of several senders may have sent the message while the reader sees another. A message without any sender says nothing. */
const hasOneAuthor = (skipReason: AuthenticateResult['dmarcSkipReason']): boolean =>
  skipReason === undefined || skipReason === 'no-author-domain'

/** What is not read alike by those who show a message and those who judge it is not to be trusted. */
const isAuthor = (shownFrom: string, authors: string[]): boolean =>
  authors.length === 0 || authors.some((author) => domainOf(author) === domainOf(shownFrom))

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase()

type DmarcEvidence = {
  signatures: readonly Signature[]
  /** A signature that does not cover what is shown does not show who wrote that. */
  isSigned: boolean
  dns: Dns
}

async function dmarcVerdict(
  { spf, dkim, dmarc }: Pick<AuthenticateResult, 'spf' | 'dkim' | 'dmarc'>,
  { signatures, isSigned, dns }: DmarcEvidence,
): Promise<Verdict> {
  /** Counts these results as a pass. */
  const evaluate = async (...results: string[]) => {
    const { response } = await evaluateDmarc({
      headerFrom: dkim.headerFrom,
      fromFields: dkim.fromFields,
      spfDomains: spf !== false && results.includes(spf.status.result) ? [spf.domain] : [],
      dkimDomains: signatures
        .filter(({ status }) => results.includes(status.result))
        .map(({ signingDomain = '', status }) => ({ domain: signingDomain, underSized: status.underSized ?? 0 })),
      resolver: dns.resolver,
      strict: true,
    })
    return response
  }
  // The library counts signatures of domains that only try whether signing works.
  const evaluated = signatures.length === dkim.results.length ? dmarc : await evaluate('pass')
  if (evaluated === false) return 'gray'
  const { result } = evaluated.status
  if (result === 'pass') return isSigned || evaluated.alignment.spf.result ? 'pass' : 'gray'
  if (result !== 'fail') return common(result)
  // What the DNS did not say could have made it pass. The library takes it for a refusal.
  const possible = await evaluate('pass', 'temperror')
  if (possible !== false && possible.status.result !== 'fail') return 'processing_failed'
  return evaluated.policy === 'none' ? 'gray' : 'fail'
}

/** The library says that a chain has failed also if the DNS did not say whether there is a key. */
function arcVerdict(arc: Exclude<AuthenticateResult['arc'], false>, dns: Dns): Verdict {
  const { chain } = arc as { chain?: ArcSets | false }
  const keys = (chain || []).flatMap((set) => [set['arc-seal'], set['arc-message-signature']]).map(keyName)
  return arc.status.result === 'fail' && keys.some((name) => dns.hasFailed(name)) ? 'processing_failed' : common(arc.status.result)
}

type ArcSets = readonly Partial<Record<'arc-seal' | 'arc-message-signature', ArcField>>[]
type ArcField = { parsed?: { s?: { value?: unknown }; d?: { value?: unknown } } }

const keyName = (field: ArcField | undefined): string => `${field?.parsed?.s?.value}._domainkey.${field?.parsed?.d?.value}`

function common(result: string): Verdict {
  if (result === 'pass' || result === 'fail') return result
  if (result === 'temperror') return 'processing_failed'
  return result === 'permerror' ? 'unknown' : 'gray'
}

/** One signature of the domain of the sender that covers the message is enough. */
function dkimVerdict(signed: readonly Signature[], covers: (signature: Signature) => boolean): Verdict {
  if (signed.some((one) => one.status.result === 'pass' && one.status.aligned && covers(one))) return 'pass'
  if (signed.some(({ status }) => status.result === 'temperror')) return 'processing_failed'
  if (signed.length === 0 || signed.some(({ status }) => status.result === 'pass')) return 'gray'
  return 'fail'
}
