// The blocks that an email can have. They are those of @react-email/editor, whose HTML mail programs show.
import { StarterKit } from '@react-email/editor/extensions'
import { EDITOR_THEMES, EmailTheming, getMergedCssJs, useEditorImage } from '@react-email/editor/plugins'
import { setTextAlignment } from '@react-email/editor/utils'
import { type Editor, type Extensions, getSchema, type JSONContent } from '@tiptap/react'
import { useMemo } from 'react'
import { storeImage } from '../images/image-files'
import { notifyError } from '../parts/notices'
import { CONTENT_EDITOR_TEXTS as TEXTS } from '../texts/content'

/** It would write its look into elements without the nonce that the policy of the page wants. */
const Theming = EmailTheming.extend({ addProseMirrorPlugins: () => [] })

/** The extensions of the editor with the schema that they make. */
export function useEditorExtensions() {
  const image = useEditorImage({ uploadImage })
  return useMemo(() => {
    const extensions: Extensions = [
      StarterKit.configure({ FocusScopes: { clearSelectionOnBlur: false } }),
      Theming.configure({ theme: THEME }),
      image,
    ]
    return { extensions, schema: getSchema(extensions) }
  }, [image])
}

/** An image that is pasted or dropped. @throws ApiError with the sentence of the API: too large, or no image */
async function uploadImage(file: File): Promise<{ url: string }> {
  try {
    return await storeImage(file)
  } catch (error) {
    notifyError(error as Error, TEXTS.imageRefused)
    throw error
  }
}

export const insertImage = (editor: Editor, { url }: { url: string }, alt = ''): void => {
  editor.chain().focus().setImage({ src: url, alt }).run()
}

/** To what is selected, or of these words. What is written next is no longer the link. */
export function insertLink(editor: Editor, href: string, words: string): void {
  const chain = editor.chain().focus()
  if (editor.state.selection.empty)
    chain
      .insertContent(text(words, { type: 'link', attrs: { href } }))
      .unsetMark('link')
      .run()
  else chain.setLink({ href }).run()
}

export const alignSelection = (editor: Editor, alignment: string): void => {
  editor.commands.focus()
  setTextAlignment(editor, alignment)
}

/** The look of the theme, for what is written in the page. In a message it stands in each element. */
export function lookOfTheme(): string {
  return Object.entries(getMergedCssJs(THEME, EDITOR_THEMES[THEME]))
    .filter(([name]) => name !== 'reset')
    .map(([name, styles]) => `${name === 'body' ? EDITED : `${EDITED} .node-${name}`}{${declarations(styles ?? {})}}`)
    .concat(
      `${EDITED}{box-sizing:border-box;margin:0;padding:16px;min-height:480px;max-width:100%;outline:none;overflow-x:auto;overflow-wrap:anywhere}${EDITED} img,${EDITED} .node-container{max-width:100%}`,
    )
    .join('')
}

const THEME = 'basic'
const EDITED = '.tiptap.ProseMirror'

const declarations = (styles: object): string =>
  Object.entries(styles)
    .flatMap(([name, value]) =>
      value === undefined ? [] : [`${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}:${value}`],
    )
    .join(';')

const text = (words: string, ...marks: NonNullable<JSONContent['marks']>): JSONContent => ({
  type: 'text',
  text: words,
  ...(marks.length > 0 && { marks }),
})
const paragraph = (...content: JSONContent[]): JSONContent => ({ type: 'paragraph', ...(content.length > 0 && { content }) })

/** What a new broadcast begins with: people must be able to unsubscribe. */
export const NEW_BROADCAST: JSONContent = {
  type: 'doc',
  content: [
    paragraph(text('Hello {{{contact.first_name|there}}},')),
    paragraph(),
    paragraph(text('Unsubscribe', { type: 'link', attrs: { href: '{{{UNSUBSCRIBE_URL}}}' } })),
  ],
}

export const EMPTY: JSONContent = { type: 'doc', content: [paragraph()] }
