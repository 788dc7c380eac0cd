// The part of the queue that a command is about: read from its options, and turned back into words.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { LANE_CLASSES, type LaneClass } from '../lib/engine/lanes.ts'
import { overlap, type QueuePart, WHOLE_QUEUE } from '../lib/engine/queue-parts.ts'
import { destinationNamed } from '../mail/destination-names.ts'
import type { QueuePauseRow } from '../repositories/engine/queue-pauses.ts'
import type { Repositories } from '../repositories/repositories.ts'
import { teamOf } from './database.ts'
import { print } from './output.ts'
import { moment, relative } from './tables.ts'

export type FilterOptions = { team?: string; class?: LaneClass; destination?: string; all?: boolean }

export const withFilters = (command: Command): Command =>
  command
    .addOption(new Option('--team <id>', 'only what this team sends; `teams list` shows ids'))
    .addOption(new Option('--class <class>', 'only this class of mail').choices(LANE_CLASSES))
    .addOption(
      new Option(
        '--destination <domain>',
        'only what goes to this domain, or to `relay` when all mail goes through SMTP_RELAY_URL',
      ).argParser(destinationOf),
    )

/** A command that changes something accepts the whole queue only if `--all` is given. */
export const withFiltersOrAll = (command: Command): Command =>
  withFilters(command).addOption(new Option('--all', 'the whole queue')).hook('preAction', requirePartOrAll)

function requirePartOrAll(command: Command): void {
  const { team, class: kind, destination, all } = command.opts<FilterOptions>()
  const isWhole = team === undefined && kind === undefined && destination === undefined
  if (isWhole && !all) command.error('error: name a part with --team, --class or --destination, or say --all for the whole queue')
  if (!isWhole && all) command.error('error: give either filters or --all, not both')
}

/** The part that the options name; the whole queue without filters. */
export async function partOf(repositories: Repositories, { team, class: kind, destination }: FilterOptions): Promise<QueuePart> {
  return {
    class: kind ?? null,
    teamId: team === undefined ? null : await teamOf(repositories, team),
    destination: destination ?? null,
  }
}

function destinationOf(text: string): string {
  const destination = destinationNamed(text)
  if (destination === null)
    throw new InvalidArgumentError('Give a domain such as example.com, or relay; `queue list` shows those that have mail.')
  return destination
}

/** `class bulk, destination example.com`, or `the queue`. */
export function describePart({ class: kind, teamId, destination }: QueuePart): string {
  const words = [kind && `class ${kind}`, teamId && `team ${teamId}`, destination && `destination ${destination}`].filter(
    (word) => word !== null,
  )
  return words.length === 0 ? 'the queue' : words.join(', ')
}

/** The options that name this part. */
export function optionsOf({ class: kind, teamId, destination }: QueuePart): string {
  const options = [kind && `--class ${kind}`, teamId && `--team ${teamId}`, destination && `--destination ${destination}`].filter(
    (option) => option !== null,
  )
  return options.length === 0 ? '--all' : options.join(' ')
}

/** The pauses that touch a part, each with the command that ends it. */
export async function printPauses(
  repositories: Repositories,
  part: QueuePart,
  { title, now }: { title: string; now: Date },
): Promise<void> {
  const pauses = (await repositories.queuePauses.listAcrossTeams()).filter((pause) => overlap(pause, part))
  if (pauses.length === 0) return
  print('')
  print(title)
  for (const pause of pauses) print(`  ${describePause(pause, now)}; resume with \`queue resume ${optionsOf(pause)}\``)
}

const describePause = (pause: QueuePauseRow, now: Date): string =>
  `${describePart(pause)}, since ${moment(pause.createdAt)} (${relative(pause.createdAt, now)})${restoredWords(pause)}`

const restoredWords = ({ backupAt }: QueuePauseRow): string =>
  backupAt === null ? '' : `, because it was restored from a backup of ${moment(backupAt)}: webhooks, broadcasts and automations rest too`

export const isWholeQueue = (part: QueuePart): boolean => describePart(part) === describePart(WHOLE_QUEUE)
