// Which DNS records a domain needs. They are computed from its settings and its keys, so that they never disagree with those.

import { DAY_MS } from '../../../lib/clock.ts'
import { DKIM_ALGORITHMS, type DkimAlgorithm } from '../../../lib/crypto/keys.ts'
import type { Installation, RecordKind, WantedRecord } from '../../../mail/record-types.ts'

// The names of keys in the DNS: `ph1` of ph1._domainkey.example.com (RFC 6376, section 3.1).

const PREFIX = 'ph'
const NUMBERED = /^ph([1-9]\d{0,5})$/

/** A domain's first key has the selector `first`. Later ones are numbered, so that a new key has a new record. */
export function nextSelector(taken: readonly string[], first: string): string {
  if (taken.length === 0) return first
  const numbers = taken.map((selector) => Number(NUMBERED.exec(selector)?.[1] ?? 0))
  return `${PREFIX}${Math.max(1, ...numbers) + 1}`
}

/** Returns one selector for each new key. */
export function nextSelectors(taken: readonly string[], count: number, first: string): string[] {
  const selectors: string[] = []
  while (selectors.length < count) selectors.push(nextSelector([...taken, ...selectors], first))
  return selectors
}

const SUFFIX = '._domainkey.'

export const dkimHost = (selector: string, domain: string): string => `${selector}${SUFFIX}${domain}`

/** Empty if the host is not that of a key. */
export const selectorOf = (host: string): string => host.slice(0, Math.max(0, host.indexOf(SUFFIX)))

// What the keys of a domain are for. For each algorithm one signs; while keys are rotated, the next one waits for its record to be seen.

/** `signing`: also the first key, which signs once its record is seen. `retired`: mail that it signed is still being verified. */
export type KeyRole = 'signing' | 'next' | 'retired'

export type KeyHistory = { algorithm: DkimAlgorithm; seenAt: Date | null; retiredAt: Date | null }

/** How long the record of a retired key is still needed. Mail waits in queues for some days, and is verified again when it is forwarded. */
export const RETIRED_KEY_DAYS = 7
const RETIRED_KEY_MS = RETIRED_KEY_DAYS * DAY_MS

/** When the record of a key that was retired at this time is no longer needed. */
export const neededUntil = (retiredAt: Date): Date => new Date(retiredAt.getTime() + RETIRED_KEY_MS)

/** The records of keys that were retired before this time are no longer needed. */
export const retiredBefore = (now: Date): Date => new Date(now.getTime() - RETIRED_KEY_MS)

/** The keys that sign, RSA first, then the next and then the retired ones. Takes them newest first. */
export function withRoles<Key extends KeyHistory>(keys: readonly Key[]): (Key & { role: KeyRole })[] {
  const ofAlgorithms = DKIM_ALGORITHMS.flatMap((algorithm) => assignRoles(keys.filter((key) => key.algorithm === algorithm)))
  return ROLES.flatMap((role) => ofAlgorithms.filter((key) => key.role === role))
}

function assignRoles<Key extends KeyHistory>(keys: Key[]): (Key & { role: KeyRole })[] {
  const current = keys.filter(({ retiredAt }) => retiredAt === null)
  const signing = current.find(({ seenAt }) => seenAt !== null) ?? current[0]
  const isNext = (key: Key) => key.retiredAt === null && key.seenAt === null
  return keys.map((key) => ({ ...key, role: key === signing ? 'signing' : isNext(key) ? 'next' : 'retired' }))
}

const ROLES: readonly KeyRole[] = ['signing', 'next', 'retired']

export type DomainSettings = {
  name: string
  /** The registered domain that it is, or is under. */
  root: string
  returnPath: string
  trackingSubdomain: string | null
  sending: boolean
  receiving: boolean
}

/** A key whose record is to be published. */
export type PublishedKey = { selector: string; algorithm: DkimAlgorithm; publicKey: string; role: KeyRole }

const MX_PRIORITY = 10

/** The host of the envelope's sender, to which bounces return. */
export const returnPathHost = ({ name, returnPath }: Pick<DomainSettings, 'name' | 'returnPath'>): string => `${returnPath}.${name}`

