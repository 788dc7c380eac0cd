// The text and the HTML that a message shows: of alternatives one each, and otherwise all its parts in their order (RFC 2046, section 5.1).
import type { MimeNode } from '@zone-eu/mailsplit'
import { escapeHtml } from '../../../mail/html/html-tokens.ts'
import { textFromHtml } from '../../../mail/html/text-from-html.ts'
import { BODY_BYTES_MAX, type BodyPart } from '../../../mail/mime-parts.ts'

/** A part or several, whose content is there as text, as HTML, or as both. */
type Shown = { text: string | null; html: string | null }

type Placed = { body: BodyPart; text: string; path: MimeNode[] }

/**
 * Each null if the message has no part of the kind. A part of one kind among parts of the other, such as the text that a mailing list adds to HTML, is
 * in both.
 *
 * @param textOf the decoded text of a part
 */
export function shownTexts(bodies: readonly BodyPart[], textOf: (body: BodyPart) => string): Shown & { isCut: boolean } {
  const room = { left: BODY_BYTES_MAX, isCut: false }
  const placed = bodies.map((body) => ({ body, text: textOf(body), path: multipartsAbove(body.node) }))
  return { ...shownAt(placed, 0, room), isCut: room.isCut }
}

/** The outermost first. */
function multipartsAbove(node: MimeNode): MimeNode[] {
  const above: MimeNode[] = []
  for (let parent: MimeNode | false | null | undefined = node.parentNode; parent; parent = parent.parentNode) above.unshift(parent)
  return above
}

/** How much more may be made of parts of the other kind. */
type Room = { left: number; isCut: boolean }

/** @param parts all in the same multipart of that level, or the only one */
function shownAt(parts: readonly Placed[], level: number, room: Room): Shown {
  const [first] = parts
  if (first === undefined) return NOTHING
  const multipart = first.path[level]
  if (multipart === undefined) return first.body.kind === 'html' ? { text: null, html: first.text } : { text: first.text, html: null }
  const children = [...Map.groupBy(parts, ({ body, path }) => path[level + 1] ?? body.node).values()]
  const shown = children.map((child) => shownAt(child, level + 1, room))
  return multipart.multipart === 'alternative' ? oneOfEach(shown) : inOrder(shown, room)
}

const NOTHING: Shown = { text: null, html: null }

/** The HTML that comes last is the best, and the text that comes first the plainest. */
const oneOfEach = (shown: readonly Shown[]): Shown => ({
  text: shown.find(({ text }) => text !== null)?.text ?? null,
  html: shown.findLast(({ html }) => html !== null)?.html ?? null,
})

function inOrder(shown: readonly Shown[], room: Room): Shown {
  const has = (kind: keyof Shown) => shown.some((part) => part[kind] !== null)
  return {
    text: has('text') ? joined(shown, ({ text, html }) => text ?? made(html, room, textFromHtml), '\n') : null,
    html: has('html') ? joined(shown, ({ text, html }) => html ?? made(text, room, htmlFromText), '<br>\n') : null,
  }
}

const joined = (shown: readonly Shown[], contentOf: (part: Shown) => string | null, between: string): string =>
  shown
    .map(contentOf)
    .filter((content) => content !== null)
    .join(between)

/** Null for what shows nothing, such as the empty text that programs put between files, and for what there is no room for. */
function made(source: string | null, room: Room, convert: (source: string) => string): string | null {
  if (source === null || source.trim() === '') return null
  const content = source.length > room.left ? null : convert(source)
  if (content === null || content.length > room.left) {
    room.isCut = true
    return null
  }
  room.left -= content.length
  return content.trim() === '' ? null : content
}

const htmlFromText = (text: string): string => escapeHtml(text).replaceAll('\n', '<br>\n')
