import { Argument, Command, Option } from 'commander'
import type { Config } from '../../config/config.ts'
import { nameTeams } from '../../db/acts.ts'
import { MINUTE_MS, systemClock, toTimestamp } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { MEMBER_ROLES, type MemberRole } from '../../lib/member-roles.ts'
import { teamsOfPerson } from '../../modules/accounts/people/own-acts.ts'
import { invite, LAST_OWNER, personEmail, requireTeamThere } from '../../modules/accounts/people/people.service.ts'
import { createCode } from '../../modules/accounts/sessions/confirmation.service.ts'
import { createSignInLink } from '../../modules/accounts/sessions/sessions.service.ts'
import { openDataKeys } from '../../modules/secrets/data-keys.service.ts'
import { createLinks } from '../../modules/secrets/links.ts'
import type { Repositories } from '../../repositories.ts'
import { allRows, existingSecretKey, findTeam, withRepositories } from '../database.ts'
import { formatTime, type JsonOption, jsonOption, print, printJson, printTable, say } from '../output.ts'
import { addressOf, printConsoleLink } from './teams.ts'

/** Time to hand it to a colleague, and not much more. */
const LINK_MINUTES = 60

type TeamOption = { team?: string }

export function peopleCommands(): Command {
  const team = new Option('--team <id>', 'id of the team; not needed when there is only one')
  const address = new Argument('<address>', 'email address of the person')
  const people = new Command('people').description('Who may sign in: invite, revoke, link, code, list, role, remove.')
  people
    .command('invite')
    .description('Print a link by which a person joins a team, once, within 7 days. Anyone who has it can use it.')
    .addArgument(address)
    .addOption(team)
    .addOption(new Option('--role <role>', 'what they may do').choices(MEMBER_ROLES).default('owner'))
    .action((email: string, options: TeamOption & { role: MemberRole }) =>
      withRepositories((repositories, config) => printInvitation(repositories, config, { email: personEmail(email), ...options })),
    )
  people
    .command('link')
    .description(`Print a link that signs a person in once, within ${LINK_MINUTES} minutes. Anyone who has it can use it.`)
    .addArgument(address)
    .action((email: string) =>
      withRepositories(async (repositories, config) => {
        const person = await findPerson(repositories, email)
        // Anyone who uses the link can do what the person can, in each of their teams.
        nameTeams(await teamsOfPerson(repositories, person.id), systemClock)
        const context = { repositories, clock: systemClock, publicUrl: addressOf(config) }
        say(`It signs in ${person.email} once, within ${LINK_MINUTES} minutes.`)
        printConsoleLink(config, await createSignInLink(context, { personId: person.id, forMs: LINK_MINUTES * MINUTE_MS }))
      }),
    )
  people
    .command('code')
    .description('Print the code with which a person confirms that it is them, once, within 10 minutes. Anyone who has it can use it.')
    .addArgument(address)
    .action((email: string) =>
      withRepositories(async (repositories, config) => {
        const person = await findPerson(repositories, email)
        nameTeams(await teamsOfPerson(repositories, person.id), systemClock)
        const secretKey = await existingSecretKey(config, repositories)
        const dataKeys = await openDataKeys(repositories.dataKeys, { secretKey, secretKeyPrevious: config.secretKeyPrevious })
        const links = createLinks(dataKeys.of, systemClock)
        say(`It confirms sessions of ${person.email} once, within 10 minutes.`)
        print(await createCode({ repositories, clock: systemClock, links }, person.id))
      }),
    )
  people
    .command('list')
    .description('List the members of a team, and who is invited.')
    .addOption(team)
    .addOption(jsonOption())
    .action(({ team: named, json }: TeamOption & JsonOption) =>
      withRepositories(async (repositories) => {
        const teamId = await findTeam(repositories, named)
        const members = await allRows((request) => repositories.persons.listMembers(teamId, request))
        const invited = await allRows((request) => repositories.invitations.list(teamId, request))
        if (json)
          return printJson([
            ...members.map(({ id, email, name, role, createdAt }) => ({
              ...{ id, email, name, role, status: 'member', created_at: toTimestamp(createdAt), expires_at: null },
            })),
            ...invited.map(({ id, email, role, createdAt, expiresAt }) => ({
              ...{ id, email, name: null, role, status: 'invited', created_at: toTimestamp(createdAt), expires_at: toTimestamp(expiresAt) },
            })),
          ])
        if (members.length === 0 && invited.length === 0)
          return say('This team has no member yet; `people invite <address>` makes a link for one.')
        printTable(
          ['ADDRESS', 'ROLE', 'STATUS', 'SINCE', 'NAME'],
          [
            ...members.map(({ email, role, createdAt, name }) => [email, role, 'member', formatTime(createdAt), name]),
            ...invited.map(({ email, role, createdAt }) => [email, role, 'invited', formatTime(createdAt), '']),
          ],
        )
      }),
    )
  people
    .command('revoke')
    .description('Revoke the open invitation of an address: its link stops working at once.')
    .addArgument(address)
    .addOption(team)
    .action((email: string, { team: named }: TeamOption) =>
      withRepositories(async (repositories) => {
        const teamId = await findTeam(repositories, named)
        const invited = await allRows((request) => repositories.invitations.list(teamId, request))
        const found = invited.find((invitation) => invitation.email === personEmail(email))
        if (!found || !(await repositories.invitations.deleteInvitation(teamId, found.id))) throw new Failure('notFound', NOT_INVITED)
        print(`The link for ${found.email} does not work anymore.`)
      }),
    )
  people
    .command('role')
    .description('Change the role of a member.')
    .addArgument(address)
    .addArgument(new Argument('<role>', 'the new role').choices(MEMBER_ROLES))
    .addOption(team)
    .action((email: string, role: MemberRole, { team: named }: TeamOption) =>
      withRepositories(async (repositories) => {
        const teamId = await findTeam(repositories, named)
        const person = await findPerson(repositories, email)
        await requireTeamThere({ repositories }, teamId)
        const changed = await repositories.persons.changeRole(teamId, person.id, role)
        if (changed === 'lastOwner') throw new Failure('validation', LAST_OWNER)
        if (!changed) throw new Failure('notFound', NO_MEMBER)
        print(`${person.email} is ${role} now.`)
      }),
    )
  people
    .command('remove')
    .description('Remove a member from a team. What they were signed in with stops working there within a second.')
    .addArgument(address)
    .addOption(team)
    .action((email: string, { team: named }: TeamOption) =>
      withRepositories(async (repositories) => {
        const teamId = await findTeam(repositories, named)
        const person = await findPerson(repositories, email)
        await requireTeamThere({ repositories }, teamId)
        const removed = await repositories.persons.removeMember(teamId, person.id)
        if (removed === 'lastOwner') throw new Failure('validation', LAST_OWNER)
        if (!removed) throw new Failure('notFound', NO_MEMBER)
        print(`${person.email} is not a member anymore.`)
      }),
    )
  return people
}

const NOT_INVITED = 'There is no open invitation for this address; `people list` shows all.'
const NO_MEMBER = 'This person is no member of the team; `people list` shows all.'

async function findPerson({ persons }: Repositories, text: string) {
  const person = await persons.findByEmailAcrossTeams(personEmail(text))
  if (!person) throw new Failure('notFound', `There is no person with the address "${text}". \`people invite\` makes a link for a new one.`)
  return person
}

async function printInvitation(
  repositories: Repositories,
  config: Config,
  { email, role, team }: TeamOption & { email: string; role: MemberRole },
): Promise<void> {
  const teamId = await findTeam(repositories, team)
  const context = { repositories, clock: systemClock, publicUrl: addressOf(config) }
  const made = await invite(context, teamId, { email, role, invitedBy: 'The operator' })
  if (made === 'member') throw new Failure('validation', `${email} is a member of the team already; \`people link\` signs them in.`)
  if (made === 'tooMany') throw new Failure('validation', 'The team has as many open invitations as it may have: revoke some first.')
  say(`${email} joins the team as ${role} by it, once, within 7 days.`)
  printConsoleLink(config, made.link)
}
