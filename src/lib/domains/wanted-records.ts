// Which DNS records a domain needs. They are computed from its settings and its keys, so that they never disagree with those.
import type { DkimAlgorithm } from '../signing/key-pairs.ts'
import { dkimHost, selectorOf } from './dkim-selectors.ts'
import type { RecordKind, WantedRecord } from './domain-records.ts'
import type { KeyRole } from './key-roles.ts'

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

/** What the records of all domains lead to. */
export type Installation = {
  /** Receives mail, and what bounces. */
  mailHostname: string
  /** The terms that name our senders in an SPF record (RFC 7208, section 5), such as `include:spf.example.net` or `ip4:192.0.2.1`. */
  spfTerms: readonly string[]
  /** Where links and images of tracked emails lead. */
  trackingHost: string
  /** Issues the certificates of tracking hosts. */
  certificateAuthority: string
  /** The selector of the domain's first key. */
  dkimSelector: string
}

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
  'These records lead to localhost, because MAIL_HOSTNAME is not set. Set it on the server before you publish them.'

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
