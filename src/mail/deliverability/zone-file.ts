// Records as a DNS server reads them (RFC 1035, section 5).
import { quotedStrings } from '../../lib/domains/zone-text.ts'
import type { InstallationRecord } from './installation-records.ts'

const TTL_SECONDS = 3_600

/** A line for each record. One whose value is not known is a comment. */
export const zoneLines = (records: readonly InstallationRecord[]): string[] =>
  records.map(({ type, host, value, purpose }) =>
    value === null
      ? `; ${host}. ${TTL_SECONDS} IN ${type} (not known: ${purpose})`
      : `${host}. ${TTL_SECONDS} IN ${type} ${type === 'TXT' ? quotedStrings(value).join(' ') : type === 'CNAME' || type === 'PTR' ? `${value}.` : value}`,
  )
