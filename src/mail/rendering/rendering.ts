// Fills in placeholders. A text is read once and rendered for many people.

import { LRUCache } from 'lru-cache'
import { assertMainThreadWork, isLong } from '../../lib/main-thread.ts'
import { htmlPlaces } from './html-places.ts'
import {
  atPlace,
  BLANK,
  hasLineBreak,
  onOneLine,
  type Place,
  type Placeholder,
  type PlaceholderValue,
  type PlaceKind,
  readPlaceholders,
  type ValueOf,
} from './placeholders.ts'
import { createUrlFinder } from './url-places.ts'

/** A text that was read. */
export type Renderable = {
  parts: readonly (string | (Placeholder & { place: Place }))[]
  /** The names of its placeholders, each once, in the order of the text. */
  names: readonly string[]
}

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
    const piece = measured(written(part, valueFor(part.name), { missing, broken }) || (part.place.isNeverEmpty ? BLANK : ''))
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

// Keeps the contents of messages that were read, so that each is read once and not for every person.

/** Null where the message has none. */
export type ContentSource = { subject: string | null; html: string | null; text: string | null; previewText: string | null }

export type ReadContent = { [Part in keyof ContentSource]: Renderable | null }

export async function readContent({ subject, html, text, previewText }: ContentSource): Promise<ReadContent> {
  return {
    subject: subject === null ? null : readText(subject, 'line'),
    html: html === null ? null : await readHtmlText(html),
    text: text === null ? null : readText(text, 'text'),
    previewText: previewText === null ? null : readText(previewText, 'text'),
  }
}

/** Null for a long one, which is read in a thread. */
export const readShortContent = async (source: ContentSource): Promise<ReadContent | null> =>
  Object.values(source).some((part) => part !== null && isLong(part)) ? null : readContent(source)

/** A version with what else belongs to it. It never changes, so it is loaded and read at most once while it is kept. */
export type ReadContents<About, Content = ReadContent | null> = (
  versionId: string,
  load: () => Promise<{ source: ContentSource; about: About } | null>,
) => Promise<{ content: Content; source: ContentSource; about: About } | null>

/** In characters of the sources: a few hundred newsletters. What was read takes about twice as much room. */
export const READ_CONTENTS_LENGTH_MAX = 16 * 1024 * 1024

/** @param read what is kept of a source: by default nothing of a long one */
export function createReadContents<About>(lengthMax?: number): ReadContents<About>
export function createReadContents<About, Content>(
  lengthMax: number,
  read: (source: ContentSource) => Promise<Content>,
): ReadContents<About, Content>
export function createReadContents<About>(
  lengthMax = READ_CONTENTS_LENGTH_MAX,
  read: (source: ContentSource) => Promise<ReadContent | null> = readShortContent,
): ReadContents<About> {
  type Version = NonNullable<Awaited<ReturnType<ReadContents<About>>>>
  const kept = new LRUCache<string, Version>({ maxSize: lengthMax })
  const running = new Map<string, Promise<Version | null>>()

  async function readOnce(...[versionId, load]: Parameters<ReadContents<About>>): Promise<Version | null> {
    const loaded = await load()
    if (loaded === null) return null
    const version = { content: await read(loaded.source), ...loaded }
    kept.set(versionId, version, { size: sizeOf(loaded.source) })
    return version
  }

  return async (versionId, load) => {
    const known = kept.get(versionId)
    if (known) return known
    const read = running.get(versionId) ?? readOnce(versionId, load).finally(() => running.delete(versionId))
    running.set(versionId, read)
    return read
  }
}

/** What an entry takes at least. */
const ENTRY_SIZE = 1_000

const sizeOf = ({ subject, html, text, previewText }: ContentSource): number =>
  [subject, html, text, previewText].reduce((sum, part) => sum + (part?.length ?? 0), ENTRY_SIZE)
