// What the ways of signing in have in common: where they begin, how they end, and what a refusal looks like.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendFrontPage } from '../../../http/pages/front-page.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { Failure } from '../../../lib/failure.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import type { AccountsContext } from '../accounts.context.ts'
import { siteOf } from '../passkeys/ceremonies.ts'
import { createSessionCookie, signInFrom, startPath } from '../sessions/sessions.pages.ts'
import type { SignInMethod } from '../sessions/sessions.repository.ts'
import { beginSession, endSession } from '../sessions/sessions.service.ts'
import { asOwnAct } from './own-acts.ts'
import { noticePage, type SignInPage, signInPage } from './sign-in-page.ts'

type Context = PlatformContext & SecretsContext & AccountsContext

export const STATUS_OF_REFUSAL = 403
export const STATUS_OF_INVALID = 422
const STATUS_OF_TOO_MANY = 429

export type Entry = { personId: string; teamId: string | null; method: SignInMethod; next: string | null; isOperator?: boolean }

/** The path of the first page; null if there is no such person. Ends the session that the browser had: its cookie is overwritten, so no one could sign out of it later. */
export async function enter(
  context: Context,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { personId, teamId, method, next, isOperator = false }: Entry,
): Promise<string | null> {
  const cookie = createSessionCookie(context)
  const person = await context.repositories.persons.findAcrossTeams(personId)
  const begin = () => beginSession(context, { personId, teamId, isOperator }, signInFrom(request, method))
  const token = person && (await asOwnAct(context, { request, name: 'console.sign-in', person }, begin))
  if (token === null) return null
  await endSession(context, cookie.read(request))
  cookie.set(reply, token)
  return startPath(next)
}

export async function askForAddress(
  { installationMails, repositories, gateways, publicUrl }: Context,
  reply: FastifyReply,
  page: Pick<SignInPage, 'problem' | 'next'>,
): Promise<FastifyReply> {
  const isMailCertain = await installationMails.isCertain()
  const takesKey = await repositories.persons.lacksOwnerAcrossTeams()
  const hasOwners = !takesKey || !(await repositories.persons.haveNoOwnersAcrossTeams())
  const hasProvider = gateways.identityProvider !== null
  const site = { hasProvider, isMailCertain, takesKey, hasOwners, passkeyOrigin: siteOf(publicUrl)?.origin ?? null }
  return sendFrontPage(reply, signInPage({ ...page, ...site }))
}

export const notice = (reply: FastifyReply, status: number, page: { title: string; message: string; back?: boolean }): FastifyReply =>
  sendFrontPage(reply.code(status), noticePage(page))

export const tooMany = (reply: FastifyReply, { message, retryAfterSeconds = 1 }: Failure): FastifyReply =>
  notice(reply.header('retry-after', String(retryAfterSeconds)), STATUS_OF_TOO_MANY, { title: 'Too many requests', message })

/** What a form is refused with is shown beside it. */
export function readOrProblem<Value>(read: () => Value): Value | Failure {
  try {
    return read()
  } catch (error) {
    if (error instanceof Failure && error.kind === 'validation') return error
    throw error
  }
}
