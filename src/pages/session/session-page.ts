import { html, type SafeHtml } from '@remix-run/html-template'
import { frontPage } from '../shell/front-page.ts'
import { CONSOLE } from '../shell/sections.ts'
import { isOfOperators } from './return-path.ts'

export type SignInPage = {
  problem?: string | null
  connect?: string | undefined
  /** The page that the person asked for. */
  next?: string | null
  hasProvider: boolean
}

/** Asks for an API key; `problem` says why the last one was refused, `connect` which request for access is decided after that. No key opens the pages of operators. */
export const signInPage = ({ problem = null, connect, next = null, hasProvider }: SignInPage): string =>
  frontPage({
    title: 'Sign in',
    main: html`<section class="sheet narrow">
<h1>Sign in to the console</h1>
${problem === null ? '' : html`<p class="wrong" id="problem" role="alert">${problem}</p>`}
${next !== null && isOfOperators(next) ? FOR_OPERATORS : ''}<form method="post" action="${CONSOLE}/sign-in">
${connect === undefined ? '' : html`<input type="hidden" name="connect" value="${connect}">`}${nextField(next)}<div><label for="api_key">API key</label>
<input id="api_key" name="api_key" type="password" required autofocus autocomplete="current-password" spellcheck="false" autocapitalize="off" maxlength="256" aria-describedby="${problem === null ? 'hint' : 'problem hint'}"></div>
<p class="note" id="hint">One with full access; it begins with re_. <code>npm run -s posthaste -- keys create</code> makes one.</p>
<p class="note">Without a key at hand: <code>npm run -s posthaste -- console link</code> prints a link that signs in.</p>
<div><button>Sign in</button></div>
</form>
${hasProvider ? html`<p><a class="button quiet" href="${CONSOLE}/sign-in/provider${next === null ? '' : `?next=${encodeURIComponent(next)}`}">Sign in with your identity provider</a></p>` : ''}
</section>`,
  })

const FOR_OPERATORS = html`<p class="note">This page is for operators. <code>npm run -s posthaste -- console link --operator</code> prints a link that signs one in; an API key opens the pages of its team.</p>
`

export const nextField = (next: string | null): SafeHtml =>
  next === null ? html`` : html`<input type="hidden" name="next" value="${next}">`

/** `teamName`: null if it signs in an operator. A link signs in by a click on this page, not by being opened, because programs that check links beforehand would use it up. */
export const oneTimePage = ({ token, teamName }: { token: string; teamName: string | null }): string =>
  frontPage({
    title: 'Sign in',
    main: html`<section class="sheet narrow">
<h1>Sign in to the console</h1>
<p>This link signs in once, ${teamName === null ? 'as an operator of the whole installation' : html`to the team <b><bdi>${teamName}</bdi></b>`}.</p>
<form method="post" action="${CONSOLE}/sign-in/${encodeURIComponent(token)}"><div><button autofocus>Open the console</button></div></form>
</section>`,
  })
