// The page on which people confirm that it is them, before an act of the console that needs it.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { html, type SafeHtml } from '@remix-run/html-template'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SignedIn } from '../../../http/operation.ts'
import { type FrontPage, sendFrontPage } from '../../../http/pages/front-page.ts'
import { CONSOLE } from '../../../http/pages/paths.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { Failure } from '../../../lib/failure.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import type { AccountsContext } from '../accounts.context.ts'
import { PASSKEY_SCRIPT, passkeyForm } from '../passkeys/passkey-form.ts'
import { readCredential } from '../passkeys/passkeys.schema.ts'
import { confirmByPasskey, hasPasskey } from '../passkeys/passkeys.service.ts'
import { asOwnAct } from '../people/own-acts.ts'
import { confirmByCode, mailCode } from './confirmation.service.ts'
import { createSessionCookie, signInAddress, startPath } from './sessions.pages.ts'
import { openPersonSession, signedInBy } from './sessions.service.ts'

type Context = PlatformContext & SecretsContext & AccountsContext

export const CONFIRM = `${CONSOLE}/confirm`
const STATUS_OF_INVALID = 422
const STATUS_OF_TOO_MANY = 429
const config = { access: 'public' as const }
const next = Type.Optional(Type.Unknown())
const NextQuery = Type.Object({ next })
const NextForm = Type.Optional(Type.Union([Type.Null(), Type.Object({ next })]))
const PasskeyForm = Type.Object({ credential: Type.Optional(Type.String()), next })
const CodeForm = Type.Object({ code: Type.Optional(Type.String()), next })

/** Where the console leads someone who has to confirm, and then back to this page. */
export const confirmAddress = (path: string): string => `${CONFIRM}?next=${encodeURIComponent(path)}`

export const confirmationRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { installationMails, publicUrl } = context
  const cookie = createSessionCookie(context)

  async function signedIn(request: FastifyRequest): Promise<SignedIn | null> {
    const session = await openPersonSession(context, cookie.read(request))
    return session && signedInBy(session)
  }
  const leave = (request: FastifyRequest, reply: FastifyReply) => reply.redirect(signInAddress(request), 303)
  const askFirst = async (reply: FastifyReply, person: SignedIn, page: { path: string; problem?: string }) => {
    const passkeyOrigin = (await hasPasskey(context, person.id)) ? new URL(publicUrl).origin : null
    return sendFrontPage(reply, askPage({ ...page, email: person.email, passkeyOrigin }))
  }
  const codePage = async (person: SignedIn, path: string, problem: string | null = null) =>
    enterCodePage({ email: person.email, path, problem, isMailCertain: await installationMails.isCertain() })

  app.get('/confirm', { config, schema: { hide: true, querystring: NextQuery } }, async (request, reply) => {
    const person = await signedIn(request)
    return person ? askFirst(reply, person, { path: startPath(request.query.next) }) : leave(request, reply)
  })

  app.post('/confirm/code', { config, schema: { hide: true, body: NextForm } }, async (request, reply) => {
    const person = await signedIn(request)
    if (!person) return leave(request, reply)
    const path = startPath(request.body?.next)
    const refused = await failureOf(() =>
      asOwnAct(context, { request, name: 'console.confirm.code', person }, () => mailCode(context, person, request.ip)),
    )
    // The code that was mailed last may still be entered.
    if (refused) reply.code(statusOf(refused)).header('retry-after', String(refused.retryAfterSeconds ?? 1))
    return sendFrontPage(reply, await codePage(person, path, refused?.message))
  })

  app.post('/confirm/passkey', { config, schema: { hide: true, body: PasskeyForm } }, async (request, reply) => {
    const person = await signedIn(request)
    if (!person) return leave(request, reply)
    const path = startPath(request.body.next)
    const refused = await failureOf(() =>
      asOwnAct(context, { request, name: 'console.confirm', person }, async () =>
        confirmByPasskey(context, person, readCredential(request.body.credential)),
      ),
    )
    if (refused) return askFirst(reply.code(statusOf(refused)), person, { path, problem: refused.message })
    return reply.redirect(path, 303)
  })

  app.post('/confirm', { config, schema: { hide: true, body: CodeForm } }, async (request, reply) => {
    const person = await signedIn(request)
    if (!person) return leave(request, reply)
    const path = startPath(request.body.next)
    const refused = await failureOf(() =>
      asOwnAct(context, { request, name: 'console.confirm', person }, () => confirmByCode(context, person, request.body.code ?? '')),
    )
    if (refused) return sendFrontPage(reply.code(statusOf(refused)), await codePage(person, path, refused.message))
    return reply.redirect(path, 303)
  })
}

async function failureOf(work: () => Promise<unknown>): Promise<Failure | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof Failure && ['validation', 'forbidden', 'rateLimited'].includes(error.kind)) return error
    throw error
  }
}

const statusOf = ({ kind }: Failure): number => (kind === 'rateLimited' ? STATUS_OF_TOO_MANY : STATUS_OF_INVALID)

const problemLine = (problem: string | null): SafeHtml | string =>
  problem === null ? '' : html`<p class="wrong" id="problem" role="alert">${problem}</p>`

/** `passkeyOrigin`: where the person may use a passkey; null: they have none. */
type AskPage = { email: string; path: string; problem?: string; passkeyOrigin: string | null }

const askPage = ({ email, path, problem, passkeyOrigin }: AskPage): FrontPage => ({
  title: 'Confirm',
  ...(passkeyOrigin !== null && { script: PASSKEY_SCRIPT }),
  main: html`<h1>Is it you?</h1>
${problemLine(problem ?? null)}<p>Confirm it, and then send your form again: what you had entered is not kept. We mail a code to <b><bdi>${email}</bdi></b>.</p>
<form method="post" action="${CONFIRM}/code"><input type="hidden" name="next" value="${path}"><div><button autofocus>Mail me a code</button></div></form>
${passkeyOrigin === null ? '' : passkeyForm({ ...BY_PASSKEY, origin: passkeyOrigin, next: path })}`,
})

const BY_PASSKEY = { options: '/me/confirmation/passkey', action: `${CONFIRM}/passkey`, label: 'Use a passkey' }

type CodePage = { email: string; path: string; problem: string | null; isMailCertain: boolean }

const enterCodePage = ({ email, path, problem, isMailCertain }: CodePage): FrontPage => ({
  title: 'Confirm',
  main: html`<h1>Enter the code</h1>
${problemLine(problem)}<p>It was mailed to <b><bdi>${email}</bdi></b>, and works once, for 10 minutes.</p>
${isMailCertain ? '' : html`<p class="note">No mail has left this installation yet. The terminal of the start shows the code, and <code>npm run -s posthaste -- people code ADDRESS</code> prints one.</p>`}<form method="post" action="${CONFIRM}"><input type="hidden" name="next" value="${path}">
<div><label for="code">Code of eight digits</label>
<input id="code" name="code" required autofocus inputmode="numeric" autocomplete="one-time-code" maxlength="20"></div>
<div><button>Confirm</button></div></form>
<form method="post" action="${CONFIRM}/code"><input type="hidden" name="next" value="${path}"><button class="quiet">Mail another code</button></form>`,
})
