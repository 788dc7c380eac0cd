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
