import '@react-email/editor/themes/default.css'
import { Alert, Box } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { composeReactEmail } from '@react-email/editor/core'
import { BubbleMenu, SlashCommand } from '@react-email/editor/ui'
import { toPlainText } from '@react-email/render'
import { type Editor, EditorProvider, type JSONContent } from '@tiptap/react'
import { useMemo, useRef } from 'react'
import { NONCE } from '../shell/nonce'
import { CONTENT_EDITOR_TEXTS as TEXTS } from '../texts/content'
import { BlockToolbar } from './BlockToolbar'
import { cleanDocument, cleanPasted, type Schema, toStored } from './clean-document'
import type { Content, InsertText } from './content'
import { EMPTY, insertLink, lookOfTheme, NEW_BROADCAST, useEditorExtensions } from './editor-extensions'
import { SLASH_BLOCKS } from './slash-blocks'

/** What the blocks are made of: a document, HTML that is copied into blocks, or what a new one begins with. */
export type BlocksFrom = { document: unknown } | { html: string } | { start: 'empty' | 'broadcast' }

type BlockEditorProps = {
  from: BlocksFrom
  onChange: (content: Content, isWritten: boolean) => void
  reader: { current: (() => Promise<Content>) | null }
  onReady: (insert: InsertText) => void
}

const LOOK = lookOfTheme()

/** After a pause in the typing, the message is made anew. */
const TYPING_MS = 400

export default function BlockEditor({ from, onChange, reader, onReady }: BlockEditorProps) {
  const { extensions, schema } = useEditorExtensions()
  const first = useMemo(() => firstContent(from, schema), [from, schema])
  const hasBeenEntered = useRef(false)
  const isWritten = useRef(false)
  const tell = useDebouncedCallback(async (editor: Editor) => {
    if (editor.isDestroyed) return
    const content = await contentIn(editor)
    // Something else may have taken its place meanwhile.
    if (!editor.isDestroyed) onChange(content, isWritten.current)
  }, TYPING_MS)

  if (first === null) return <Alert color="orange">{TEXTS.unknownDocument}</Alert>
  return (
    <Box
      // The forms of its menus are not that of the page.
      onSubmit={(event) => event.stopPropagation()}
      className="tiptap-extended"
      bd="1px solid var(--mantine-color-default-border)"
      style={{ borderRadius: 'var(--mantine-radius-sm)' }}
    >
      {first.isCut && (
        <Alert color="orange" m="xs">
          {TEXTS.cutDocument}
        </Alert>
      )}
      <style nonce={NONCE}>{LOOK}</style>
      <EditorProvider
        extensions={extensions}
        content={first.doc}
        injectNonce={NONCE}
        immediatelyRender={false}
        editorProps={{
          attributes: { 'aria-label': TEXTS.writing, 'aria-multiline': 'true', role: 'textbox' },
          transformPastedHTML: cleanPasted,
        }}
        slotBefore={<BlockToolbar />}
        onCreate={({ editor }) => {
          reader.current = () => contentIn(editor)
          onReady((text, linkText) => {
            const chain = editor.chain().focus()
            if (text === null) chain.run()
            else if (linkText === undefined) chain.insertContent({ type: 'text', text }).run()
            else insertLink(editor, text, linkText)
          })
          // How a copy in blocks looks is shown at once, and saved once someone has written in it.
          if ('html' in from) tell(editor)
          // One begins to write under the greeting.
          editor.commands.setTextSelection(firstEmptyLine(editor))
        }}
        onFocus={() => {
          hasBeenEntered.current = true
        }}
        onUpdate={({ editor }) => {
          // The editor puts what it begins with into its own form, which no one has written.
          isWritten.current ||= hasBeenEntered.current
          if (isWritten.current || 'html' in from) tell(editor)
        }}
        onDestroy={() => {
          reader.current = null
        }}
      >
        <BubbleMenu hideWhenActiveNodes={['button', 'horizontalRule', 'image']} hideWhenActiveMarks={['link']} />
        <SlashCommand items={SLASH_BLOCKS} />
      </EditorProvider>
    </Box>
  )
}

async function contentIn(editor: Editor): Promise<Content> {
  const { unformattedHtml: html } = await composeReactEmail({ editor })
  return { html, text: toPlainText(html, { selectors: HEADINGS_AS_WRITTEN }), document: toStored(editor.getJSON()) }
}

/** The text of the library has headings in capitals, in which the name of a variable is another one. */
const HEADINGS_AS_WRITTEN = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } }))

const firstEmptyLine = ({ state: { doc } }: Editor): number => {
  let position = 1
  doc.descendants((node, at) => {
    if (position === 1 && node.isTextblock && node.content.size === 0) position = at + 1
  })
  return position
}

type First = { doc: JSONContent | string; isCut: boolean }

function firstContent(from: BlocksFrom, schema: Schema): First | null {
  if ('html' in from) return { doc: cleanPasted(from.html), isCut: false }
  if ('start' in from) return { doc: from.start === 'broadcast' ? NEW_BROADCAST : EMPTY, isCut: false }
  return cleanDocument(from.document, schema)
}
