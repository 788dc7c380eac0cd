// Headers in which a server says what it found in a message, or how the message reached it. Mail programs and filters trust them, so no client writes them.

/** Whether a header claims the judgement or the handling of a server. Names are compared in any case. */
export function isReservedVerdictHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return CLAIMS.has(lower) || CLAIM_PREFIXES.some((prefix) => lower.startsWith(prefix))
}

const CLAIMS: ReadonlySet<string> = new Set([
  // RFC 8601 and 7208, and what servers make of a header that they replace.
  'authentication-results',
  'authentication-results-original',
  'received-spf',
  'x-authentication-results',
  'x-authentication-warning',
  'x-received-spf',
  // Where the message ends, and the way that it took.
  'return-path',
  'delivered-to',
  'x-delivered-to',
  'x-original-to',
  'envelope-to',
  'x-received',
  'x-originating-ip',
  // What filters found.
  'x-spam',
  'x-virus-scanned',
  'x-virus-status',
])

const CLAIM_PREFIXES = [
  'arc-',
  'x-spam-',
  'x-spamd-',
  'x-rspamd-',
  // Gmail.
  'x-gm-',
  'x-google-',
  // Exchange and Outlook.
  'x-ms-exchange-',
  'x-forefront-',
  'x-microsoft-antispam',
  'x-ms-tnef-',
  'x-exchange-antispam',
]
