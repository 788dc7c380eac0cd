// Which links of an email are followed through the tracking host.
import type { HtmlStartTag } from '../html/html-tokens.ts'

export type LinkRules = {
  /** What unsubscribes or is tracked already: links that begin with one of these stay as they are. */
  untrackedPrefixes: readonly string[]
  /** The links of the header List-Unsubscribe, in the form in which links are compared. */
  unsubscribeLinks: ReadonlySet<string>
}

/** An attribute of a link that the sender does not want to be tracked. */
export const UNTRACKED_ATTRIBUTE = 'data-posthaste-untracked'

/** Where the link of this tag leads, as it is written but decoded, and its place. Null if it stays as it is. */
export function trackableLink(
  { name, attributes }: HtmlStartTag,
  { untrackedPrefixes, unsubscribeLinks }: LinkRules,
): { target: string; start: number; end: number } | null {
  if (name !== 'a' && name !== 'area') return null
  const href = attributes.find((attribute) => attribute.name === 'href')
  if (!href || attributes.some((attribute) => attribute.name === UNTRACKED_ATTRIBUTE)) return null
  const target = trimmed(href.value)
  // Neither mailto: nor tel:, nor an address within the mail. A placeholder is filled in by another program.
  if (!/^https?:\/\//i.test(target) || target.includes('{{') || !URL.canParse(target)) return null
  const compared = comparedUrl(target)
  if (unsubscribeLinks.has(compared) || untrackedPrefixes.some((prefix) => compared.startsWith(prefix))) return null
  return { target, start: href.valueStart, end: href.valueEnd }
}

/** The links of a List-Unsubscribe header (RFC 2369, section 3.2). Each is in angle brackets, so a comma in it divides nothing. */
export function unsubscribeLinksOf(header: string | undefined): ReadonlySet<string> {
  const text = header ?? ''
  const inBrackets = [...text.matchAll(/<([^<>]*)>/g)].map(([, link = '']) => link)
  const links = inBrackets.length > 0 ? inBrackets : text.split(',')
  // White space in a link comes from folding.
  return new Set(links.map((link) => comparedUrl(link.replace(/\s+/g, ''))))
}

/** Two links that lead to the same page become equal: a host in other case, a default port, escapes of the URL, and a fragment make no difference. */
function comparedUrl(link: string): string {
  if (!URL.canParse(link)) return link
  const url = new URL(link)
  url.hash = ''
  return url.href
}

/** Without the spaces and control characters around it, which browsers leave out too (WHATWG URL, section 4.4). */
function trimmed(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && text.charCodeAt(start) <= SPACE) start += 1
  while (end > start && text.charCodeAt(end - 1) <= SPACE) end -= 1
  return text.slice(start, end)
}

const SPACE = 0x20
