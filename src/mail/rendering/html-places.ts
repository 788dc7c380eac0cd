// Which place each placeholder of HTML is at. It depends on the HTML alone, so it is found once, however many people get the message.
import { type HtmlAttribute, type HtmlReader, type HtmlStartTag, readHtml, readLongHtml } from '../html/html-tokens.ts'
import type { Place, Placeholder, PlaceKind } from './placeholders.ts'
import { createUrlFinder, type UrlPlace, urlPlace } from './url-places.ts'

/**
 * Finds the place of each placeholder, in order. The time is linear in the length of the HTML, with room for other work in between.
 *
 * A placeholder that never gets a value may leave something else than it seems to hold: `<a {{{A}}}href="{{{B}}}">` has an address. So the HTML is
 * read again without these, until there is none that was not known.
 */
export async function htmlPlaces(parts: readonly (string | Placeholder)[]): Promise<Place[]> {
  const isPlaceholder = (part: string | Placeholder) => typeof part !== 'string'
  let kept = parts
  for (let reading = 0; reading < READINGS_MAX; reading += 1) {
    const places = await placesOnce(kept)
    const keptPlaceholders = kept.filter(isPlaceholder)
    const withValues = new Set(keptPlaceholders.filter((_part, index) => places[index]?.kind !== 'nowhere'))
    if (withValues.size === keptPlaceholders.length) {
      const placeOf = new Map(keptPlaceholders.map((part, index) => [part, places[index] ?? NOWHERE]))
      return parts.filter(isPlaceholder).map((part) => placeOf.get(part) ?? NOWHERE)
    }
    kept = kept.filter((part) => !isPlaceholder(part) || withValues.has(part))
  }
  return parts.filter(isPlaceholder).map(() => NOWHERE)
}

const NOWHERE: Place = { kind: 'nowhere', isBare: true }

/** Real HTML is read once, or twice. If more is needed, none of its placeholders gets a value. */
const READINGS_MAX = 8

async function placesOnce(parts: readonly (string | Placeholder)[]): Promise<Place[]> {
  const { html, positions } = toSkeleton(parts)
  if (positions.length === 0) return []
  const places: Place[] = []
  let element = ''
  let contentAt: (position: number) => Place = placeInText
  let readUntil = 0
  const isBefore = (end: number) => (positions[places.length] ?? Number.POSITIVE_INFINITY) < end
  const fillUntil = (end: number, placeAt: (position: number) => Place) => {
    while (isBefore(end)) {
      const position = positions[places.length] ?? end
      // Only where tags are text, such as in a title or in JSON: the value would make it the end of that text.
      const isInTag = BEFORE_END.test(html.slice(Math.max(0, position - BEFORE_END_LENGTH), position))
      places.push(isInTag ? NOWHERE : placeAt(position))
    }
  }
  const reader: HtmlReader = {
    startTag(tag) {
      fillUntil(tag.start, contentAt)
      for (const place of placesInTag(html, tag, within(positions, places.length, tag.end))) places.push(place)
      element = tag.name
      contentAt = contentPlaces(html, tag)
      readUntil = tag.end
    },
    endTag(name, start) {
      fillUntil(start, contentAt)
      const last = html.indexOf('>', start)
      readUntil = last < 0 ? html.length : last + 1
      fillUntil(readUntil, () => NOWHERE)
      if (name !== element) return
      element = ''
      contentAt = placeInText
    },
    comment(start, end) {
      fillUntil(start, contentAt)
      // A CDATA section that does not end.
      if (html.startsWith('[CDATA[', start)) fillUntil(end, () => NOWHERE)
      const inside = within(positions, places.length, end)
      if (inside.length > 0) for (const place of placesInComment(html, { start, end }, inside)) places.push(place)
      readUntil = end
    },
    // Browsers know it in SVG only. Elsewhere they end it at the first `>`, and read the rest as HTML.
    cdata(start, end) {
      fillUntil(start, contentAt)
      fillUntil(end, () => NOWHERE)
      readUntil = end
    },
  }
  await readLongHtml(html, reader)
  const unfinished = html.slice(readUntil).search(BEGINNING_OF_TAG)
  if (unfinished >= 0) {
    fillUntil(readUntil + unfinished, contentAt)
    // What is added at the end of a message would end the tag.
    contentAt = () => NOWHERE
  }
  fillUntil(Number.POSITIVE_INFINITY, contentAt)
  return places
}

/** As far as the name of an element whose tags are text: `</textarea`. */
const BEFORE_END = /<(?:\/?[a-z]{0,8}|!-{0,2})$/i
const BEFORE_END_LENGTH = 12

/** Also of an end tag, a comment or a declaration. */
const BEGINNING_OF_TAG = /<[a-z/!?]/i

