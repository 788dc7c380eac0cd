// Signing in by the operator's identity provider. Its answer is taken only from the browser that asked, once, and its groups say what it opens.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendFrontPage } from '../../../http/pages/front-page.ts'
import { CONSOLE } from '../../../http/pages/paths.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { MEMBER_ROLES, type MemberRole } from '../../../lib/member-roles.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import type { AccountsContext } from '../accounts.context.ts'
import type { Identity } from '../sessions/identity-provider.client.ts'
import { createRequestCookie, returnPath } from '../sessions/sessions.pages.ts'
import { createSignInLink, newSignInLink } from '../sessions/sessions.service.ts'
import { isOperator } from './operators.ts'
import { asGrouped } from './own-acts.ts'
import { nameFromEmail, nameFromProvider } from './people.service.ts'
import type { PersonRow } from './persons.repository.ts'
import { noticePage, type SignInChoice, signInChoicesPage } from './sign-in-page.ts'

type Context = PlatformContext & SecretsContext & AccountsContext

const options = { config: { access: 'public' as const }, schema: { hide: true } }
const STATUS_OF_REFUSAL = 403
const STATUS_OF_AWAY = 503
/** How long the buttons of the page that follows work. */
const LINK_MS = 5 * 60_000
/** Buttons on one page. */
const DOORS_MAX = 50
/** The role that a group gives unless it names one. */
const ROLE_OF_GROUP: MemberRole = 'admin'

const Query = Type.Object({ next: Type.Optional(Type.Unknown()) })

const AWAY = 'The identity provider does not answer at the moment. Try again, or sign in with a link.'
const REFUSED = 'The identity provider did not sign you in, or answered too late. Try again.'
const NO_GROUP = 'Your account is not in a group that may sign in here. Ask your operator.'

