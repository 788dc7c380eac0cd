// The pages of signing in.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { FrontPage } from '../../../http/pages/front-page.ts'
import { CONSOLE } from '../../../http/pages/paths.ts'
import { PASSKEY_SCRIPT, passkeyForm } from '../passkeys/passkey-form.ts'
import type { OpenInvitation } from './invitations.repository.ts'

export type SignInPage = {
  problem?: string | null
  /** The page that the person asked for. */
  next?: string | null
  hasProvider: boolean
  /** Where passkeys work; null: nowhere. */
  passkeyOrigin: string | null
  /** Whether mail has left this installation before. Until then, links are printed too. */
  isMailCertain: boolean
  /** Whether some team has no owner yet, so that a key may make one. */
  takesKey: boolean
  hasOwners: boolean
}

const problemLine = (problem: string | null): SafeHtml | string =>
  problem === null ? '' : html`<p class="wrong" id="problem" role="alert">${problem}</p>`

export const nextField = (next: string | null): SafeHtml =>
  next === null ? html`` : html`<input type="hidden" name="next" value="${next}">`

const PRINTED = html`<p class="note">No mail has left this installation yet. Its operator gets a link by <code>npm run -s posthaste -- people link ADDRESS</code>.</p>
`

const FIRST = html`<p class="note">No one is an owner here yet. The operator gets a link for the first by <code>npm run -s posthaste -- console link</code>.</p>
`

const printed = ({ isMailCertain, hasOwners }: Pick<SignInPage, 'isMailCertain' | 'hasOwners'>): SafeHtml | string => {
  if (!hasOwners) return FIRST
  return isMailCertain ? '' : PRINTED
}

export const signInPage = (page: SignInPage): FrontPage => {
  const { problem = null, next = null, hasProvider, passkeyOrigin, isMailCertain, hasOwners, takesKey } = page
  return {
    title: 'Sign in',
    ...(passkeyOrigin !== null && { script: PASSKEY_SCRIPT }),
    main: html`<h1>Sign in</h1>
<p class="note">With Posthaste your team sends its email, such as newsletters and receipts, and sees what became of it. You need no password: a link that is mailed to you signs you in.</p>
${problemLine(problem)}
<form method="post" action="${CONSOLE}/sign-in">
${nextField(next)}<div><label for="email">Your email address</label>
<input id="email" name="email" type="email" required autofocus autocomplete="username webauthn" spellcheck="false" autocapitalize="off" maxlength="254"${problem === null ? '' : html` aria-describedby="problem"`}></div>
<div><button>Mail me a link</button></div>
</form>
${printed({ isMailCertain, hasOwners })}${passkeyOrigin === null ? '' : passkeyForm({ ...BY_PASSKEY, origin: passkeyOrigin, next })}${hasProvider ? html`<p><a class="button quiet" href="${CONSOLE}/sign-in/provider${next === null ? '' : `?next=${encodeURIComponent(next)}`}">Sign in with your identity provider</a></p>` : ''}
${takesKey ? KEY_FORM : ''}`,
  }
}

const BY_PASSKEY = {
  options: `${CONSOLE}/sign-in/passkey`,
  action: `${CONSOLE}/sign-in/passkey/verify`,
  label: 'Sign in with a passkey',
}

const KEY_FORM = html`<details><summary>Become the first owner with an API key</summary>
<form method="post" action="${CONSOLE}/sign-in/key"><p class="note">A key with full access makes the first owner of a team that has none. After that, people sign in with their address.</p>
<div><label for="api_key">API key</label>
<input id="api_key" name="api_key" type="password" required autocomplete="off" spellcheck="false" autocapitalize="off" maxlength="256"></div>
<div><button class="quiet">Continue</button></div></form></details>`

/** It says the same whether the address is known or not. */
export const linkSentPage = ({ email, isMailCertain }: { email: string; isMailCertain: boolean }): FrontPage => ({
  title: 'Check your email',
  main: html`<h1>Check your email</h1>
<p>If <b><bdi>${email}</bdi></b> belongs to someone here, a link is on its way. It works once, for 15 minutes.</p>
<p>Open it in this browser.</p>
${isMailCertain ? '' : PRINTED}<p><a href="${CONSOLE}/sign-in">Another address</a></p>`,
})

