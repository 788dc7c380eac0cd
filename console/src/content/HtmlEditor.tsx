import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { html as htmlLanguage } from '@codemirror/lang-html'
import { defaultHighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { Input, useComputedColorScheme } from '@mantine/core'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { NONCE } from '../shell/nonce'
import type { InsertText } from './content'

type HtmlEditorProps = {
  label: string
  description?: string | undefined
  value: string
  onChange: (value: string) => void
  /** Receives what puts a text where one writes. */
  onReady: (insert: InsertText) => void
}

const HEIGHT = '520px'
const LOOK = EditorView.theme({
  '&': {
    height: HEIGHT,
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-sm)',
    fontSize: '13px',
  },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-gutters': { background: 'transparent', color: 'var(--mantine-color-dimmed)', border: 'none' },
  '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)' },
})

/** HTML as it is written, with colors. Escape, then Tab, leaves it. */
export default function HtmlEditor({ label, description, value, onChange, onReady }: HtmlEditorProps) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const told = useRef(onChange)
  told.current = onChange
  const isDark = useComputedColorScheme() === 'dark'

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed is in it, so it is made once for each color scheme
  useEffect(() => {
    if (!place.current) return
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: view.current?.state.doc ?? value,
        extensions: [
          EditorView.cspNonce.of(NONCE),
          lineNumbers(),
          history(),
          keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
          htmlLanguage(),
          ...(isDark ? [] : [syntaxHighlighting(defaultHighlightStyle)]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', dir: 'auto' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) told.current(update.state.doc.toString())
          }),
          LOOK,
          EditorView.theme({}, { dark: isDark }),
        ],
      }),
    })
    view.current = editor
    onReady((text) => {
      if (text !== null) editor.dispatch(editor.state.replaceSelection(text))
      editor.focus()
    })
    return () => editor.destroy()
  }, [isDark])

  // What comes from elsewhere, such as a template that was chosen. At once, because what is typed meanwhile would be overwritten.
  useLayoutEffect(() => {
    const { current } = view
    if (current && current.state.doc.toString() !== value)
      current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: value } })
  }, [value])

  return (
    <Input.Wrapper label={label} description={description} labelElement="div">
      <div ref={place} />
    </Input.Wrapper>
  )
}
