/** Replaces each `cid:` (RFC 2392) in a text of HTML or CSS by the address that `addressOf` returns. An unknown id stays unchanged. */
export function withImageAddresses(text: string, addressOf: (contentId: string) => string | null): string {
  return text.replace(CID, (whole, id: string) => addressOf(contentIdOf(id)) ?? whole)
}

/** Longer than any accepted id, even if all of it is percent-encoded. */
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