/** A link signs in by a click on this page, not by being opened, because programs that check mail open links. */
export const linkPage = ({ token, email, isOtherBrowser }: { token: string; email: string; isOtherBrowser: boolean }): FrontPage => ({
  title: 'Sign in',
  main: html`<h1>Sign in</h1>
<p>This link signs you in as <b><bdi>${email}</bdi></b>.</p>
${isOtherBrowser ? OTHER_BROWSER : ''}<form method="post" action="${pathOf(token)}">${isOtherBrowser ? html`<input type="hidden" name="other_browser" value="yes">` : ''}
<div><button autofocus>${isOtherBrowser ? 'I asked for it. Sign in' : 'Sign in'}</button></div></form>`,
})

const OTHER_BROWSER = html`<p class="warning" role="alert">This is not the browser that asked for the link. If someone else sent it to you, close this page.</p>
`

const pathOf = (token: string): string => `${CONSOLE}/sign-in/${encodeURIComponent(token)}`

type NewPerson = { problem?: string | null; email?: string; name?: string }

/** `isKnown`: a person has the address, and has a name. */
type InvitationPage = { token: string; invitation: OpenInvitation; isKnown: boolean; problem?: string | null }

const nameField = (name: string): SafeHtml => html`<div><label for="name">Your name</label>
<input id="name" name="name" required autocomplete="name" maxlength="100" value="${name}"></div>`

const CAPTURED = html`Mail does not leave this installation (<code>DELIVERY=capture</code>). To sign in later, run <code>npm run -s posthaste -- people link ADDRESS</code> on its server: it prints a link.`

/** `isMailed`: whether mail leaves this installation. */
export const firstOwnerPage = ({
  token,
  teamName,
  isMailed,
  problem = null,
  email = '',
  name = '',
}: { token: string; teamName: string; isMailed: boolean } & NewPerson): FrontPage => ({
  title: 'First owner',
  main: html`<h1>Who are you?</h1>
${problemLine(problem)}<p>You become the owner of the team <b><bdi>${teamName}</bdi></b>. ${isMailed ? 'Links that sign you in are mailed to your address from then on.' : CAPTURED}</p>
<form method="post" action="${pathOf(token)}">
<div><label for="email">Your email address</label>
<input id="email" name="email" type="email" required autofocus autocomplete="email" spellcheck="false" autocapitalize="off" maxlength="254" value="${email}"></div>
${nameField(name)}<div><button>Open the console</button></div></form>`,
})

export const invitationPage = ({ token, invitation, isKnown, problem = null }: InvitationPage): FrontPage => ({
  title: 'Invitation',
  main: html`<h1>Join <bdi>${invitation.teamName}</bdi></h1>
${problemLine(problem)}<p><bdi>${invitation.invitedBy}</bdi> invites <b><bdi>${invitation.email}</bdi></b> to the team, as ${invitation.role}.</p>
<form method="post" action="${CONSOLE}/invitations/${encodeURIComponent(token)}">
${isKnown ? '' : nameField('')}<div><button>Accept</button></div></form>`,
})

/** For someone who is a person here already: a link that others may have read does not sign them in. */
export const joinedPage = ({ teamName, email }: { teamName: string; email: string }): FrontPage => ({
  title: 'You joined',
  main: html`<h1>You are a member of <bdi>${teamName}</bdi> now</h1>
<p>Sign in as <b><bdi>${email}</bdi></b> to open it.</p>
<form method="post" action="${CONSOLE}/sign-in"><input type="hidden" name="email" value="${email}">
<div><button autofocus>Mail me a link</button></div></form>
<p><a class="button quiet" href="${CONSOLE}/sign-in">Sign in another way</a></p>`,
})

export type SignInChoice = { name: string; path: string; teamId: string | null }
/**
 * What someone may open whom the identity provider has signed in. A button of ours begins the session: browsers keep its cookie from a page that another
 * site led to.
 */
export const signInChoicesPage = ({ name, choices, next }: { name: string; choices: SignInChoice[]; next: string | null }): FrontPage => ({
  title: 'Sign in',
  main: html`<h1>Sign in</h1>
<p>You are <bdi>${name}</bdi>. ${choices.length === 1 ? '' : 'What do you want to open?'}</p>
${choices.map((choice, index) => html`<form method="post" action="${choice.path}">${nextField(next)}${choice.teamId === null ? '' : html`<input type="hidden" name="team" value="${choice.teamId}">`}<button${index === 0 ? html` autofocus` : html` class="quiet"`}>Open <bdi>${choice.name}</bdi></button></form>`)}`,
})

export const noticePage = ({ title, message, back = true }: { title: string; message: string; back?: boolean }): FrontPage => ({
  title,
  main: html`<h1>${title}</h1>
<p>${message}</p>
${back ? html`<p><a class="button quiet" href="${CONSOLE}/sign-in">Sign in</a></p>` : ''}`,
})
