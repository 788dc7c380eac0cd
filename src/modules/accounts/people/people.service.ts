// How people come in: the first owner of a team, links by mail, invitations.

import { newAct, performAct } from '../../../db/acts.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { DAY_MS } from '../../../lib/clock.ts'
import { invalid } from '../../../lib/failure.ts'
import { createSignInSecret, digestToken } from '../../../lib/ids.ts'
import type { MemberRole } from '../../../lib/member-roles.ts'
import { isProblem } from '../../../lib/problem.ts'
import { isPlainLine, isVisible, plainLine, storableText } from '../../../lib/text.ts'
import { parseAddressAlone } from '../../../mail/addresses.ts'
import type { AccountsContext } from '../accounts.context.ts'
import { createSignInLink } from '../sessions/sessions.service.ts'
import { refusalByState } from '../teams/team-states.ts'
import type { InstallationMail } from './installation-mail.service.ts'
import { INVITATIONS_MAX, type InvitationRow } from './invitations.repository.ts'
import type { PersonRow } from './persons.repository.ts'

type Context = PlatformContext & AccountsContext
type Needs = Pick<AccountsContext, 'repositories'> & Pick<Context, 'clock' | 'publicUrl'>

export const NAME_LENGTH_MAX = 100

/**
 * The address of a person, in lower case throughout: no two people differ only by case.
 * @throws Failure `validation`
 */
export function personEmail(text: unknown): string {
  const parsed = typeof text === 'string' ? parseAddressAlone(text) : null
  if (parsed === null || isProblem(parsed)) throw invalid('This is not an email address: enter one such as ada@example.com.')
  return parsed.address.toLowerCase()
}

/** @throws Failure `validation` */
export function personName(text: unknown): string {
  if (typeof text !== 'string' || !isVisible(text)) throw invalid('The name must have a visible character.')
  const name = text.trim()
  if (!isPlainLine(name)) throw invalid('The name must be one line without control characters or marks of the direction of writing.')
  if (WEB_ADDRESS.test(name)) throw invalid('The name must not contain a web address.')
  return storableText(name, NAME_LENGTH_MAX)
}

/** Mail programs make links of it, and the name of who invites begins a mail to a stranger. */
const WEB_ADDRESS = /:\/\/|www\./i

/** The name that an identity provider gives, without what a person's name may not have. Null: nothing is left. */
export function nameFromProvider(text: string): string | null {
  const name = plainLine(text).replaceAll(new RegExp(WEB_ADDRESS, 'gi'), ' ').trim()
  return isVisible(name) ? storableText(name, NAME_LENGTH_MAX) : null
}

/** The name of someone of whom only the address is known. */
export const nameFromEmail = (email: string): string => email.slice(0, email.lastIndexOf('@')) || email

/** A link that makes the person who opens it the first owner of the team. */
export const createFirstOwnerLink = (context: Needs, teamId: string, forMs: number): Promise<string> =>
  createSignInLink(context, { personId: null, teamId, forMs })

/** Makes the person of OWNER_EMAIL the owner of the first team, once: null if it has an owner already. They ask for a link on the sign-in page. */
export async function ensureFirstOwner(context: Needs & Pick<Context, 'config'>): Promise<PersonRow | null> {
  const { ownerEmail } = context.config
  if (ownerEmail === null) return null
  const team = await context.repositories.teams.firstAcrossTeams()
  if (!team) return null
  const actor = { kind: 'system', id: null, name: 'OWNER_EMAIL', address: null, userAgent: null }
  const target = { type: 'member', id: null, table: 'members' }
  return performAct(newAct('start.owner-email', { teamId: team.id, actor, target, clock: context.clock }), () =>
    context.repositories.persons.becomeFirstOwner(team.id, { email: ownerEmail, name: nameFromEmail(ownerEmail) }),
  )
}

/** Makes the persons of OPERATORS, so that they can ask for a link on the sign-in page, and no one else can enter their addresses as new. */
export async function ensureOperators({ repositories, config }: Pick<Needs, 'repositories'> & Pick<Context, 'config'>): Promise<void> {
  for (const email of config.operators) await repositories.persons.ensureAcrossTeams(email, nameFromEmail(email))
}

