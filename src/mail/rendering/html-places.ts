// Which place each placeholder of HTML is at. It depends on the HTML alone, so it is found once, however many people get the message.
import { type HtmlAttribute, type HtmlReader, type HtmlStartTag, readLongHtml } from '../html/html-tokens.ts'
import type { Placeholder } from './placeholders.ts'
import type { Place, PlaceKind } from './places.ts'

/** Finds the place of each placeholder, in order. The time is linear in the length of the HTML, with room for other work in between. */
export async function htmlPlaces(parts: readonly (string | Placeholder)[]): Promise<Place[]> {
  const { html, positions } = skeletonOf(parts)
  const places: Place[] = []
  let element = ''
  const isBefore = (end: number) => (positions[places.length] ?? Number.POSITIVE_INFINITY) < end
  const fillUntil = (end: number, place: Place) => {
    while (isBefore(end)) places.push(place)
  }
  const reader: HtmlReader = {
    startTag(tag) {
      fillUntil(tag.start, contentOf(element))
      for (const place of placesInTag(html, tag, within(positions, places.length, tag.end))) places.push(place)
      element = tag.name
    },
    endTag(name, start) {
      fillUntil(start, contentOf(element))
      if (name === element) element = ''
    },
    comment(start, end) {
      fillUntil(start, contentOf(element))
      fillUntil(end, { kind: 'address', isBare: true })
    },
  }
  if (positions.length > 0) await readLongHtml(html, reader)
  fillUntil(Number.POSITIVE_INFINITY, contentOf(element))
  return places
}

/** The HTML with a letter for each placeholder, because what a placeholder says, such as a quote in its fallback, is not HTML yet. */
function skeletonOf(parts: readonly (string | Placeholder)[]): { html: string; positions: number[] } {
  const positions: number[] = []
  let length = 0
  const texts = parts.map((part) => {
    if (typeof part !== 'string') positions.push(length)
    const text = typeof part === 'string' ? part : LETTER
    length += text.length
    return text
  })
  return { html: texts.join(''), positions }
}

const LETTER = 'x'

function within(positions: readonly number[], first: number, end: number): number[] {
  const found: number[] = []
  for (let at = first; (positions[at] ?? end) < end; at += 1) found.push(positions[at] ?? end)
  return found
}

function contentOf(element: string): Place {
  if (element === 'style') return { kind: 'style', isBare: false }
  return { kind: element === 'script' ? 'nowhere' : 'html', isBare: false }
}

/** Both lists are in the order of the source. */
function placesInTag(html: string, { attributes }: HtmlStartTag, positions: readonly number[]): Place[] {
  let next = 0
  let kindAt: ((position: number) => PlaceKind) | null = null
  return positions.map((position) => {
    while ((attributes[next]?.valueEnd ?? position + 1) <= position) {
      next += 1
      kindAt = null
    }
    const attribute = attributes[next]
    if (!attribute || attribute.valueStart > position) return { kind: 'nowhere', isBare: true }
    kindAt ??= kindsIn(html, attribute)
    const quote = html.charAt(attribute.valueStart - 1)
    return { kind: kindAt(position), isBare: quote !== '"' && quote !== "'" }
  })
}

function kindsIn(html: string, { name, valueStart, valueEnd }: HtmlAttribute): (position: number) => PlaceKind {
  if (name === 'style') return () => 'style'
  if (name.startsWith('on') || name === 'srcdoc') return () => 'nowhere'
  if (!WITH_ADDRESS.has(name)) return () => 'html'
  const beginning = html.slice(valueStart, Math.min(valueEnd, valueStart + BEGINNING_LENGTH_MAX))
  const kindAfter = kindAfterText(beginning) ?? 'scheme'
  return (position) => {
    if (position >= valueStart + BEGINNING_LENGTH_MAX) return kindAfter
    const before = html.slice(valueStart, position)
    const kind = kindAfterText(before)
    if (kind) return kind
    if (BEFORE_COLON.test(html.slice(position + 1, Math.min(valueEnd, position + BEGINNING_LENGTH_MAX)))) return 'scheme'
    return before.trim() === '' ? 'address' : 'address part'
  }
}

/** In an address, after this beginning of it. Null if it has no scheme yet. */
function kindAfterText(before: string): PlaceKind | null {
  if (RUNNING_SCHEME.test(before)) return 'nowhere'
  return AFTER_SCHEME.test(before) ? 'html' : null
}

/** Longer than any scheme. A longer address without one is not read any further, and is treated with most care. */
const BEGINNING_LENGTH_MAX = 200

/** Attributes that hold addresses, or set an attribute that does (`content` of `meta`, `to` and `values` of SVG). */
const WITH_ADDRESS = new Set(
  'href src srcset xlink:href action formaction background poster cite data longdesc lowsrc dynsrc ping codebase content to from values'.split(
    ' ',
  ),
)

/** A number sign after `&` begins a character reference. */
const AFTER_SCHEME = /[/?:]|(?<!&)#/
const BEFORE_COLON = /^(?:[^/?#:]|(?<=&)#(?!0*58|x0*3a))*(?::|#0*58|#x0*3a|&colon)/i
const RUNNING_SCHEME = /^\s*(?:javascript|vbscript|data):/i
