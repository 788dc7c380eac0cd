// What all pages under /share have in common.
import { html, type SafeHtml } from '@remix-run/html-template'
import { readSourceFile } from '../../lib/source-files.ts'
import { FIT_SCRIPT, FRAME_STYLE } from '../frame/email-frame.ts'
import { FRAME_SCRIPT_SOURCE } from '../frame/email-frame-script.ts'
import { pageDocument } from '../shell/document.ts'
import { COMMON_STYLE, digestSource, TIMES_SCRIPT } from '../shell/page-files.ts'

/** Part of the page, because a stranger opens it once and then needs only its own address. */
const STYLE = COMMON_STYLE + FRAME_STYLE + readSourceFile('share.css', import.meta)
const SCRIPT = TIMES_SCRIPT + FIT_SCRIPT

export const shell = (title: string, body: SafeHtml): string =>
  pageDocument({
    title,
    head: html`<style>${html.raw`${STYLE}`}</style>
<script type="module">${html.raw`${SCRIPT}`}</script>`,
    body,
  })

/**
 * Two scripts run, by their digests: that of the page writes its times and makes the frame as high as the email, and that of the frame measures it.
 * The frame takes on this policy and is of no origin, so no script of the email runs. Pictures, fonts and styles of other servers are not loaded,
 * because they would tell the sender who opened the link, when and where. Its inline images are our own.
 */
export const PAGE_POLICY = `default-src 'none'; script-src ${digestSource(SCRIPT)} ${FRAME_SCRIPT_SOURCE}; style-src 'unsafe-inline'; img-src data: 'self'; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