export const providerRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { config, gateways, repositories, publicUrl, log, installationMails } = context
  const { identityProvider } = gateways
  const { oidc } = config
  if (identityProvider === null || oidc === null) return
  const cookie = createRequestCookie(context)
  const answerAddress = `${publicUrl}${CONSOLE}/sign-in/provider/answer`

  app.get('/sign-in/provider', { ...options, schema: { hide: true, querystring: Query } }, async (request, reply) => {
    const begun = await identityProvider.begin(answerAddress)
    if (!begun.ok) return refuse(reply, { why: begun.why, error: begun.error })
    cookie.set(reply, { ...begun.value.checks, next: returnPath(request.query.next) })
    return reply.redirect(begun.value.address, 303)
  })

  app.get('/sign-in/provider/answer', options, async (request, reply) => {
    const checks = cookie.read(request)
    // An answer is taken once, whatever it says.
    cookie.clear(reply)
    if (checks === null) return refuse(reply, { why: 'refused', error: 'no request of this browser' })
    const result = await identityProvider.finish(answerOf(request), checks)
    if (!result.ok) return refuse(reply, { why: result.why, error: result.error })
    const identity = result.value
    const groups = oidc.groups.filter(({ group }) => identity.groups.includes(group))
    const isOperatorByGroup = groups.some(({ teamId }) => teamId === null)
    const teams = await existingTeams(
      groups.flatMap(({ teamId, role }) => (teamId === null ? [] : [{ teamId, role: role ?? ROLE_OF_GROUP }])),
    )
    const person = await personOf(identity, {
      isInvited: teams.length > 0 || isOperatorByGroup,
      next: checks.next,
      clientAddress: request.ip,
    })
    if (person === 'to confirm') return notice(reply, 200, { title: 'Check your email', message: toConfirm(identity.email ?? '') })
    if (person)
      await asGrouped(context, { request, name: 'console.sign-in.groups', person }, () =>
        repositories.persons.applyGroupsAcrossTeams(person.id, teams),
      )
    const choices = person ? await choicesOf(person, { ...identity, isOperatorByGroup }) : []
    if (choices.length === 0) return notice(reply, STATUS_OF_REFUSAL, { title: 'Sign in', message: NO_GROUP })
    return sendFrontPage(reply, signInChoicesPage({ name: identity.name, choices, next: checks.next }))
  })

  async function existingTeams(wanted: { teamId: string; role: MemberRole }[]): Promise<{ teamId: string; role: MemberRole }[]> {
    const found = new Set((await repositories.teams.findAcrossTeams(wanted.map(({ teamId }) => teamId))).map(({ id }) => id))
    const byTeam = [...Map.groupBy(wanted, ({ teamId }) => teamId)].filter(([teamId]) => found.has(teamId))
    return byTeam.slice(0, DOORS_MAX).map(([teamId, given]) => ({ teamId, role: widestOf(given.map(({ role }) => role)) }))
  }

  /**
   * Known by the identity, or new. An address that someone has already is theirs until they confirm, by a link that is mailed there, that the identity is
   * theirs too.
   */
  async function personOf(
    identity: Identity,
    { isInvited, next, clientAddress }: { isInvited: boolean; next: string | null; clientAddress: string },
  ): Promise<PersonRow | 'to confirm' | null> {
    const { issuer, subject, email, name } = identity
    const known = await repositories.persons.findByIdentityAcrossTeams({ issuer, subject })
    if (known) return known
    const holder = email === null ? null : await repositories.persons.findByEmailAcrossTeams(email)
    if (holder) {
      const { link, ...rest } = newSignInLink(context, { personId: holder.id, identity: { issuer, subject }, next })
      const text = `Someone signed in at your identity provider with your address. Confirm that it was you:\n\n${link}\n\nThe link works once, for 15 minutes. If it was not you, ignore this mail.\n`
      const mail = { to: holder.email, subject: 'Confirm your identity provider', text, secret: link }
      await installationMails.send({ kind: 'link', ...mail, ...rest, clientAddress })
      return 'to confirm'
    }
    if (!isInvited) return null
    const address = email ?? placeholder(identity)
    const person = await repositories.persons.ensureAcrossTeams(address, nameFromProvider(name) ?? nameFromEmail(address))
    await repositories.persons.addIdentityAcrossTeams(person.id, { issuer, subject })
    return person
  }

  /** One link that signs in once, to whichever of the teams. An operator sees the installation beside each, or without any. */
  async function choicesOf(
    { id: personId, email }: PersonRow,
    { issuer, subject, isOperatorByGroup }: Identity & { isOperatorByGroup: boolean },
  ): Promise<SignInChoice[]> {
    const teams = (await repositories.persons.teamsAcrossTeams(personId)).slice(0, DOORS_MAX)
    if (teams.length === 0 && !isOperator(config, { email, isOperatorByGroup })) return []
    const identity = { issuer, subject }
    const path = pathOf(await createSignInLink(context, { personId, identity, isOperator: isOperatorByGroup, forMs: LINK_MS }))
    if (teams.length === 0) return [{ name: 'Operation', path, teamId: null }]
    return teams.map(({ teamId, teamName }) => ({ name: teamName, path, teamId }))
  }

  function refuse(reply: FastifyReply, { why, error }: { why: 'away' | 'refused'; error: unknown }): FastifyReply {
    log.warn({ why, reason: error instanceof Error ? error.message : String(error) }, 'sign-in by the identity provider failed')
    return notice(reply, why === 'away' ? STATUS_OF_AWAY : STATUS_OF_REFUSAL, {
      title: 'Sign in',
      message: why === 'away' ? AWAY : REFUSED,
    })
  }

  const answerOf = ({ url }: FastifyRequest): URL => new URL(`${answerAddress}${url.includes('?') ? url.slice(url.indexOf('?')) : ''}`)
}

/** The widest of the roles that several groups give in one team. */
const widestOf = (roles: readonly MemberRole[]): MemberRole => MEMBER_ROLES.find((role) => roles.includes(role)) ?? ROLE_OF_GROUP

const toConfirm = (email: string): string =>
  `Someone with the address ${email} belongs here already. A link is on its way there: it confirms that this account at your identity provider is yours, and signs you in.`

/** Stands for an address that the identity provider has not verified. No mail and no invitation can reach it. */
const placeholder = ({ issuer, subject }: Identity): string =>
  `${Buffer.from(subject).toString('hex').slice(0, 40)}@${new URL(issuer).hostname}.invalid`

const pathOf = (link: string): string => new URL(link).pathname

const notice = (reply: FastifyReply, status: number, page: { title: string; message: string }): FastifyReply =>
  sendFrontPage(reply.code(status), noticePage(page))