/** The HTML with a letter for each placeholder, because what a placeholder says, such as a quote in its fallback, is not HTML yet. */
function toSkeleton(parts: readonly (string | Placeholder)[]): { html: string; positions: number[] } {
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

const placeInText = (): Place => ({ kind: 'html', isBare: false })

/** What follows this start tag. */
function contentPlaces(html: string, { name, attributes, end }: HtmlStartTag): (position: number) => Place {
  if (name === 'style') return () => ({ kind: 'style', isBare: false })
  if (name !== 'script') return placeInText
  const type = attributes
    .find((attribute) => attribute.name === 'type')
    ?.value.trim()
    .toLowerCase()
  if (type !== 'application/ld+json') return () => ({ kind: 'nowhere', isBare: false })
  const finder = createUrlFinder()
  let read = end
  return (position) => {
    finder.read(html.slice(read, position))
    read = position
    const url = finder.placeBefore(html.charAt(position + 1))
    return { kind: 'json', isBare: false, ...(url && { url }) }
  }
}

/** Outlook reads the HTML in conditional comments, where the links of its buttons are. */
function placesInComment(html: string, { start, end }: { start: number; end: number }, positions: readonly number[]): Place[] {
  const places = new Map<number, Place>()
  if (end - start <= COMMENT_LENGTH_MAX) {
    const comment = html.slice(start, end)
    const inside = positions.map((position) => position - start)
    let next = 0
    readHtml(comment, {
      startTag(tag) {
        while ((inside[next] ?? tag.start) < tag.start) next += 1
        const found = within(inside, next, tag.end)
        placesInTag(comment, tag, found).forEach(({ url }, index) => {
          if (url) places.set(found[index] ?? 0, { kind: 'address', isBare: true, url: url === 'rest' ? 'part' : url })
        })
      },
    })
  }
  return positions.map((position) => places.get(position - start) ?? { kind: 'address', isBare: true, isNeverEmpty: true })
}

/** Real ones have a few thousand characters. In a longer comment, values are escaped and not encoded. */
const COMMENT_LENGTH_MAX = 64 * 1024

/** Both lists are in the order of the source. */
function placesInTag(html: string, { attributes }: HtmlStartTag, positions: readonly number[]): Place[] {
  let next = 0
  let kindAt: ((position: number) => PlaceKind) | null = null
  let urlAt: ((position: number) => UrlPlace | null) | null = null
  return positions.map((position) => {
    while ((attributes[next]?.valueEnd ?? position + 1) <= position) {
      next += 1
      kindAt = null
      urlAt = null
    }
    const attribute = attributes[next]
    if (!attribute || attribute.valueStart > position) return { kind: 'nowhere', isBare: true }
    kindAt ??= kindsIn(html, attribute)
    urlAt ??= urlPlacesIn(html, attribute)
    const quote = html.charAt(attribute.valueStart - 1)
    const isBare = quote !== '"' && quote !== "'"
    const kind = kindAt(position)
    const url = kind === 'html' ? urlAt(position) : null
    // Without any value, the next attribute would be the value.
    const isNeverEmpty = isBare && position === attribute.valueStart && kind !== 'nowhere'
    return { kind, isBare, ...(url && { url: isBare && url === 'rest' ? 'part' : url }), ...(isNeverEmpty && { isNeverEmpty }) }
  })
}

/** No scheme has an equals sign: it is in the query of a placeholder before it. In `content`, an address may follow it. */
function kindsIn(html: string, { name, valueStart, valueEnd }: HtmlAttribute): (position: number) => PlaceKind {
  if (name === 'style') return () => 'style'
  if (name.startsWith('on') || name === 'srcdoc') return () => 'nowhere'
  if (!WITH_ADDRESS.has(name)) return () => 'html'
  const beginning = html.slice(valueStart, Math.min(valueEnd, valueStart + BEGINNING_LENGTH_MAX))
  const kindBehind = (before: string) => kindAfterText(before) ?? (WITH_TEXT.has(name) || !before.includes('=') ? null : 'html')
  const kindAfter = kindBehind(beginning) ?? 'scheme'
  return (position) => {
    if (position >= valueStart + BEGINNING_LENGTH_MAX) return kindAfter
    const before = html.slice(valueStart, position)
    const kind = kindBehind(before)
    if (kind) return kind
    if (IN_REFERENCE.test(before)) return 'nowhere'
    if (BEFORE_COLON.test(html.slice(position + 1, Math.min(valueEnd, position + BEGINNING_LENGTH_MAX)))) return 'scheme'
    return before.trim() === '' ? 'address' : 'address part'
  }
}

/** Where in the URL of an attribute a position is, beyond its scheme. */
function urlPlacesIn(html: string, { name, valueStart, valueEnd }: HtmlAttribute): (position: number) => UrlPlace | null {
  if (!WITH_ADDRESS.has(name)) return () => null
  const beginning = html.slice(valueStart, Math.min(valueEnd, valueStart + BEGINNING_LENGTH_MAX))
  const query = html.slice(valueStart, valueEnd).indexOf('?')
  return (position) => {
    // In a list of images, each begins anew.
    if (name === 'srcset' && /[\s,]/.test(html.charAt(position - 1))) return null
    const before = beginning.slice(0, position - valueStart)
    const place = urlPlace(before, position + 1 === valueEnd && before.length === position - valueStart)
    if (place === 'address' && query >= 0 && query < position - valueStart) return 'part'
    // Without a scheme, it is relative to the page. Attributes that seldom hold an address may hold a sentence.
    return place ?? (WITH_TEXT.has(name) ? null : 'part')
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

/** Attributes with addresses that may hold a sentence instead. */
const WITH_TEXT = new Set('content to from values cite data'.split(' '))

/** A number sign after `&` begins a character reference. */
const AFTER_SCHEME = /[/?:]|(?<!&)#/
/** A value could make it that of a colon: `&colon;`, `&#58;`. */
const IN_REFERENCE = /&(?:#?[a-z0-9]{0,8})$/i
const BEFORE_COLON = /^(?:[^/?#:]|(?<=&)#(?!0*58|x0*3a))*(?::|#0*58|#x0*3a|&colon)/i
const RUNNING_SCHEME = /^\s*(?:javascript|vbscript|data):/i
