// The command line. Every command ends with a reliable status: 0 done, 1 not done, 2 not understood.

import { Command, CommanderError } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { dataKeyCommands } from './cli/accounts/data-keys.ts'
import { keyCommands } from './cli/accounts/keys.ts'
import { loginCommands } from './cli/accounts/login.ts'
import { oauthCommands } from './cli/accounts/oauth.ts'
import { peopleCommands } from './cli/accounts/people.ts'
import { consoleCommands, teamCommands } from './cli/accounts/teams.ts'
import { auditCommands } from './cli/audit.ts'
import { nameCommand, withRepositories } from './cli/database.ts'
import { dnsCommand, doctorCommand } from './cli/domains/doctor.ts'
import { domainCommands } from './cli/domains/domains.ts'
import { feedbackCommands } from './cli/feedback.ts'
import { importCommands } from './cli/import-resend/import-commands.ts'
import { automationCommands, metricsCommands } from './cli/metrics.ts'
import { print } from './cli/output.ts'
import { queueCommands } from './cli/queue/queue.ts'
import { suppressionCommands } from './cli/suppressions.ts'
import { webhookCommands } from './cli/webhooks/webhooks.ts'
import { Failure } from './lib/failure.ts'
import { StartupProblem } from './lib/startup-problem.ts'

export async function main(argv: string[]): Promise<void> {
  const program = createProgram()
  for (const command of allCommands(program)) {
    command.exitOverride()
    if (command.commands.length > 0) command.showHelpAfterError(`Run \`posthaste ${[...namesOf(command), '--help'].join(' ')}\` for help.`)
  }

  try {
    await program.parseAsync(argv)
  } catch (error) {
    process.exitCode = exitStatus(error)
  }
}

/** All commands, without doing anything yet. What only some of them need is loaded when they run: help answers at once. */
export function createProgram(): Command {
  const program = new Command('posthaste')
    .description('A self-hosted HTTP API for email, with the mail engine under it.')
    .version(packageJson.version, '-V, --version', 'print the version')
    .addHelpText('after', DATABASE_OF_COMMANDS)
    .hook('preAction', (_program, command) => nameCommand(namesOf(command)))
  program
    .command('start')
    .description('Run the service: database, API and workers, as ROLES says.')
    .option(...FORCE)
    .action(async ({ force = false }: ForceOption) => {
      ;(await import('./cli/start/heap-limit.ts')).limitHeap()
      await (await import('./cli/start/start.ts')).start({ force })
    })
  program
    .command('migrate')
    .description('Bring the tables of the database up to date, and end.')
    .option('--plan', 'change nothing, and say what would happen: tables that are rewritten, locks, for how long')
    .option(...FORCE)
    .action(({ plan, force = false }: { plan?: boolean } & ForceOption) =>
      plan
        ? withRepositories(printPlan, { tables: 'as they are' })
        : withRepositories(async () => print('The database is up to date.'), { tables: 'migrated', force }),
    )
  program
    .command('backup')
    .description('Copy everything that a restore needs into a new folder, also while the service runs: database, files, secret key.')
    .argument('<folder>', 'one that does not exist yet, or is empty')
    .addHelpText('after', BACKUP_WORDS)
    .action(async (folder: string) => (await import('./cli/backup.ts')).backUp(folder))
  program
    .command('restore')
    .description('Restore a backup into an empty DATA_DIR or an empty database. Nothing is sent before `queue resume --all`.')
    .argument('<folder>', 'what `backup` has made')
    .addHelpText('after', RESTORE_WORDS)
    .action(async (folder: string) => (await import('./cli/restore.ts')).restore(folder))
  program
    .command('upgrade-database')
    .description('Upgrade the embedded database from a former major version of PostgreSQL. The former database is kept.')
    .requiredOption('--programs <folder>', 'the programs of the former version, such as /usr/lib/postgresql/17/bin')
    .addHelpText('after', UPGRADE_WORDS)
    .action(async (options: { programs: string }) => (await import('./cli/upgrade-database.ts')).upgradeDatabase(options))
  program
    .command('openapi')
    .description('Write the OpenAPI document to openapi/.')
    .option(...CHECK)
    .action(async ({ check }: CheckOption) => {
      const [{ openapiFiles }, files] = await Promise.all([
        import('./cli/generated/generated-files.ts'),
        import('./cli/generated/generated-files.ts'),
      ])
      await (check ? files.checkFiles : files.writeFiles)(await openapiFiles())
    })
  program
    .command('configuration')
    .description('Write docs/configuration.md and .env.example.')
    .option(...CHECK)
    .action(async ({ check }: CheckOption) => {
      const [{ configurationFiles }, files] = await Promise.all([
        import('./cli/generated/generated-files.ts'),
        import('./cli/generated/generated-files.ts'),
      ])
      await (check ? files.checkFiles : files.writeFiles)(configurationFiles())
    })
  program.addCommand(teamCommands())
  program.addCommand(peopleCommands())
  program.addCommand(keyCommands())
  program.addCommand(oauthCommands())
  for (const command of loginCommands()) program.addCommand(command)
  program.addCommand(domainCommands())
  program.addCommand(queueCommands())
  program.addCommand(
    feedbackCommands(async (place, key) => (await (await import('./io/blobs/open-blobs.ts')).openStoredBlobs(place)).open(key)),
  )
  program.addCommand(metricsCommands())
  program.addCommand(suppressionCommands())
  program.addCommand(importCommands(async (account) => (await import('./cli/import-resend/resend-client.ts')).createResendClient(account)))
  program.addCommand(webhookCommands(async (service) => (await import('./cli/webhooks/feed-client.ts')).createFeedClient(service)))
  program.addCommand(automationCommands())
  program.addCommand(dataKeyCommands())
  program.addCommand(auditCommands())
  program.addCommand(consoleCommands())
  program.addCommand(dnsCommand())
  program.addCommand(doctorCommand(async (config) => (await import('./modules/deliverability/probes.client.ts')).createProbes(config)))
  return program
}

