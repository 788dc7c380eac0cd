/** A text of HTML or CSS that holds addresses: each `cid:` (RFC 2392) becomes what `addressOf` says. An id that is not there stays as it is. */
export function withImageAddresses(text: string, addressOf: (contentId: string) => string | null): string {
  return text.replace(CID, (whole, id: string) => addressOf(contentIdOf(id)) ?? whole)
}

/** Where an address can begin: at the start, and after a space, a quote, a bracket or a comma. */
const CID = /(?<![^\s"'(,])cid:([^"'\s<>(),]{1,1000})/gi

function contentIdOf(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}
