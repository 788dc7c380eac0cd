// Puts tracked links and an image into the HTML of an email. Everything else stays as it was, to the byte.
import { assertMainThreadWork } from '../../lib/main-thread.ts'
import { readLongHtml } from '../html/html-tokens.ts'
import { type LinkRules, trackableLink } from './link-rules.ts'

/** Where the HTML can be changed. It is the same for every recipient of an email. */
export type TrackablePlaces = {
  /** The links, in the order of the document. They do not overlap. */
  links: { target: string; start: number; end: number }[]
  /** Where the image goes: at the end of the body. */
  imageAt: number
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
  assertMainThreadWork(html)
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