/** The records, in the order in which they are shown. */
export function wantedRecords(domain: DomainSettings, keys: readonly PublishedKey[], installation: Installation): WantedRecord[] {
  const { name, root, trackingSubdomain, sending, receiving } = domain
  const text = { type: 'TXT', priority: null, isRecommended: false } as const
  const mx = { type: 'MX', priority: MX_PRIORITY, isRecommended: false, value: installation.mailHostname } as const
  const records: WantedRecord[] = []
  if (sending) {
    const host = returnPathHost(domain)
    records.push({ ...mx, kind: 'ReturnPathMX', host })
    records.push({ ...text, kind: 'SPF', host, value: `v=spf1 ${installation.spfTerms.join(' ')} ~all` })
  }
  // Receiving needs one too: it is the only record that no other team could have asked for.
  for (const { selector, algorithm, publicKey, role } of keys) {
    const isRsa = algorithm === 'rsa-sha256'
    if (!sending && !(receiving && isRsa)) continue
    records.push({
      ...text,
      kind: isRsa ? 'DKIM' : 'DKIMEd25519',
      host: dkimHost(selector, name),
      value: `v=DKIM1; k=${isRsa ? 'rsa' : 'ed25519'}; p=${publicKey}`,
      isRecommended: !isRsa || role !== 'signing',
    })
  }
  if (trackingSubdomain !== null) {
    const common = { priority: null, isRecommended: false } as const
    records.push({ ...common, kind: 'Tracking', type: 'CNAME', host: `${trackingSubdomain}.${name}`, value: installation.trackingHost })
    records.push({ ...common, kind: 'TrackingCAA', type: 'CAA', host: root, value: `0 issue "${installation.certificateAuthority}"` })
  }
  if (receiving) records.push({ ...mx, kind: 'Receiving', host: name })
  // Subdomains without a policy of their own have that of the registered domain (RFC 7489, section 6.6.3).
  if (sending) records.push({ ...text, kind: 'DMARC', host: `_dmarc.${root}`, value: 'v=DMARC1; p=none;', isRecommended: true })
  return records
}

/** Without CAA records every authority may issue certificates, so only those that exclude ours make another one necessary (RFC 8659, section 3). */
export const isNeeded = ({ kind, found }: { kind: RecordKind; found: readonly string[] }): boolean =>
  kind !== 'TrackingCAA' || found.length > 0

/** Whether it is the record of a key. There are several while keys are rotated. */
export const isKeyRecord = ({ kind }: Pick<WantedRecord, 'kind'>): boolean => kind === 'DKIM' || kind === 'DKIMEd25519'

/** Empty unless it is the record of a key. */
export const selectorOfRecord = (record: Pick<WantedRecord, 'kind' | 'host'>): string =>
  isKeyRecord(record) ? selectorOf(record.host) : ''

/** What tells the records of a domain apart. */
export const recordKey = (record: Pick<WantedRecord, 'kind' | 'host'>): string => `${record.kind} ${selectorOfRecord(record)}`

/** What a record is called on the wire. */
export const SHOWN_AS = {
  ReturnPathMX: 'SPF',
  SPF: 'SPF',
  DKIM: 'DKIM',
  DKIMEd25519: 'DKIM',
  DMARC: 'DMARC',
  Tracking: 'Tracking',
  TrackingCAA: 'TrackingCAA',
  Receiving: 'Receiving',
} as const satisfies Record<RecordKind, string>

/** The kinds as events name them. The official service uses another name for one of them there. */
export const NOTIFIED_AS = { ...SHOWN_AS, Receiving: 'Receiving MX' } as const satisfies Record<RecordKind, string>

/** Said where records are shown that lead nowhere. */
export const LOCAL_RECORDS =
  'These records point to localhost, because MAIL_HOSTNAME is not set. Set it on the server before you publish them.'

export const leadToLocalhost = (records: readonly Pick<WantedRecord, 'type' | 'value'>[]): boolean =>
  records.some(({ type, value }) => type === 'MX' && value === 'localhost')

/**
 * The name of a record within the registered domain, as the forms of registrars take it: `send.mail` for send.mail.example.com, and `@` for
 * example.com itself, because many take an empty field for one that was not filled in, and some add the domain to a whole name again.
 */
export function relativeName(host: string, root: string): string {
  if (host === root) return '@'
  return host.endsWith(`.${root}`) ? host.slice(0, -root.length - 1) : host
}

/**
 * A TXT record as a line of a zone file (RFC 1035, section 5.1). A string of it has at most 255 octets, so a long value is written as several, which
 * resolvers join again.
 */
export const zoneText = (host: string, value: string): string =>
  `${host}. IN TXT (\n${quotedStrings(value)
    .map((text) => `  ${text}`)
    .join('\n')} )`

/** The limit of one string in a TXT record (RFC 1035, section 3.3). */
export const STRING_OCTETS_MAX = 255

/** A value as the strings of a zone file. Those of our records are ASCII. */
export function quotedStrings(value: string): string[] {
  const strings: string[] = []
  for (let at = 0; at < value.length; at += STRING_OCTETS_MAX) strings.push(quoted(value.slice(at, at + STRING_OCTETS_MAX)))
  return strings
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`
