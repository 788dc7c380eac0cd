// The frame around HTML of an email on a page of the console, with a switch for its width.
import { html, type SafeHtml } from '@remix-run/html-template'
import { readSourceFile } from '../../lib/source-files.ts'
import { pageFile } from '../shell/page-files.ts'
import { FIT_SCRIPT, FRAME_SANDBOX, FRAME_STYLE, framePolicy } from './email-frame.ts'

/** The style of the page around it. */
export const FRAMED_STYLE = FRAME_STYLE + readSourceFile('widths.css', import.meta)

export const FIT = pageFile('fit', 'js', FIT_SCRIPT)

/** @param address of the document in the frame */
export const framed = ({ title, address }: { title: string; address: string }): SafeHtml =>
  html`<div class="shown">${WIDTHS}
<div class="frame"><iframe title="${title}" sandbox="${FRAME_SANDBOX}" referrerpolicy="no-referrer" src="${address}"></iframe></div></div>`

/** The headers of the framed document. */
export const framedHeaders = (loadsRemoteImages: boolean) => ({
  'content-security-policy': framePolicy(loadsRemoteImages),
  'x-frame-options': 'SAMEORIGIN',
  'referrer-policy': 'no-referrer',
  'x-dns-prefetch-control': 'off',
})

const widths = (screen: 'wide' | 'slim', own: 'desktop' | 'phone'): SafeHtml => html`<fieldset class="widths ${screen}" aria-label="Width">
${(['desktop', 'phone'] as const).map((width) => html`<label><input type="radio" name="${screen}" value="${width}"${width === own ? CHECKED : ''}>${WIDTH_NAMES[width]}</label> `)}</fieldset>`

const WIDTH_NAMES = { desktop: 'Desktop', phone: 'Phone' }
const CHECKED = html` checked`

/** Two switches. The style shows one of them, because a wide screen and a narrow one begin with different widths. They work without a script. */
const WIDTHS = html`${widths('wide', 'desktop')}${widths('slim', 'phone')}`
