// The frame of pages that need no sign-in.
import { html } from '@remix-run/html-template'
import { CONSOLE } from '../../http/pages/paths.ts'
import { type OwnPage, ownPage } from './own-page.ts'

export const frontPage = (page: OwnPage): string =>
  ownPage({
    ...page,
    around: html`<header class="bar">
<a class="brand" href="/">Posthaste</a>
<nav aria-label="Pages"><a href="${CONSOLE}">Console</a> <a href="/docs">Docs</a></nav>
</header>`,
  })
