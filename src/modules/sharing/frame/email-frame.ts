import { digestSource } from '../../../http/pages/document.ts'
import { readSourceFile } from '../../../lib/source-files.ts'

// Adds the only script of the frame around an email to its document (measure.js).

const SCRIPT = readSourceFile('measure.js', import.meta)

/** First in the document, so that no unclosed tag of the email can contain it. The doctype stays before it. */
export function withFrameScript(document: string): string {
  const doctype = DOCTYPE.exec(document)?.[0] ?? ''
  return `${doctype}<script>${SCRIPT}</script>${document.slice(doctype.length)}`
}

const DOCTYPE = /^<![^>]*>/

/** The policy of the frame allows the script with this digest, and so none that is in an email. */
export const FRAME_SCRIPT_SOURCE = digestSource(SCRIPT)

// What the frame around the HTML of an email may do.

/** The style of the page around the frame. */
export const FRAME_STYLE = readSourceFile('frame.css', import.meta)
/** Around a frame that does not load them. */
export const REMOTE_IMAGES_LEFT_OUT = 'Images from other servers are not loaded: they could tell the sender that you opened this email.'

export const FIT_SCRIPT = readSourceFile('fit.js', import.meta)

/**
 * No forms, and no origin, so that even a script that got through would find nothing of ours. By the policy no script but the one of ours runs, which
 * only measures. A link may open a tab of its own, free of the sandbox: following links is what test mail is for.
 */
export const FRAME_SANDBOX = 'allow-popups allow-popups-to-escape-sandbox allow-scripts'

/** What the frame may load in the console: its own styles and our copies of inline images; images of other servers only on request. */
export function framePolicy(loadsRemoteImages: boolean): string {
  const images = loadsRemoteImages ? "img-src data: 'self' https: http:" : "img-src data: 'self'"
  return `sandbox ${FRAME_SANDBOX}; default-src 'none'; script-src ${FRAME_SCRIPT_SOURCE}; style-src 'unsafe-inline'; ${images}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`
}
