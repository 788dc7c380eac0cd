// Adds the only script of the frame around an email to its document (measure.js).
import { readSourceFile } from '../../lib/source-files.ts'
import { digestSource } from '../shell/page-files.ts'

const SCRIPT = readSourceFile('measure.js', import.meta)

/** First in the document, so that no unclosed tag of the email can contain it. The doctype stays before it. */
export function withFrameScript(document: string): string {
  const doctype = DOCTYPE.exec(document)?.[0] ?? ''
  return `${doctype}<script>${SCRIPT}</script>${document.slice(doctype.length)}`
}

const DOCTYPE = /^<![^>]*>/

/** The policy of the frame allows the script with this digest, and so none that is in an email. */
export const FRAME_SCRIPT_SOURCE = digestSource(SCRIPT)
