// DNS records as the lines of a zone file (RFC 1035, section 5.1), which most DNS hosts import.
import { isNeeded, quotedStrings } from './wanted-records.ts'

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

type DomainRecord = Parameters<typeof isNeeded>[0] & Omit<ZoneRecord, 'value'> & { value: string; priority: number | null }

/** The lines of a domain, those of its recommended records too. */
export const domainZoneLines = (records: readonly DomainRecord[]): string[] =>
  zoneLines(records.filter(isNeeded).map((record) => ({ ...record, value: publishedValue(record) })))

/** As it is published: that of an MX record with its priority. */
export const publishedValue = ({ priority, value }: { priority: number | null; value: string }): string =>
  priority === null ? value : `${priority} ${value}`
