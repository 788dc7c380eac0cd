// What a template or broadcast says, while someone writes it.
import { useRef, useState } from 'react'
import type { RecordOf } from '../api/queries'
import type { StoredDocument } from './clean-document'

/** `document`: what the blocks are; null if it is written as HTML. */
export type Content = { html: string; text: string; document: StoredDocument | null }

export const EMPTY_CONTENT: Content = { html: '', text: '', document: null }

/** The content of a template or a broadcast. */
export const contentOf = ({ html, text, content_document }: StoredContent): Content => ({
  html: html ?? '',
  text: text ?? '',
  document: content_document,
})
type StoredContent = Pick<RecordOf<'/broadcasts/{broadcast_id}'>, 'html' | 'text' | 'content_document'>

/** An empty field is unset. */
export const orNull = (text: string): string | null => (text.trim() === '' ? null : text)

/**
 * Inserts a text at the cursor and focuses the editor; null only focuses it.
 * @param linkText the text is an address, and becomes a link with these words; in HTML, only the address is put in
 */
export type InsertText = (text: string | null, linkText?: string) => void

/** The fields of a request. Empty texts are unset. */
export const contentBody = ({ html, text, document }: Content) => ({
  html,
  text: orNull(text),
  content_document: document,
})

export type ContentState = {
  content: Content
  /** @param isWritten false for what is shown before someone has written anything */
  onChange: (content: Content, isWritten?: boolean) => void
  /** Set by the editor of blocks while it is open: what it holds now, which may be newer than `content`. */
  reader: { current: (() => Promise<Content>) | null }
  /** What is to be saved. */
  read: () => Promise<Content>
}

/** @param onEdit what is written was changed */
export function useContent(initial: Content, onEdit: () => void): ContentState {
  const [content, setContent] = useState(initial)
  const reader = useRef<(() => Promise<Content>) | null>(null)
  const latest = useRef(content)
  latest.current = content
  return {
    content,
    reader,
    onChange: (changed, isWritten = true) => {
      setContent(changed)
      if (isWritten) onEdit()
    },
    read: async () => (reader.current ? reader.current() : latest.current),
  }
}
