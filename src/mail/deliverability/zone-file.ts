// Records as a DNS server reads them (RFC 1035, section 5).
import type { InstallationRecord } from './installation-records.ts'

const TTL_SECONDS = 3_600

/** A line for each record. One whose value is not known is a comment. */
export const zoneLines = (records: readonly InstallationRecord[]): string[] =>
  records.map(({ type, host, value, purpose }) =>
    value === null
      ? `; ${host}. ${TTL_SECONDS} IN ${type} (not known: ${purpose})`
      : `${host}. ${TTL_SECONDS} IN ${type} ${type === 'TXT' ? quoted(value) : type === 'CNAME' || type === 'PTR' ? `${value}.` : value}`,
  )

/** A text is cut into strings of at most 255 octets (section 3.3). Ours are ASCII. */
const quoted = (text: string): string => (text.match(/.{1,255}/gs) ?? ['']).map((part) => `"${part.replace(/["\\]/g, '\\$&')}"`).join(' ')
