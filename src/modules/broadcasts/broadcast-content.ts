// What an email of a broadcast says.
import { textFromHtml } from '../../mail/html/text-from-html.ts'
import type { ValueOf } from '../../mail/rendering/placeholders.ts'
import { type ReadContent, type Renderable, render } from '../../mail/rendering/rendering.ts'
import { PREHEADER, preheader, type WrittenLink, withPreheader, writtenLinks } from './written-links.ts'

/** `html` and `text`: what people look at. `mail`: what is sent, with the hidden preview text and a text part; null if it was not asked for. */
export type FilledBroadcast = {
  html: string | null
  text: string | null
  previewText: string | null
  mail: { html: string | null; text: string | null } | null
}

export type FillBroadcastOptions = { bytesMax: number; isForMail: boolean }

declare module '../../mail/text-tasks.ts' {
  interface TextTasks {
    broadcastHtml: { given: { html: string }; result: { html: string; links: WrittenLink[] } }
    broadcast: { given: SourceOfText & { contact: ContactOfText } & FillBroadcastOptions; result: FilledBroadcast | 'too long' }
  }
}

/** Reads the HTML of a broadcast, which is the same for everyone who gets it. */
export async function broadcastHtml(html: string): Promise<{ html: string; links: WrittenLink[] }> {
  return { html: await withPreheader(html), links: await writtenLinks(html) }
}

/** `too long`: a part of it would have more than `bytesMax` bytes. */
export function fillBroadcast(
  content: ReadContent,
  valueFor: ValueOf,
  { bytesMax, isForMail }: FillBroadcastOptions,
): FilledBroadcast | 'too long' {
  const fill = (part: Renderable | null, hidden = ''): string | null => {
    if (part === null) return null
    const rendered = render(part, (name) => (name === PREHEADER ? { text: hidden, fallback: null, isRaw: true } : valueFor(name)), bytesMax)
    if (rendered === 'too long') throw new TooLong()
    return rendered.text
  }
  try {
    const [html, text, previewText] = [fill(content.html), fill(content.text), fill(content.previewText)]
    if (!isForMail) return { html, text, previewText, mail: null }
    // The hidden text is not a part of the text.
    const mail = {
      html: fill(content.html, preheader(previewText ?? '')),
      text: text ?? (html === null ? null : textFromHtml(html)),
    }
    return { html, text, previewText, mail }
  } catch (error) {
    if (error instanceof TooLong) return 'too long'
    throw error
  }
}

class TooLong extends Error {}
