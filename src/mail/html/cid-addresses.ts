/** A text of HTML or CSS that holds addresses: each `cid:` (RFC 2392) becomes what `addressOf` says. An id that is not there stays as it is. */
export function withImageAddresses(text: string, addressOf: (contentId: string) => string | null): string {
  return text.replace(CID, (whole, id: string) => addressOf(contentIdOf(id)) ?? whole)
}

/** No id that is accepted is longer, even when all of it is percent-encoded. */
const ESCAPED_ID_LENGTH_MAX = 1_000

/** Where an address can begin: at the start, and after a space, a quote, a bracket or a comma. */
const CID = new RegExp(String.raw`(?<![^\s"'(,])cid:([^"'\s<>(),]{1,${ESCAPED_ID_LENGTH_MAX}})`, 'gi')

function contentIdOf(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}
