// The one script of the frame around an email: it tells the page how high the content is. The frame is of no origin, so the page cannot look itself.
import { createHash } from 'node:crypto'

/** The scrollbars of browsers are at most as high; added where the content is wider than the frame. */
const SCROLLBAR_PX = 17

/**
 * An email that names something `body` or `documentElement` would be handed out by `document` under that name: so the root is taken first.
 *
 * It measures again when the page makes the frame lower or changes its width, never when it makes it higher: content as high as its frame would grow for ever.
 */
const SCRIPT = `'use strict'
const root = document.documentElement
let width = innerWidth
let height = innerHeight
function report() {
  const { scrollHeight, scrollWidth, clientWidth } = root
  const body = root.querySelector('body')
  const scrollbar = scrollWidth > clientWidth ? ${SCROLLBAR_PX} : 0
  parent.postMessage({ contentHeight: Math.max(scrollHeight, body ? body.scrollHeight : 0) + scrollbar }, '*')
}
addEventListener('resize', () => {
  if (innerWidth !== width || height > innerHeight) report()
  width = innerWidth
  height = innerHeight
})
document.addEventListener('DOMContentLoaded', report)
addEventListener('load', report)
addEventListener('toggle', report, true)
`

/** First in the document, where no tag of the email that is not closed takes it for its text; the doctype stays before it. */
export function withFrameScript(document: string): string {
  const doctype = DOCTYPE.exec(document)?.[0] ?? ''
  return `${doctype}<script>${SCRIPT}</script>${document.slice(doctype.length)}`
}

const DOCTYPE = /^<![^>]*>/

/** The policy of the frame allows a script with this digest, and so none that is in an email. */
export const FRAME_SCRIPT_SOURCE = `'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`
