// The DNS records of a domain: what its owner publishes so that mail from it arrives, and mail to it reaches us.

export const RECORD_STATUSES = ['not_started', 'pending', 'verified', 'failed', 'temporary_failure'] as const
export type RecordStatus = (typeof RECORD_STATUSES)[number]

export const DOMAIN_STATUSES = ['not_started', 'pending', 'verified', 'partially_verified', 'partially_failed', 'failed'] as const
export type DomainStatus = (typeof DOMAIN_STATUSES)[number]

/** What a record is for. `ReturnPathMX` and `SPF` are both shown as SPF, `DKIMEd25519` as DKIM. */
export const RECORD_KINDS = ['ReturnPathMX', 'SPF', 'DKIM', 'DKIMEd25519', 'DMARC', 'Tracking', 'TrackingCAA', 'Receiving'] as const
export type RecordKind = (typeof RECORD_KINDS)[number]

/** A record that has to be published. */
export type WantedRecord = {
  kind: RecordKind
  type: 'MX' | 'TXT' | 'CNAME' | 'CAA'
  /** The whole name, in lower case, without a dot at the end. */
  host: string
  /** MX and CNAME: a host. TXT: the text, in one piece. CAA: `0 issue "letsencrypt.org"`. */
  value: string
  /** Set for an MX record only. Any priority in the DNS is as good. */
  priority: number | null
  /** Advice: the domain is verified without it. */
  isRecommended: boolean
}

/** What the DNS can be asked for. */
export type LookupType = WantedRecord['type'] | 'A' | 'AAAA' | 'PTR' | 'NS'

/** What is published instead of, or as, a record. */
export type RecordAnswer =
  /** In the forms of `WantedRecord`, but MX with the priority: `10 mail.example.com`. If an alias (CNAME) is at the name, those that it leads to. */
  | { kind: 'records'; values: string[] }
  /** There is no record of this type at the name. `alias`: what the alias at the name stands for, which has none either. */
  | { kind: 'absent'; alias?: string }
  /** The resolver did not answer, or with a failure of its own. Says nothing of the record. */
  | { kind: 'unanswered'; reason: string }

/** `other`: something else is published, or something beside it that makes it useless. `unknown`: the resolver did not answer. */
export type RecordVerdict = 'right' | 'absent' | 'other' | 'unknown'

/** What the records of all domains lead to. */
export type Installation = {
  /** Receives mail and bounces. */
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
