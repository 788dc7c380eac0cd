// The pages of ours that name their styles and scripts by address: those of the console, the home page and those of wrong addresses.
import { html, type SafeHtml } from '@remix-run/html-template'
import { COMMON_STYLE, type PageFile, pageDocument, pageFile, TIMES_SCRIPT } from '../../http/pages/document.ts'
import { readSourceFile } from '../../lib/source-files.ts'

const STYLES = ['shell.css', 'lists.css', 'forms.css']

/** The files that every page loads. */
export const SHELL_FILES = [
  pageFile('shell', 'css', COMMON_STYLE + STYLES.map((name) => readSourceFile(name, import.meta)).join('')),
  pageFile('times', 'js', TIMES_SCRIPT),
  pageFile('live', 'js', readSourceFile('live.js', import.meta)),
  pageFile('once', 'js', readSourceFile('once.js', import.meta)),
  pageFile('finder', 'js', readSourceFile('finder.js', import.meta)),
]

export type OwnPage = {
  title: string
  /** Styles and scripts of its own. */
  files?: PageFile[]
  main: SafeHtml
}

/** `around`: what stands before the content. */
export const ownPage = ({ title, files = [], main, around }: OwnPage & { around: SafeHtml }): string =>
  pageDocument({
    title: `${title} · Posthaste`,
    icon: ICON,
    head: [...SHELL_FILES, ...files].map(linkTo),
    body: html`<a class="skip" href="#main">Skip to the content</a>
${around}
<main id="main" tabindex="-1">${main}</main>`,
  })

const linkTo = ({ kind, address }: PageFile): SafeHtml =>
  kind === 'css' ? html`<link rel="stylesheet" href="${address}">` : html`<script type="module" src="${address}"></script>`

/** An envelope. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect y='3' width='16' height='11' rx='2' fill='%232b5fd9'/%3E%3Cpath d='M2 5l6 5 6-5' fill='none' stroke='%23fff' stroke-width='1.5'/%3E%3C/svg%3E"
