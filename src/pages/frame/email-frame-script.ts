// Puts the one script of the frame around an email into its document (measure.js).
import { readSourceFile } from '../../lib/source-files.ts'
import { digestSource } from '../shell/page-files.ts'

const SCRIPT = readSourceFile('measure.js', import.meta)

/** First in the document, where no tag of the email that is not closed takes it for its text; the doctype stays before it. */
export function withFrameScript(document: string): string {
  const doctype = DOCTYPE.exec(document)?.[0] ?? ''
  return `${doctype}<script>${SCRIPT}</script>${document.slice(doctype.length)}`
}

const DOCTYPE = /^<![^>]*>/

/** The policy of the frame allows a script with this digest, and so none that is in an email. */
export const FRAME_SCRIPT_SOURCE = digestSource(SCRIPT)
