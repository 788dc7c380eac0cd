// Fills in placeholders. A text is read once and rendered for many people.
import { assertMainThreadWork } from '../../lib/main-thread.ts'
import { htmlPlaces } from './html-places.ts'
import { type Placeholder, readPlaceholders } from './placeholders.ts'
import { atPlace, hasLineBreak, onOneLine, type Place, type PlaceKind } from './places.ts'
import { createUrlFinder } from './url-places.ts'

/** A text that was read. */
export type Renderable = {
  parts: readonly (string | (Placeholder & { place: Place }))[]
  /** The names of its placeholders, each once, in the order of the text. */
  names: readonly string[]
}

/**
 * `text`: null if there is none, so that a fallback is used: that of the placeholder, or else the one given here. `isRaw`: it may hold HTML, because
 * it comes from the sender. What comes from other people is escaped.
 */
export type PlaceholderValue = { text: string | null; fallback: string | null; isRaw: boolean }

/** Null if nothing has this name. */
export type ValueOf = (name: string) => PlaceholderValue | null

export type Rendered = {
  text: string
  /** Names of placeholders without a value and without a fallback. Nothing stands in their place. */
  missing: string[]
  /** Names of placeholders of a line whose values had line breaks. A space stands for each. */
  broken: string[]
}

/** @param kind what the text is for: a line of the header, or the plain text of a message */
export function readText(source: string, kind: Extract<PlaceKind, 'line' | 'text'>): Renderable {
  assertMainThreadWork(source)
  const parts = readPlaceholders(source)
  const places = kind === 'text' ? placesInText(parts) : []
  return renderable(parts, (index) => places[index] ?? { kind, isBare: false })
}

function placesInText(parts: readonly (string | Placeholder)[]): Place[] {
  const places: Place[] = []
  const finder = createUrlFinder()
  parts.forEach((part, index) => {
    if (typeof part !== 'string') {
      const next = parts[index + 1] ?? ''
      const url = finder.placeBefore(typeof next === 'string' ? next : LETTER)
      places.push({ kind: 'text', isBare: false, ...(url && { url }) })
    }
    finder.read(typeof part === 'string' ? part : LETTER)
  })
  return places
}

/** What stands for a placeholder while a text is read. */
const LETTER = 'x'

export async function readHtmlText(source: string): Promise<Renderable> {
  assertMainThreadWork(source)
  const parts = readPlaceholders(source)
  const places = await htmlPlaces(parts)
  return renderable(parts, (index) => places[index] ?? NOWHERE)
}

const NOWHERE: Place = { kind: 'nowhere', isBare: true }

function renderable(parts: (string | Placeholder)[], placeOf: (index: number) => Place): Renderable {
  const names = new Set<string>()
  let index = 0
  const placed = parts.map((part) => {
    if (typeof part === 'string') return part
    names.add(part.name)
    return { ...part, place: placeOf(index++) }
  })
  return { parts: placed, names: [...names] }
}

/**
 * UTF-8 bytes that a template may have once it is filled in, HTML and text together. Newsletters have 20 to 200 KB, and Gmail cuts what is longer
 * than about 100 KB. Without a limit, a short request could make all other teams wait.
 */
export const FILLED_BYTES_MAX = 2 * 1024 * 1024

/** `too long`: it would have more than `bytesMax` bytes in UTF-8. The size is known before anything is put together. */
export function render({ parts }: Renderable, valueFor: ValueOf, bytesMax: number): Rendered | 'too long' {
  const missing = new Set<string>()
  const broken = new Set<string>()
  const pieces: string[] = []
  const known = new Map<string, { text: string; bytes: number }>()
  /** Each value is written once for each kind of place, however many placeholders stand for it. */
  const pieceOf = (part: Placeholder & { place: Place }) => {
    const key = JSON.stringify([part.place, part.name, part.fallback])
    const found = known.get(key)
    if (found) return found
    const piece = measured(written(part, valueFor(part.name), { missing, broken }))
    known.set(key, piece)
    return piece
  }
  let bytes = 0
  for (const part of parts) {
    const piece = typeof part === 'string' ? measured(part) : pieceOf(part)
    bytes += piece.bytes
    if (bytes > bytesMax) return 'too long'
    pieces.push(piece.text)
  }
  const text = pieces.join('')
  assertMainThreadWork(text)
  return { text, missing: [...missing], broken: [...broken] }
}

const measured = (text: string) => ({ text, bytes: Buffer.byteLength(text) })

function written(
  { name, fallback, place }: Placeholder & { place: Place },
  value: PlaceholderValue | null,
  { missing, broken }: { missing: Set<string>; broken: Set<string> },
): string {
  const isOfAuthor = typeof value?.text !== 'string' && fallback !== null
  const text = isOfAuthor ? fallback : (value?.text ?? value?.fallback ?? null)
  if (text === null) {
    missing.add(name)
    return ''
  }
  if (place.kind === 'line' && hasLineBreak(text)) {
    broken.add(name)
    return onOneLine(text)
  }
  return isOfAuthor || value?.isRaw ? text : atPlace(place, text)
}