/** The people of a deleted team stay as they are, until it is restored. @throws Failure `invalidAccess` */
export async function requireTeamThere({ repositories }: Pick<Needs, 'repositories'>, teamId: string): Promise<void> {
  const deleted = refusalByState(await repositories.teams.stateOf(teamId), { writes: false })
  if (deleted) throw deleted
}

type Asked = { email: string; role: MemberRole; invitedBy: string }

/**
 * Makes an invitation and its link, which is shown once. `member`: the address belongs to one. `tooMany`: the team has as many as it may. The operator may
 * invite to a suspended team: its link works from the day on which it is resumed.
 * @throws Failure `invalidAccess` for a deleted team
 */
export async function invite(
  { repositories, publicUrl }: Needs,
  teamId: string,
  { email, role, invitedBy }: Asked,
): Promise<{ invitation: InvitationRow; link: string } | 'member' | 'tooMany'> {
  await requireTeamThere({ repositories }, teamId)
  const token = createSignInSecret()
  const invitation = await repositories.invitations.create(teamId, { email, role, invitedBy, digest: digestToken(token) })
  return typeof invitation === 'string' ? invitation : { invitation, link: `${publicUrl}/console/invitations/${token}` }
}

/** What operations ask. @throws Failure `validation` */
export async function createInvitation(needs: Needs, teamId: string, asked: Asked): Promise<{ invitation: InvitationRow; link: string }> {
  const made = await invite(needs, teamId, asked)
  if (made === 'member') throw invalid('This address belongs to a member of the team already: change their role instead.')
  if (made === 'tooMany') throw invalid(`A team can have at most ${INVITATIONS_MAX} open invitations: revoke those that are not needed.`)
  return made
}

export const LAST_OWNER = 'This is the only owner of the team: make someone else an owner first.'

/** Mails the link of an invitation. */
export async function mailInvitation(
  { repositories, installationMails, publicUrl }: Needs & Pick<Context, 'installationMails'>,
  teamId: string,
  { invitation, link, clientAddress = null }: { invitation: InvitationRow; link: string; clientAddress?: string | null },
): Promise<void> {
  const team = (await repositories.teams.find(teamId))?.name ?? ''
  const text = `${invitation.invitedBy} invites you to the team "${team}" of Posthaste at ${new URL(publicUrl).host}, as ${invitation.role}. Accept here:\n\n${link}\n\nThe link works once, for seven days. If you do not know the team, ignore this mail.\n`
  await installationMails.send({
    kind: 'invitation',
    to: invitation.email,
    subject: `Invitation to ${team}`,
    text,
    secret: link,
    expiresAt: invitation.expiresAt,
    clientAddress,
  })
}

/** Tells the owners of a team something that only they need to know, such as that a quota is nearly used up. For a day, if it cannot be sent at once. */
export async function notifyOwners(
  { repositories, installationMails, clock }: Needs & Pick<Context, 'installationMails'>,
  teamId: string,
  { subject, text }: Pick<InstallationMail, 'subject' | 'text'>,
): Promise<void> {
  const expiresAt = new Date(clock.now().getTime() + DAY_MS)
  for (const { email } of await repositories.persons.ownersOf(teamId))
    await installationMails.send({ kind: 'notice', to: email, subject, text, secret: '', expiresAt })
}

/** Tells the owners of a team what someone did who is not of it. It is done: the log says if they could not be told. */
export async function notifyOwnersOfChange(
  context: Needs & Pick<Context, 'installationMails' | 'log'>,
  { id, name }: { id: string; name: string },
  sentence: string,
): Promise<void> {
  try {
    await notifyOwners(context, id, { subject: `A change in ${name}`, text: `${sentence}\n\nTeam: ${name} (${id})\n` })
  } catch (error) {
    context.log.error({ err: error, teamId: id }, 'owners of a team not told of a change')
  }
}
