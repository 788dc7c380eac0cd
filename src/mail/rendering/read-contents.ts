// Keeps the contents of messages that were read, so that each is read once and not for every person.
import { LRUCache } from 'lru-cache'
import { isLong } from '../../lib/main-thread.ts'
import { type Renderable, readHtmlText, readText } from './rendering.ts'

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
