// Signing in by a link in a mail, by the identity provider, or as the first owner of a team; and signing out.
import cookies from '@fastify/cookie'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { takeForms } from '../../../http/pages/document.ts'
import { sendFrontPage } from '../../../http/pages/front-page.ts'
import { CONSOLE } from '../../../http/pages/paths.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { LinkParams } from '../../../http/resource.ts'
import { Failure } from '../../../lib/failure.ts'
import { createSignInSecret, digestToken, isId } from '../../../lib/ids.ts'
import { isThisMachine } from '../../../lib/peer-addresses.ts'
import { createUnawaitedWork } from '../../../lib/unawaited-work.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import type { AccountsContext } from '../accounts.context.ts'
import { passkeyPages } from '../passkeys/passkeys.pages.ts'
import { confirmationRoutes } from '../sessions/confirmation.pages.ts'
import { createAskedCookie, createSessionCookie, isFromOwnPage, returnPath, signOut } from '../sessions/sessions.pages.ts'
import { newSignInLink, openPersonSession } from '../sessions/sessions.service.ts'
import { refusalByState } from '../teams/team-states.ts'
import { asJoining, asOwnAct } from './own-acts.ts'
import { createFirstOwnerLink, personEmail, personName } from './people.service.ts'
import type { EnsuredPerson } from './persons.repository.ts'
import { providerRoutes } from './provider.pages.ts'
import { firstOwnerPage, invitationPage, joinedPage, linkPage, linkSentPage } from './sign-in-page.ts'
import {
  askForAddress,
  type Entry,
  enter,
  notice,
  readOrProblem,
  STATUS_OF_INVALID,
  STATUS_OF_REFUSAL,
  tooMany,
} from './sign-in-steps.pages.ts'

type Context = PlatformContext & SecretsContext & AccountsContext

const FORM_BYTES_MAX = 4_096
/** Links that are made and put into the queue at once. More wait, of whichever address. */
const LINKS_AT_ONCE_MAX = 100
const KEY_LINK_MS = 10 * 60_000
const config = { access: 'public' as const }

export const NextQuery = Type.Object({ next: Type.Optional(Type.Unknown()) })
const text = Type.Optional(Type.String())
const AddressForm = Type.Object({ email: text, next: text })
const KeyForm = Type.Object({ api_key: text })
const LinkForm = Type.Optional(
  Type.Union([Type.Null(), Type.Object({ email: text, name: text, next: text, other_browser: text, team: text })]),
)
const InvitationForm = Type.Optional(Type.Union([Type.Null(), Type.Object({ name: text })]))

const LINK_NOT_VALID = 'This link was used already or has expired. Ask for a new one.'
const NOT_FROM_HERE = 'This form was not sent from a page of ours. Reload the page.'
const NO_TLS =
  'The address of this service is not secure: anyone on the way could take over what you are signed in to. Nothing is wrong with your link. Ask the person who runs the service to set PUBLIC_URL to an address that begins with https:// (or, to try it out, to http://localhost with its port), and to start it again.'

const signInRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { repositories, clock, publicUrl, log, installationMails } = context
  const cookie = createSessionCookie(context)
  const asked = createAskedCookie(context)
  const mailing = createUnawaitedWork({
    max: LINKS_AT_ONCE_MAX,
    onFailure: (error) => log.error({ err: error }, 'sign-in link not sent'),
  })
  app.addHook('onClose', () => mailing.ended())
  const isMailed = context.config.delivery !== 'capture'
  const isSafe = publicUrl.startsWith('https:') || isThisMachine(new URL(publicUrl).hostname)

  await app.register(cookies)
  await takeForms(app, { bytesMax: FORM_BYTES_MAX })
  app.addHook('onRequest', async (request, reply) => {
    if (!isSafe && !request.url.startsWith(`${CONSOLE}/sign-out`))
      return notice(reply, STATUS_OF_REFUSAL, { title: 'You cannot sign in here yet', message: NO_TLS, back: false })
    if (request.method === 'POST' && !isFromOwnPage(request.headers, originsOf(request)))
      return notice(reply, STATUS_OF_REFUSAL, { title: 'Not allowed', message: NOT_FROM_HERE })
    const refusal =
      request.method === 'POST' || request.url.startsWith(`${CONSOLE}/sign-in/`) || request.url.startsWith(`${CONSOLE}/invitations/`)
        ? await app.countSignInLink(request, reply)
        : null
    return refusal ? tooMany(reply, refusal) : undefined
  })
  await app.register(providerRoutes, context)
  await app.register(confirmationRoutes, context)
  await app.register(passkeyPages, context)

  app.get('/sign-in', { config, schema: { hide: true, querystring: NextQuery } }, async (request, reply) =>
    askForAddress(context, reply, { next: returnPath(request.query.next) }),
  )

  app.post('/sign-in', { config, schema: { hide: true, body: AddressForm } }, async (request, reply) => {
    const next = returnPath(request.body.next)
    const email = readOrProblem(() => personEmail(request.body.email))
    if (email instanceof Failure) return askForAddress(context, reply.code(STATUS_OF_INVALID), { next, problem: email.message })
    const secret = createSignInSecret()
    asked.set(reply, secret)
    // It is only begun here, so that the time of the answer does not tell whether the address is known.
    await mailing.begin(() => mailLink(email, { browserSecret: secret, next, clientAddress: request.ip }))
    return sendFrontPage(reply, linkSentPage({ email, isMailCertain: await installationMails.isCertain() }))
  })

  app.post('/sign-in/key', { config, schema: { hide: true, body: KeyForm } }, async (request, reply) => {
    const holder = await app.recognizeKey(request, request.body.api_key?.trim() ?? '')
    if (holder instanceof Failure) {
      const refusal = holder.kind === 'rateLimited' ? holder : await app.countFailedCredential(request, reply)
      return refusal
        ? tooMany(reply, refusal)
        : askForAddress(context, reply.code(STATUS_OF_REFUSAL), { next: null, problem: holder.message })
    }
    const problem =
      holder.permission !== 'full_access'
        ? 'This API key may only send emails. Use one with full access.'
        : (await repositories.persons.hasOwner(holder.teamId))
          ? 'This team has an owner, so no key signs in. Sign in with your address, or ask an owner for an invitation.'
          : null
    if (problem !== null) return askForAddress(context, reply.code(STATUS_OF_REFUSAL), { next: null, problem })
    return reply.redirect(new URL(await createFirstOwnerLink(context, holder.teamId, KEY_LINK_MS)).pathname, 303)
  })

  app.get('/sign-in/:token', { config, schema: { hide: true, params: LinkParams } }, async (request, reply) => {
    const { token } = request.params
    const [digest, now] = [digestToken(token), clock.now()]
    const link = await repositories.signInLinks.openAcrossTeams(digest, now)
    if (link?.email) return sendFrontPage(reply, linkPage({ token, email: link.email, isOtherBrowser: isOtherBrowser(request, link) }))
    if (link?.teamId) {
      const stopped = await stoppedTeam(link.teamId)
      return stopped
        ? takesNoOne(reply, stopped)
        : sendFrontPage(reply, firstOwnerPage({ token, teamName: await teamName(link.teamId), isMailed }))
    }
    return refuse(request, reply)
  })

  app.post('/sign-in/:token', { config, schema: { hide: true, params: LinkParams, body: LinkForm } }, async (request, reply) => {
    const { token } = request.params
    const [digest, now] = [digestToken(token), clock.now()]
    const body = request.body ?? {}
    const link = await repositories.signInLinks.openAcrossTeams(digest, now)
    if (link === null) return refuse(request, reply)
    if (link.email !== null && isOtherBrowser(request, link) && body.other_browser !== 'yes')
      return sendFrontPage(reply, linkPage({ token, email: link.email, isOtherBrowser: true }))
    if (link.personId === null) return becomeFirstOwner(request, reply, { token, teamId: link.teamId ?? '', ...body })
    const redeemed = await repositories.signInLinks.redeemAcrossTeams(digest, now)
    if (redeemed?.personId == null) return refuse(request, reply)
    const { personId, teamId, issuer, subject, isOperator } = redeemed
    if (issuer !== null && subject !== null) {
      const own = { request, name: 'console.sign-in.identity', person: { id: personId, email: redeemed.email ?? '' } }
      await asOwnAct(context, own, () => repositories.persons.addIdentityAcrossTeams(personId, { issuer, subject }))
    }
    if (asked.read(request) !== null) asked.clear(reply)
    const chosen = body.team !== undefined && isId(body.team) ? body.team.toLowerCase() : null
    return enterAs(request, reply, {
      personId,
      teamId: teamId ?? chosen,
      method: issuer === null ? 'link' : 'identity_provider',
      next: returnPath(body.next) ?? redeemed.next,
      isOperator,
    })
  })

  app.get('/invitations/:token', { config, schema: { hide: true, params: LinkParams } }, async (request, reply) => {
    const { token } = request.params
    const invitation = await repositories.invitations.openAcrossTeams(digestToken(token))
    if (!invitation) return refuse(request, reply, INVITATION_NOT_VALID)
    const stopped = await stoppedTeam(invitation.teamId)
    if (stopped) return takesNoOne(reply, stopped)
    const isKnown = (await repositories.persons.findByEmailAcrossTeams(invitation.email)) !== null
    return sendFrontPage(reply, invitationPage({ token, invitation, isKnown }))
  })

  app.post('/invitations/:token', { config, schema: { hide: true, params: LinkParams, body: InvitationForm } }, async (request, reply) => {
    const { token } = request.params
    const invitation = await repositories.invitations.openAcrossTeams(digestToken(token))
    if (!invitation) return refuse(request, reply, INVITATION_NOT_VALID)
    const stopped = await stoppedTeam(invitation.teamId)
    if (stopped) return takesNoOne(reply, stopped)
    const { email, teamId } = invitation
    const known = await repositories.persons.findByEmailAcrossTeams(email)
    const name = known?.name ?? readOrProblem(() => personName(request.body?.name))
    if (name instanceof Failure)
      return sendFrontPage(reply.code(STATUS_OF_INVALID), invitationPage({ token, invitation, isKnown: false, problem: name.message }))
    const accepted = await asJoining(context, { request, name: 'console.invitations.accept', email, teamId }, () =>
      repositories.invitations.acceptAcrossTeams(digestToken(token), name),
    )
    if (!accepted) return refuse(request, reply, INVITATION_NOT_VALID)
    return letIn(request, reply, accepted)
  })

  app.post('/sign-out', { config, schema: { hide: true } }, async (request, reply) => {
    // First, so that the browser forgets the session even if the database is unavailable.
    cookie.clear(reply)
    // A key that was entered in /docs in this tab.
    reply.header('clear-site-data', '"storage"')
    await signOut(context, request)
    return reply.redirect(`${CONSOLE}/sign-in`, 303)
  })

  async function mailLink(
    email: string,
    { browserSecret, next, clientAddress }: { browserSecret: string; next: string | null; clientAddress: string },
  ): Promise<void> {
    const person = await repositories.persons.findByEmailAcrossTeams(email)
    if (!person) return
    const { link, ...rest } = newSignInLink(context, { personId: person.id, browserSecret, next })
    const words = `Sign in to Posthaste at ${new URL(publicUrl).host}:\n\n${link}\n\nThe link works once, for 15 minutes. If you did not ask for it, ignore this mail.\n`
    await installationMails.send({ kind: 'link', to: email, subject: 'Sign in', text: words, secret: link, ...rest, clientAddress })
  }

  async function becomeFirstOwner(
    request: FastifyRequest,
    reply: FastifyReply,
    { token, teamId, ...body }: { token: string; teamId: string; email?: string; name?: string },
  ): Promise<FastifyReply> {
    const stopped = await stoppedTeam(teamId)
    if (stopped) return takesNoOne(reply, stopped)
    const given = readOrProblem(() => ({ email: personEmail(body.email), name: personName(body.name) }))
    if (given instanceof Failure) {
      const page = firstOwnerPage({
        token,
        teamName: await teamName(teamId),
        isMailed,
        problem: given.message,
        email: body.email ?? '',
        name: body.name ?? '',
      })
      return sendFrontPage(reply.code(STATUS_OF_INVALID), page)
    }
    if ((await repositories.signInLinks.redeemAcrossTeams(digestToken(token), clock.now())) === null) return refuse(request, reply)
    const person = await asJoining(context, { request, name: 'console.sign-in.first-owner', email: given.email, teamId }, () =>
      repositories.persons.becomeFirstOwner(teamId, given),
    )
    if (person === null) return refuse(request, reply, 'This team has an owner by now. Ask them for an invitation.')
    return letIn(request, reply, { person, teamId })
  }

  /**
   * Signs a new person in. Someone who was here before opens the team only in a browser that is signed in as them: the link of an invitation is as old as
   * seven days and may have been forwarded, and it names their address without proving it.
   */
  async function letIn(
    request: FastifyRequest,
    reply: FastifyReply,
    { person, teamId }: { person: EnsuredPerson; teamId: string },
  ): Promise<FastifyReply> {
    if (person.isNew) return enterAs(request, reply, { personId: person.id, teamId, method: 'link', next: null })
    const session = await openPersonSession(context, cookie.read(request))
    if (session?.personId !== person.id) return sendFrontPage(reply, joinedPage({ teamName: await teamName(teamId), email: person.email }))
    await repositories.sessions.lookAtAcrossTeams(session.id, person.id, teamId)
    return reply.redirect(CONSOLE, 303)
  }

  async function enterAs(request: FastifyRequest, reply: FastifyReply, entry: Entry): Promise<FastifyReply> {
    const path = await enter(context, { request, reply }, entry)
    return path === null ? refuse(request, reply) : reply.redirect(path, 303)
  }

  async function refuse(request: FastifyRequest, reply: FastifyReply, message = LINK_NOT_VALID): Promise<FastifyReply> {
    const refusal = await app.countFailedCredential(request, reply)
    return refusal ? tooMany(reply, refusal) : notice(reply, STATUS_OF_REFUSAL, { title: 'This link does not work', message })
  }

  /** Why no one joins a team now that is suspended or deleted; null: people may join. The link stays as it is. */
  const stoppedTeam = async (teamId: string): Promise<Failure | null> =>
    refusalByState(await repositories.teams.stateOf(teamId), { writes: true })
  const takesNoOne = (reply: FastifyReply, { message }: Failure): FastifyReply =>
    notice(reply, STATUS_OF_REFUSAL, { title: 'No one can join this team now', message, back: false })

  const teamName = async (teamId: string): Promise<string> => (await repositories.teams.find(teamId))?.name ?? ''
  const isOtherBrowser = (request: FastifyRequest, { browserDigest }: { browserDigest: string | null }): boolean =>
    browserDigest !== null && browserDigest !== digestToken(asked.read(request) ?? '')
  /** The service may be reached by other names than PUBLIC_URL, such as localhost. */
  const originsOf = ({ host }: FastifyRequest): string[] => [
    new URL(publicUrl).origin,
    ...(publicUrl.startsWith('https:') ? [] : [`http://${host}`]),
  ]
}

const INVITATION_NOT_VALID = 'This invitation was accepted or revoked, or has expired. Ask for a new one.'

/** Below the address of the console, beside its other pages. */
export const signInPages: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register((scope) => signInRoutes(scope, context), { prefix: CONSOLE })
}
