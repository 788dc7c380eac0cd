// The links of a broadcast that are different for each recipient, so that they can be counted as the one link that the author wrote.
import { assertMainThreadWork } from '../../lib/main-thread.ts'
import { escapeHtml } from '../html/escaped-html.ts'
import { readHtml, readLongHtml } from '../html/html-tokens.ts'
import { type Placeholder, readPlaceholders } from '../rendering/placeholders.ts'
import { type Renderable, readHtmlText, render, type ValueOf } from '../rendering/rendering.ts'

/** `written`: decoded, with its placeholders. `link`: HTML with this link alone. */
export type WrittenLink = { written: string; link: Renderable }

/** Each click is compared with all of them. Further ones are counted by where they led. */
export const WRITTEN_LINKS_MAX = 100
/** Longer than any link that is tracked. */
const LINK_LENGTH_MAX = 2_000

/** Returns the first links with placeholders, each once. */
export async function writtenLinks(html: string): Promise<WrittenLink[]> {
  assertMainThreadWork(html)
  const parts = readPlaceholders(html)
  const placeholders = parts.filter((part) => typeof part !== 'string')
  if (placeholders.length === 0) return []
  let index = 0
  const marked = parts.map((part) => (typeof part === 'string' ? part : markOf(index++))).join('')
  const hrefs = new Map<string, (string | Placeholder)[]>()
  await readLongHtml(marked, {
    startTag({ name, attributes }) {
      if ((name !== 'a' && name !== 'area') || hrefs.size === WRITTEN_LINKS_MAX) return
      const href = attributes.find((attribute) => attribute.name === 'href')?.value.trim() ?? ''
      const written = partsOf(href, placeholders)
      const text = written.map((part) => (typeof part === 'string' ? part : sourceOf(part))).join('')
      if (written.some((part) => typeof part !== 'string') && text.length <= LINK_LENGTH_MAX) hrefs.set(text, written)
    },
  })
  const links: WrittenLink[] = []
  for (const [written, href] of hrefs) {
    const source = href.map((part) => (typeof part === 'string' ? escapeHtml(part) : sourceOf(part))).join('')
    links.push({ written, link: await readHtmlText(`<a href="${source}">`) })
  }
  return links
}

/** Which link leads there for the one who has these values; null if none does. */
export function linkAsWritten(links: readonly WrittenLink[], target: string, valueFor: ValueOf): string | null {
  const decoded = withoutEscapes(target)
  return links.find(({ link }) => withoutEscapes(targetOf(link, valueFor) ?? '') === decoded)?.written ?? null
}

/** Links of mail that was sent before values were percent-encoded hold them as they are. */
function withoutEscapes(target: string): string {
  try {
    return decodeURIComponent(target)
  } catch {
    return target
  }
}

function targetOf(link: Renderable, valueFor: ValueOf): string | null {
  const rendered = render(link, valueFor, 2 * LINK_LENGTH_MAX)
  if (rendered === 'too long') return null
  const targets: string[] = []
  readHtml(rendered.text, { startTag: ({ attributes }) => void targets.push(attributes[0]?.value.trim() ?? '') })
  return targets[0] ?? null
}

/** What stands for a placeholder while the HTML is read. */
const markOf = (index: number): string => `posthaste${index}placeholder`
const MARK = /posthaste(\d{1,7})placeholder/

function partsOf(href: string, placeholders: readonly Placeholder[]): (string | Placeholder)[] {
  // Every other piece is the number of a placeholder.
  return href
    .split(MARK)
    .map((piece, place) => (place % 2 === 0 ? piece : (placeholders[Number(piece)] ?? markOf(Number(piece)))))
    .filter((part) => part !== '')
}

const sourceOf = ({ name, fallback }: Placeholder): string => `{{{${name}${fallback === null ? '' : `|${fallback}`}}}}`
