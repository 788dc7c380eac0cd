import { html } from '@remix-run/html-template'
import { frontPage } from '../shell/front-page.ts'
import { CONSOLE } from '../shell/sections.ts'

export type SignInPage = { problem?: string | null; connect?: string | undefined; hasProvider: boolean }

/** Asks for an API key; `problem` says why the last one was refused, `connect` which request for access is decided after that. */
export const signInPage = ({ problem = null, connect, hasProvider }: SignInPage): string =>
  frontPage({
    title: 'Sign in',
    main: html`<section class="sheet narrow">
<h1>Sign in to the console</h1>
${problem === null ? '' : html`<p class="wrong" id="problem" role="alert">${problem}</p>`}
<form method="post" action="${CONSOLE}/sign-in">
${connect === undefined ? '' : html`<input type="hidden" name="connect" value="${connect}">`}<div><label for="api_key">API key</label>
<input id="api_key" name="api_key" type="password" required autofocus autocomplete="current-password" spellcheck="false" autocapitalize="off" maxlength="256" aria-describedby="${problem === null ? 'hint' : 'problem hint'}"></div>
<p class="note" id="hint">One with full access; it begins with re_. <code>npm run -s posthaste -- keys create</code> makes one.</p>
<p class="note">Without a key at hand: <code>npm run -s posthaste -- console link</code> prints a link that signs in.</p>
<div><button>Sign in</button></div>
</form>
${hasProvider ? html`<p><a class="button quiet" href="${CONSOLE}/sign-in/provider">Sign in with your identity provider</a></p>` : ''}
</section>`,
  })

/** A link signs in by a click on this page, not by being opened, because programs that check links beforehand would use it up. */
export const oneTimePage = (token: string): string =>
  frontPage({
    title: 'Sign in',
    main: html`<section class="sheet narrow">
<h1>Sign in to the console</h1>
<p>This link signs in once.</p>
<form method="post" action="${CONSOLE}/sign-in/${encodeURIComponent(token)}"><div><button autofocus>Open the console</button></div></form>
</section>`,
  })
