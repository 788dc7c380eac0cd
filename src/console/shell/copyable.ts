// A text of a page that people copy.
import { html, type SafeHtml } from '@remix-run/html-template'
import { pageFile } from '../../http/pages/document.ts'
import { readSourceFile } from '../../lib/source-files.ts'

/** Shows the button and does what it says. For pages with such a text. */
export const COPY_SCRIPT = pageFile('copy', 'js', readSourceFile('copy.js', import.meta))

type Copyable = { id: string; text: string; what: string; more?: SafeHtml }

export const copyable = ({ id, text, what, more = html`` }: Copyable): SafeHtml =>
  html`<div class="copyable"><div><code id="${id}">${text}</code>${more}</div> <button type="button" class="quiet copy" data-copy="${id}" data-said="The ${what} was copied." aria-label="Copy the ${what}" hidden>Copy</button></div>`
