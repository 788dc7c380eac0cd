// What all pages under /share have in common.
import { html, type SafeHtml } from '@remix-run/html-template'
import { readSourceFile } from '../../lib/source-files.ts'
import { FRAME_STYLE } from '../frame/email-frame.ts'
import { pageDocument } from '../shell/document.ts'
import { COMMON_STYLE } from '../shell/page-files.ts'

/** In the page itself, which a stranger opens once: it needs nothing of ours but its own address. */
const STYLE = COMMON_STYLE + FRAME_STYLE + readSourceFile('share.css', import.meta)

export const shell = (title: string, body: SafeHtml): string =>
  pageDocument({ title, head: html`<style>${html.raw`${STYLE}`}</style>`, body })
