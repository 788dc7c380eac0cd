// Whatever text is put into a page, anywhere: it is read as that text, and adds no tag and no attribute.
import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { describe, expect, it } from 'vitest'

type Place = string[]
type Page = { places: Place[]; make(place: Place, text: string): string }

/** How a page is made of a view that holds texts of others. */
export const page = <View>(view: View, make: (view: View) => string): Page => ({
  places: placesIn(view),
  make: (place, text) => make(withText(view, place, text)),
})

/** A problem that a page shows. What our sentences quote is shown as code. */
export const ours = (sentence: string) => ({ status: 422, sentence: withoutCode(sentence), retryAfterSeconds: undefined })

/** Between the backticks of a warning are names of the API. */
export const withoutCode = (warning: string): string => warning.replaceAll('`', '')

/** Where a view holds text. What is one of a closed set is no place for another one. */
function placesIn(value: unknown, place: Place = []): Place[] {
  if (typeof value === 'string') return isOfClosedSet(place) ? [] : [place]
  if (value instanceof Date || typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => placesIn(inner, [...place, name]))
}

const isOfClosedSet = (place: Place): boolean =>
  [
    'email.lastEvent',
    'span',
    'periods.0.name',
    'broadcast.status',
    'broadcasts.rows.0.status',
    'relations.sender.kind',
    'property.type',
    'page.rows.0.status',
    'page.rows.0.type',
  ].includes(place.join('.')) ||
  (place[0] === 'domain' && /^(?:kind|status)$/.test(place.at(-1) ?? '')) ||
  /(?:^|\.)(?:(?:webhook|rows\.0|event)\.(?:status|type)|attempts\.rows\.0\.outcome|refused\.form|form\.email\.sent)$/.test(place.join('.'))

function withText<View>(view: View, place: Place, text: string): View {
  const copy = structuredClone(view)
  const inner = place.slice(0, -1).reduce((part, name) => Reflect.get(part, name), Object(copy))
  Reflect.set(inner, place.at(-1) ?? '', text)
  return copy
}

/** Every tag with the names of its attributes. */
function structureOf(text: string): string[] {
  const tags: string[] = []
  const parser = new Parser({ onopentag: (name, attributes) => tags.push([name, ...Object.keys(attributes)].join(' ')) })
  parser.end(text)
  return tags
}

const hostile = fc
  .array(
    fc.constantFrom(
      ...['<', '>', '"', "'", '&', '`', '=', '/', '!', '!${', '\\', ' ', '\n', '\0', '\u2028', 'é', '🎉', '&lt;', '&quot;'],
      ...[
        '<script>',
        '</script>',
        '<b onclick=x>',
        '</title>',
        '</textarea>',
        '</style>',
        '</pre>',
        '<!--',
        '-->',
        ']]>',
        'javascript:',
        ' onload=x ',
      ],
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(''))

/** What holds for each of the pages. */
export function checkPages(pages: Record<string, Page>): void {
  describe.each(Object.entries(pages))('the page of %s', (_name, { places, make }) => {
    it('reads any text in any of its places as text', () => {
      expect(places.length).toBeGreaterThan(0)
      for (const place of places) {
        const plain = structureOf(make(place, 'x'))
        fc.assert(
          fc.property(hostile, (text) => {
            expect({ place, structure: structureOf(make(place, `x${text}`)) }).toEqual({ place, structure: plain })
          }),
          { numRuns: 20 },
        )
      }
    })

    it('is a whole document that search engines leave alone', () => {
      const text = make(places[0] ?? [], 'x')
      expect(text).toMatch(/^<!doctype html>\n<html lang="en">\n/)
      expect(text).toContain('<meta name="robots" content="noindex">')
    })
  })
}
