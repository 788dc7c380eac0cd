/**
 * A message has each of these fields at most once (RFC 5322, section 3.6; RFC 2045, section 3). Readers differ in which of several they show, and a
 * signature may cover another.
 */
export const SINGLE_FIELDS = [
  ...['From', 'To', 'Cc', 'Reply-To', 'Subject', 'Date', 'In-Reply-To', 'References'],
  ...['MIME-Version', 'Content-Type', 'Content-Transfer-Encoding', 'Content-Disposition', 'Content-ID'],
] as const
