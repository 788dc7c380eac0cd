// Which links of an email are followed through the tracking host.

import { assertMainThreadWork } from '../../lib/main-thread.ts'
import { type HtmlStartTag, readLongHtml } from '../../mail/html/html-tokens.ts'

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
export function findUnsubscribeLinks(header: string | undefined): ReadonlySet<string> {
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

// Puts tracked links and an image into the HTML of an email. Everything else stays as it was, to the byte.

/** Where the HTML can be changed. It is the same for every recipient of an email. */
export type TrackablePlaces = {
  /** The links, in the order of the document. They do not overlap. */
  links: { target: string; start: number; end: number }[]
  /** Where the image goes: at the end of the body. */
  imageAt: number
}

declare module '../../mail/text-tasks.ts' {
  interface TextTasks {
    trackablePlaces: { given: { html: string; rules: LinkRules }; result: TrackablePlaces }
    /** `links`: what takes the place of each link, or null. */
    trackedHtml: { given: { html: string; places: TrackablePlaces; links: (string | null)[]; atEnd: string }; result: string }
  }
}

export type Tracked = {
  /** What takes the place of a link. Null if it stays as it is. */
  linkTo: (target: string) => string | null
  /** Elements to add at the end of the body. */
  atEnd: string
}

/** More than any email that people write has. Further links stay as they are, so that a message grows by a few megabytes at most. */
export const TRACKED_LINKS_MAX = 2_000

/** In time that is linear in the length of the HTML, with room for other work in between. */
export async function findTrackablePlaces(html: string, rules: LinkRules): Promise<TrackablePlaces> {
  const links: TrackablePlaces['links'] = []
  let bodyEnd = -1
  let htmlEnd = -1
  await readLongHtml(html, {
    startTag(tag) {
      const link = links.length < TRACKED_LINKS_MAX ? trackableLink(tag, rules) : null
      if (link) links.push(link)
    },
    endTag(name, start) {
      if (name === 'body') bodyEnd = start
      if (name === 'html') htmlEnd = start
    },
  })
  return { links, imageAt: bodyEnd >= 0 ? bodyEnd : htmlEnd >= 0 ? htmlEnd : html.length }
}

export function trackedHtml(html: string, { links, imageAt }: TrackablePlaces, { linkTo, atEnd }: Tracked): string {
  assertMainThreadWork(html)
  const changes = links.map(({ target, start, end }) => ({ start, end, text: linkTo(target) }))
  const inOrder = [...changes, { start: imageAt, end: imageAt, text: atEnd }].toSorted((a, b) => a.start - b.start)
  const parts: string[] = []
  let copied = 0
  for (const { start, end, text } of inOrder) {
    if (text === null) continue
    parts.push(html.slice(copied, start), text)
    copied = end
  }
  parts.push(html.slice(copied))
  return parts.join('')
}
