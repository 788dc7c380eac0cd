import { Command, Option } from 'commander'
import { teamOf, withRepositories } from './database.ts'
import { print } from './output.ts'
import { counted } from './tables.ts'

export function automationCommands(): Command {
  const automations = new Command('automations').description('What follows from events: tell again.')
  automations
    .command('tell-again')
    .description('Try again to tell automations the events that were set aside after five tries.')
    .addOption(new Option('--team <id>', 'only the events of this team; `teams list` shows ids'))
    .action(({ team }: { team?: string }) =>
      withRepositories(async (repositories) => {
        const teamId = team === undefined ? null : await teamOf(repositories, team)
        const count = await repositories.automationOccurrences.tellAgainAcrossTeams(teamId)
        print(`The running service tries ${counted(count, 'event', 'events')} again.`)
      }),
    )
  return automations
}
