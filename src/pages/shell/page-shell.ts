// What the home page, the pages of the inbox and those of wrong addresses have in common: their frame, their files, their headers.

import { html, type SafeHtml } from '@remix-run/html-template'
import { readSourceFile } from '../../lib/source-files.ts'
import { type OutcomeSummary, stateWords } from '../../mail/outcome-summary.ts'
import { COMMON_STYLE, type PageFile, pageFile } from './page-files.ts'

/** Only files of our own. Forms come back to us: with `no-referrer` a browser would hide the origin that the check on POST needs. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'private, no-store',
}

const STYLE = pageFile('shell', 'css', COMMON_STYLE + readSourceFile('shell.css', import.meta))
const TIMES = pageFile('times', 'js', readSourceFile('times.js', import.meta))
const LIVE = pageFile('live', 'js', readSourceFile('live.js', import.meta))

/** Of every page. */
export const SHELL_FILES = [STYLE, TIMES, LIVE]

export type Shell = {
  title: string
  /** Where in the pages the reader is. */
  section: 'inbox' | null
  /** Whose mail it is; null while nobody is signed in. */
  teamName: string | null
  /** Styles and scripts of its own. */
  files?: PageFile[]
  main: SafeHtml
}

export const shell = ({ title, section, teamName, files = [], main }: Shell): string =>
  String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Posthaste</title>
<link rel="icon" href="${ICON}">
${[...SHELL_FILES, ...files].map(linkTo)}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
<a class="brand" href="/">Posthaste</a>
<nav aria-label="Pages"><a href="/inbox"${section === 'inbox' ? CURRENT : ''}>Inbox</a> <a href="/docs">Docs</a></nav>
${
  teamName === null
    ? ''
    : html`<span class="team" title="${teamName}"><bdi>${teamName}</bdi></span>
<form method="post" action="/inbox/sign-out"><button class="quiet">Sign out</button></form>`
}
</header>
<main id="main" tabindex="-1">${main}</main>
</body>
</html>`)

const linkTo = ({ kind, address }: PageFile): SafeHtml =>
  kind === 'css' ? html`<link rel="stylesheet" href="${address}">` : html`<script type="module" src="${address}"></script>`

const CURRENT = html` aria-current="true"`

/** An envelope; as data, because a browser would ask the API for /favicon.ico otherwise. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect y='3' width='16' height='11' rx='2' fill='%232b5fd9'/%3E%3Cpath d='M2 5l6 5 6-5' fill='none' stroke='%23fff' stroke-width='1.5'/%3E%3C/svg%3E"

/** A moment in UTC, to the second for those who point at it, with its year only when that is another one. The script writes it in the reader's own time. */
export function moment(time: Date, now: Date): SafeHtml {
  const format = time.getUTCFullYear() === now.getUTCFullYear() ? IN_THIS_YEAR : IN_ANOTHER_YEAR
  const toTheSecond = time.toISOString().slice(0, 19).replace('T', ' ')
  return html`<time datetime="${time.toISOString()}" title="${toTheSecond} UTC">${format.format(time)} UTC</time>`
}

const SHORT = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', timeZone: 'UTC' } as const
const IN_THIS_YEAR = new Intl.DateTimeFormat('en-GB', SHORT)
const IN_ANOTHER_YEAR = new Intl.DateTimeFormat('en-GB', { ...SHORT, year: 'numeric' })

/** A state in words, with a colour that says no more than the word. */
export const stateMark = (state: string): SafeHtml => html`<span class="state ${state}">${stateWords(state)}</span>`

/** The state of an email as a whole; what its recipients are in, one by one, for those who point at it. */
export const outcomeMark = ({ words, state, parts }: OutcomeSummary): SafeHtml =>
  html`<span class="state ${state}"${parts === null ? '' : html` title="${parts}"`}>${words}</span>`

export type Notice = Pick<Shell, 'title' | 'section'> & {
  message: string
  /** Where the reader can go on. */
  way: { address: string; name: string }
}

/** A page that says one thing and leads on. */
export const noticePage = ({ title, section, message, way }: Notice): string =>
  shell({
    title,
    section,
    teamName: null,
    main: html`<section class="notice"><h1>${title}</h1><p>${message}</p><p><a class="button" href="${way.address}">${way.name}</a></p></section>`,
  })
