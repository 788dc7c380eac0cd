// Records as a DNS server reads them (RFC 1035, section 5).
import { quotedStrings } from '../../lib/domains/zone-text.ts'

const TTL_SECONDS = 3_600

export type ZoneRecord = {
  type: 'A' | 'AAAA' | 'PTR' | 'TXT' | 'CNAME' | 'MX' | 'CAA'
  /** The whole name, without a dot at the end. */
  host: string
  /** `10 mail.example.com` of an MX record. Null if it is not known. */
  value: string | null
  /** What it is for. */
  purpose?: string
}

/** A line for each record. One whose value is not known is a comment. */
export const zoneLines = (records: readonly ZoneRecord[]): string[] =>
  records.map(({ type, host, value, purpose }) =>
    value === null
      ? `; ${host}. ${TTL_SECONDS} IN ${type} (not known: ${purpose})`
      : `${host}. ${TTL_SECONDS} IN ${type} ${type === 'TXT' ? quotedStrings(value).join(' ') : ENDS_IN_HOST.includes(type) ? `${value}.` : value}`,
  )

const ENDS_IN_HOST: readonly string[] = ['CNAME', 'PTR', 'MX']
