import { Argument, Command, Option } from 'commander'
import type { Config } from '../../config/config.ts'
import { publicUrlOf } from '../../config/environment.ts'
import { nameTeams } from '../../db/acts.ts'
import { systemClock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { isVisible } from '../../lib/text.ts'
import { teamsOfPerson } from '../../modules/accounts/people/own-acts.ts'
import { createFirstOwnerLink, ensureOperators, personEmail } from '../../modules/accounts/people/people.service.ts'
import { createSignInLink } from '../../modules/accounts/sessions/sessions.service.ts'
import { setTeamLimits } from '../../modules/accounts/teams/team-limits.service.ts'
import { REMOVAL_AFTER_DAYS, removalAt, TEAM_STATUSES, teamStatus } from '../../modules/accounts/teams/team-states.ts'
import { toTeamSummary } from '../../modules/accounts/teams/teams.routes.ts'
import { SUSPENSION_REASON_LENGTH_MAX, TEAM_NAME_LENGTH_MAX } from '../../modules/accounts/teams/teams.schema.ts'
import {
  createTeam,
  deleteTeam,
  releaseTeam,
  restoreTeam,
  resumeTeam,
  suspendTeam,
  updateTeam,
} from '../../modules/accounts/teams/teams.service.ts'
import { LIMIT_NAMES, type LimitName, limitMax } from '../../modules/limits/limits.schema.ts'
import { GUARD_MODES, type GuardMode } from '../../modules/limits/reputation.schema.ts'
import type { Repositories } from '../../repositories.ts'
import { findTeam, withRepositories } from '../database.ts'
import { formatTime, type JsonOption, jsonOption, print, printJson, printJsonList, printTable, say } from '../output.ts'

/** Time to hand it to a colleague, and not much more. */
const LINK_MINUTES = 60

export function consoleCommands(): Command {
  // It was called so when the console had only the mail of a team.
  const commands = new Command('console').alias('inbox').description('The console in the browser: a link that signs in.')
  commands
    .command('link')
    .description(`Print a link that signs in to the console once, within ${LINK_MINUTES} minutes. Anyone who has it can use it.`)
    .addOption(new Option('--team <id>', 'id of the team; not needed when there is only one'))
    .addOption(
      new Option('--operator [address]', 'for a person of OPERATORS; no address is needed when that names only one').conflicts('team'),
    )
    .action(({ team, operator }: { team?: string; operator?: string | true }) =>
      withRepositories((repositories, config) =>
        operator === undefined ? printLink(repositories, config, team) : printOperatorLink(repositories, config, operator),
      ),
    )
  return commands
}

/** Signs in the oldest owner; a team without one gets its first by the link. */
async function printLink(repositories: Repositories, config: Config, team: string | undefined): Promise<void> {
  const context = { repositories, clock: systemClock, publicUrl: addressOf(config) }
  const teamId = await findTeam(repositories, team)
  const [owner] = await repositories.persons.ownersOf(teamId)
  const forMs = LINK_MINUTES * 60_000
  const link = owner
    ? await createSignInLink(context, { personId: owner.id, teamId, forMs })
    : await createFirstOwnerLink(context, teamId, forMs)
  say(
    owner
      ? `It signs in ${owner.email}, the owner of the team, once, within ${LINK_MINUTES} minutes.`
      : `The person who opens it becomes the owner of the team. It works once, within ${LINK_MINUTES} minutes.`,
  )
  printConsoleLink(config, link)
}

/** Signs a person in who is an operator by their address, whether or not the service was started since OPERATORS names them. */
async function printOperatorLink(repositories: Repositories, config: Config, named: string | true): Promise<void> {
  const context = { repositories, clock: systemClock, publicUrl: addressOf(config) }
  const email = operatorNamed(config, named)
  await ensureOperators({ repositories, config })
  const person = await repositories.persons.findByEmailAcrossTeams(email)
  if (person === null) throw new Error('An operator was not made')
  nameTeams(await teamsOfPerson(repositories, person.id), systemClock)
  say(`It signs in the operator ${email} once, within ${LINK_MINUTES} minutes.`)
  printConsoleLink(config, await createSignInLink(context, { personId: person.id, forMs: LINK_MINUTES * 60_000 }))
}

/** @throws Failure `validation` */
function operatorNamed({ operators }: Config, named: string | true): string {
  const [only, ...others] = operators
  if (only === undefined)
    throw new Failure('validation', 'OPERATORS names no one. Set it to the addresses of the operators, here and for the service.')
  if (named === true && others.length > 0)
    throw new Failure('validation', `OPERATORS names ${operators.join(', ')}. Say for whom the link is: \`--operator ${only}\`.`)
  const email = named === true ? only : personEmail(named)
  if (operators.includes(email)) return email
  throw new Failure('validation', `${email} is not in OPERATORS. Add the address there, here and for the service.`)
}

/** The service at that address is another process. */
export function addressOf(config: Config): string {
  if (config.publicUrl === null && config.port === 0)
    throw new StartupProblem('PORT is 0, so the port of the service is not known here: set PUBLIC_URL to the address that it printed.')
  return publicUrlOf(config)
}

/** The service may have been started with another PORT than this command. */
export function printConsoleLink({ publicUrl, port }: Config, link: string): void {
  if (publicUrl === null)
    say(`PUBLIC_URL is not set, so it leads to port ${port} of this machine. If the service has another PORT, run this with its settings.`)
  print(link)
}

export function teamCommands(): Command {
  const teams = new Command('teams').description(
    'Teams, which own everything else: create, list, rename, soft-bounces, guard, release, suspend, resume, delete, restore.',
  )
  teams
    .command('create')
    .description('Create a team and print its id, alone on standard output.')
    .argument('<name>', 'what to call it')
    .action((name: string) =>
      withRepositories(async (repositories) => {
        const team = await createTeam({ repositories }, teamName(name))
        say(`Team "${team.name}" was created. Its id:`)
        print(team.id)
      }),
    )
  teams
    .command('list')
    .description('List all teams. The status of each is active, suspended or deleted.')
    .addOption(jsonOption())
    .action(({ json }: JsonOption) =>
      withRepositories(async ({ teams }) => {
        if (json) return printJsonList(teams.pagesAcrossTeams(), toTeamSummary)
        let isFirst = true
        for await (const page of teams.pagesAcrossTeams()) {
          const rows = page.map((team) => [team.id, formatTime(team.createdAt), teamStatus(team).padEnd(STATUS_WIDTH), team.name])
          printTable(isFirst ? ['TEAM', 'CREATED', 'STATUS', 'NAME'] : null, rows)
          isFirst = false
        }
        if (isFirst) say('There is no team yet; `teams create <name>` makes one.')
      }),
    )
  teams
    .command('rename')
    .description('Rename a team.')
    .argument('<id>', 'id of the team')
    .argument('<name>', 'its new name')
    .action((id: string, name: string) =>
      withRepositories(async (repositories) => {
        await updateTeam({ repositories }, await findTeam(repositories, id), { name: teamName(name) })
        print(`${id}  ${name}`)
      }),
    )
  teams
    .command('soft-bounces')
    .description('Choose whether several soft bounces in a row suppress an address of a team.')
    .argument('<id>', 'id of the team')
    .addArgument(new Argument('<state>', 'suppress or ignore').choices(['suppress', 'ignore']))
    .action((id: string, state: 'suppress' | 'ignore') =>
      withRepositories(async (repositories) => {
        await updateTeam({ repositories }, await findTeam(repositories, id), { suppressesSoftBounces: state === 'suppress' })
        print(state === 'suppress' ? 'Several soft bounces in a row suppress an address.' : 'Soft bounces suppress no address.')
      }),
    )
  teams
    .command('guard')
    .description('Choose what follows from too many bounces and complaints of a team, unless GUARD says it for all.')
    .argument('<id>', 'id of the team')
    .addArgument(new Argument('<mode>', 'warn, bulk or all').choices(GUARD_MODES))
    .action((id: string, guard: GuardMode) =>
      withRepositories(async (repositories) => {
        const team = await updateTeam({ repositories }, await findTeam(repositories, id), { guard })
        print(`${team.id}  ${team.guard}`)
      }),
    )
  teams
    .command('release')
    .description('End a pause for bounces or complaints: what is queued is sent, at a tenth of its pace for a day.')
    .argument('<id>', 'id of the team')
    .action((id: string) =>
      withRepositories(async (repositories) => {
        const team = await releaseTeam({ repositories }, await findTeam(repositories, id))
        print(`${team.id} is no longer paused.`)
      }),
    )
  teams
    .command('suspend')
    .description('Stop a team: it can read, but change nothing, and nothing of it is sent. What was accepted stays queued.')
    .argument('<id>', 'id of the team')
    .argument('<reason>', 'why, for the people and programs of the team')
    .action((id: string, reason: string) =>
      withRepositories(async (repositories) => {
        if (!isVisible(reason) || [...reason].length > SUSPENSION_REASON_LENGTH_MAX)
          throw new Failure('validation', `The reason must have 1 to ${SUSPENSION_REASON_LENGTH_MAX} characters, one of them visible.`)
        const team = await suspendTeam({ repositories }, await findTeam(repositories, id), reason)
        print(`${team.id} is suspended; \`teams resume\` ends it.`)
      }),
    )
  teams
    .command('resume')
    .description('End the suspension of a team: what is queued is sent from then on.')
    .argument('<id>', 'id of the team')
    .action((id: string) =>
      withRepositories(async (repositories) => {
        const team = await resumeTeam({ repositories }, await findTeam(repositories, id))
        print(`${team.id} is no longer suspended.`)
      }),
    )
  teams
    .command('delete')
    .description(`Delete a team: its credentials stop at once, and its records are removed after ${REMOVAL_AFTER_DAYS} days.`)
    .argument('<id>', 'id of the team')
    .action((id: string) =>
      withRepositories(async (repositories) => {
        const { deletedAt, removes } = await deleteTeam({ repositories }, await findTeam(repositories, id))
        const counts = Object.entries(removes).map(([what, count]) => `${count} ${what.replaceAll('_', ' ')}`)
        print(`${id} is deleted. From ${formatTime(removalAt(deletedAt))} on, this is removed: ${counts.join(', ')}.`)
      }),
    )
  teams
    .command('restore')
    .description('Take the deletion of a team back, before its records are removed.')
    .argument('<id>', 'id of the team')
    .action((id: string) =>
      withRepositories(async (repositories) => {
        const team = await restoreTeam({ repositories }, await findTeam(repositories, id))
        print(`${team.id} is no longer deleted.`)
      }),
    )
  teams
    .command('limits')
    .description('Show the limits of a team, or change some: a number, or `none`.')
    .argument('<id>', 'id of the team')
    .addArgument(new Argument('[name]', 'the limit to change').choices(LIMIT_NAMES))
    .argument('[limit]', 'a number, or `none`')
    .addOption(jsonOption())
    .action((id: string, name: LimitName | undefined, limit: string | undefined, { json }: JsonOption) =>
      withRepositories(async (repositories) => {
        const teamId = await findTeam(repositories, id)
        const change = name === undefined ? {} : { [name]: parseLimit(name, limit) }
        const limits = await setTeamLimits({ repositories }, teamId, change)
        if (json) return printJson(limits)
        printTable(
          ['LIMIT', 'VALUE'],
          LIMIT_NAMES.map((each) => [each, limits[each] === null ? 'none' : String(limits[each])]),
        )
      }),
    )
  return teams
}

/** Widths that align the columns of all pages. */
const STATUS_WIDTH = Math.max(...TEAM_STATUSES.map(({ length }) => length))

/** Null: no limit. */
function parseLimit(name: LimitName, text = ''): number | null {
  const max = limitMax(name)
  if (text === 'none') return null
  if (/^\d{1,16}$/.test(text) && Number(text) <= max) return Number(text)
  throw new Failure('validation', `The limit must be a number up to ${max.toLocaleString('en')}, or \`none\`.`)
}

function teamName(name: string): string {
  if (!isVisible(name) || name.length > TEAM_NAME_LENGTH_MAX)
    throw new Failure('validation', `The name of a team must have 1 to ${TEAM_NAME_LENGTH_MAX} characters, one of them visible.`)
  return name
}
