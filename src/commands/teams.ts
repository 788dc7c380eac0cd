import { Argument, Command } from 'commander'
import { Failure } from '../lib/failure.ts'
import { isId } from '../lib/ids.ts'
import { toTimestamp } from '../lib/timestamps.ts'
import { isVisible } from '../lib/visible-text.ts'
import { withRepositories } from './database.ts'
import { type JsonOption, jsonOption, print, printJson, printTable, say } from './output.ts'
import { moment } from './tables.ts'

const TEAM_NAME_LENGTH_MAX = 100

export function teamCommands(): Command {
  const teams = new Command('teams').description('The owners of everything: create, list, rename, soft-bounces.')
  teams
    .command('create')
    .description('Create a team and print its id, alone on standard output.')
    .argument('<name>', 'what to call it')
    .action((name: string) =>
      withRepositories(async ({ teams }) => {
        const team = await teams.create(teamName(name))
        say(`Team "${team.name}" was created. Its id:`)
        print(team.id)
      }),
    )
  teams
    .command('list')
    .description('List all teams.')
    .addOption(jsonOption())
    .action(({ json }: JsonOption) =>
      withRepositories(async ({ teams }) => {
        const all = await teams.listAll()
        if (json)
          return printJson(
            all.map(({ id, name, createdAt, suppressesSoftBounces }) => ({
              ...{ id, name, created_at: toTimestamp(createdAt) },
              suppresses_soft_bounces: suppressesSoftBounces,
            })),
          )
        if (all.length === 0) return say('There is no team yet; `teams create <name>` makes one.')
        printTable(
          ['TEAM', 'CREATED', 'NAME'],
          all.map(({ id, name, createdAt }) => [id, moment(createdAt), name]),
        )
      }),
    )
  teams
    .command('rename')
    .description('Rename a team.')
    .argument('<id>', 'id of the team')
    .argument('<name>', 'its new name')
    .action((id: string, name: string) =>
      withRepositories(async ({ teams }) => {
        if (!isId(id) || !(await teams.rename(id, teamName(name))))
          throw new Failure('notFound', `There is no team "${id}"; \`teams list\` shows all.`)
        print(`${id}  ${name}`)
      }),
    )
  teams
    .command('soft-bounces')
    .description('Say whether several soft bounces in a row suppress an address of a team.')
    .argument('<id>', 'id of the team')
    .addArgument(new Argument('<state>', 'suppress or ignore').choices(['suppress', 'ignore']))
    .action((id: string, state: 'suppress' | 'ignore') =>
      withRepositories(async ({ teams }) => {
        if (!isId(id) || !(await teams.suppressSoftBounces(id, state === 'suppress')))
          throw new Failure('notFound', `There is no team "${id}"; \`teams list\` shows all.`)
        print(state === 'suppress' ? 'Several soft bounces in a row suppress an address.' : 'Soft bounces suppress no address.')
      }),
    )
  return teams
}

function teamName(name: string): string {
  if (!isVisible(name) || name.length > TEAM_NAME_LENGTH_MAX)
    throw new Failure('validation', `The name of a team must have 1 to ${TEAM_NAME_LENGTH_MAX} characters, one of them visible.`)
  return name
}