async function printPlan(_repositories: unknown, _config: unknown, databaseUrl: string): Promise<void> {
  const { planMigrations } = await import('./db/migrations/migration-plan.ts')
  for (const line of await planMigrations(databaseUrl)) print(line)
}

const FORCE = ['--force', 'apply also migrations that need running processes of the version before stopped: those then end'] as const
type ForceOption = { force?: boolean }

const CHECK = ['--check', 'write nothing; fail when the files differ'] as const
type CheckOption = { check?: boolean }

const DATABASE_OF_COMMANDS = `
Commands work on the database of the configuration, also while the service runs, and say on standard error which one that is. Only \`start\`,
\`restore\` and \`upgrade-database\` make a database, and only these and \`migrate\` change its tables. They end with status 0 when it is done, 1
when it is not, 2 when they are not understood.`

const BACKUP_WORDS = `
Everything that was accepted before it began is in it. Settings are not: keep the environment of the service, and SECRET_KEY if that is set. Until the
backup is whole, its folder is called <folder>.unfinished.`

const RESTORE_WORDS = `
Every file is checked before anything is written. A restore that was cut short is run again with the same backup; until it has ended, no service starts
with that database. A backup of an older version is brought up to date.`

const UPGRADE_WORDS = `
Stop the service first. The rows are copied into a new database, which takes the place of the former one at the end: that is then postgres-<version> in
DATA_DIR, and can be removed. Nothing else in DATA_DIR changes, and the service continues where it was. Cut short, the command is run again.`

/** The words after `posthaste` that call a command. */
const namesOf = (command: Command): string[] => (command.parent === null ? [] : [...namesOf(command.parent), command.name()])

/** A command and all its subcommands. */
const allCommands = (command: Command): Command[] => [command, ...command.commands.flatMap(allCommands)]

/** Prints what went wrong in one line, unless the command line library has done so. */
function exitStatus(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const isExpected = error instanceof StartupProblem || error instanceof Failure
  process.stderr.write(isExpected ? `${error.message}\n` : `Unexpected: ${error instanceof Error ? error.stack : String(error)}\n`)
  return 1
}
