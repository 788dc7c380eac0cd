// The command line. Every command ends with a status that can be trusted: 0 done, 1 not done, 2 not understood.
import { Command, CommanderError } from 'commander'
import { print, withRepositories } from './commands/database.ts'
import { keyCommands } from './commands/keys.ts'
import { queueCommands } from './commands/queue.ts'
import { teamCommands } from './commands/teams.ts'
import { Failure } from './lib/failure.ts'
import { StartupProblem } from './lib/startup-problem.ts'
import { checkOpenapi, writeOpenapi } from './openapi-files.ts'
import { start } from './start.ts'

export async function main(argv: string[]): Promise<void> {
  const program = new Command('posthaste').description('A self-hosted HTTP API for email, with the mail engine under it.').exitOverride()
  program.command('start').description('Run the service: database, API and workers, as ROLES says.').action(start)
  program
    .command('migrate')
    .description('Bring the tables of the database up to date, and end.')
    .action(() => withRepositories(async () => print('The database is up to date.')))
  program
    .command('openapi')
    .description('Write the OpenAPI document to openapi/.')
    .option('--check', 'write nothing; fail when the files differ from the document')
    .action(({ check }: { check?: boolean }) => (check ? checkOpenapi() : writeOpenapi()))
  program.addCommand(teamCommands())
  program.addCommand(keyCommands())
  program.addCommand(queueCommands())
  for (const command of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)]) command.exitOverride()

  try {
    await program.parseAsync(argv)
  } catch (error) {
    process.exitCode = statusOf(error)
  }
}

/** Says what went wrong in one line, unless the command line library has said it. */
function statusOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const isExpected = error instanceof StartupProblem || error instanceof Failure
  process.stderr.write(isExpected ? `${error.message}\n` : `Unexpected: ${error instanceof Error ? error.stack : String(error)}\n`)
  return 1
}
