import { type Command, InvalidArgumentError, Option } from 'commander'
import { toTimestamp } from '../../lib/clock.ts'
import { covers, overlap, type QueuePart, WHOLE_QUEUE } from '../../modules/delivery/lanes.ts'
import type { PaceRow } from '../../modules/delivery/pace/destination-paces.repository.ts'
import type { QueuePauseRow } from '../../modules/delivery/queue/queue-pauses.repository.ts'
import type { QueueCounts } from '../../modules/delivery/queue/queue-view.repository.ts'
import { destinationNamed, LANE_CLASSES, type LaneClass } from '../../modules/emails/new-delivery.ts'
import type { Repositories } from '../../repositories.ts'
import { findTeam } from '../database.ts'
import { counted, formatTime, grouped, print, printJson, relative, shortened, tableLines } from '../output.ts'

// The part of the queue that a command is about: read from its options, and turned back into words.

export type FilterOptions = { team?: string; class?: LaneClass; destination?: string; all?: boolean }

export const withFilters = (command: Command): Command =>
  command
    .addOption(new Option('--team <id>', 'only what this team sends; `teams list` shows ids'))
    .addOption(new Option('--class <class>', 'only this class of mail').choices(LANE_CLASSES))
    .addOption(
      new Option(
        '--destination <domain>',
        'only what goes to this domain, or to `relay` when all mail goes through SMTP_RELAY_URL',
      ).argParser(parseDestination),
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
export async function findPart(repositories: Repositories, { team, class: kind, destination }: FilterOptions): Promise<QueuePart> {
  return {
    class: kind ?? null,
    teamId: team === undefined ? null : await findTeam(repositories, team),
    destination: destination ?? null,
  }
}

function parseDestination(text: string): string {
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
export function formatOptions({ class: kind, teamId, destination }: QueuePart): string {
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
  for (const pause of pauses) print(`  ${describePause(pause, now)}; resume with \`queue resume ${formatOptions(pause)}\``)
}

const describePause = (pause: QueuePauseRow, now: Date): string =>
  `${describePart(pause)}, since ${formatTime(pause.createdAt)} (${relative(pause.createdAt, now)})${restoredWords(pause)}`

const restoredWords = ({ backupAt }: QueuePauseRow): string =>
  backupAt === null
    ? ''
    : `, because it was restored from a backup of ${formatTime(backupAt)}: webhooks, broadcasts and automations rest too`

export const isWholeQueue = (part: QueuePart): boolean => describePart(part) === describePart(WHOLE_QUEUE)

const NAME_LENGTH_MAX = 24
const HOSTS_LENGTH_MAX = 60
/** If more sets slow down at once, something is wrong on our side. */
const BACKING_OFF_SHOWN_MAX = 50

export async function printQueue(repositories: Repositories, part: QueuePart, { limit, now }: { limit: number; now: Date }): Promise<void> {
  const { lines, laneCount, total, isBounded } = await repositories.queueView.linesAcrossTeams(part, limit)
  if (laneCount === 0) print(isWholeQueue(part) ? 'The queue is empty.' : 'Nothing of this is queued.')
  else {
    const names = new Map(
      (await repositories.teams.findAcrossTeams([...new Set(lines.map(({ teamId }) => teamId))])).map(({ id, name }) => [
        id,
        shortened(name, NAME_LENGTH_MAX),
      ]),
    )
    const pauses = await repositories.queuePauses.listAcrossTeams()
    const rows = lines.map((line) => [
      line.class,
      line.destination,
      line.ready,
      line.waiting,
      line.nextDueAt === null ? '-' : relative(line.nextDueAt, now),
      line.leased,
      line.parked,
      pauses.some((pause) => covers(pause, line)) ? 'paused' : '',
      line.teamId,
      names.get(line.teamId) ?? '',
    ])
    for (const line of tableLines(HEADINGS, rows)) print(line)
    print('')
    print(
      `${counted(laneCount, 'line', 'lines')}${laneCount > lines.length ? `, the longest ${grouped(lines.length)} shown (--limit)` : ''}: ${sums(total)}.`,
    )
    if (isBounded) print('Counting ended at 1,000,000 deliveries; there may be more.')
    if (total.ready > 0 && (await repositories.workerLeases.list()).length === 0)
      print('No worker is running: nothing is sent until a service with the role `worker` is started.')
  }
  await printPauses(repositories, part, { title: 'Paused:', now })
  printBackingOff(await repositories.destinationPaces.listPausedAcrossTeams(now), now)
}

const HEADINGS = ['CLASS', 'DESTINATION', 'READY', 'WAITING', 'NEXT DUE', 'LEASED', 'PARKED', '', 'TEAM', '']

const sums = ({ ready, waiting, leased, parked }: QueueCounts): string =>
  `${grouped(ready)} ready, ${grouped(waiting)} waiting, ${grouped(leased)} leased, ${grouped(parked)} parked`

/** Prints for programs what `printQueue` prints for people. */
export async function printQueueAsJson(
  repositories: Repositories,
  part: QueuePart,
  { limit, now }: { limit: number; now: Date },
): Promise<void> {
  const { lines, laneCount, total, isBounded } = await repositories.queueView.linesAcrossTeams(part, limit)
  const pauses = await repositories.queuePauses.listAcrossTeams()
  const backingOff = await repositories.destinationPaces.listPausedAcrossTeams(now)
  const workers = await repositories.workerLeases.list()
  printJson({
    lines: lines.map((line) => ({
      class: line.class,
      team_id: line.teamId,
      destination: line.destination,
      ready: line.ready,
      waiting: line.waiting,
      next_due_at: toTimestamp(line.nextDueAt),
      leased: line.leased,
      parked: line.parked,
      is_paused: pauses.some((pause) => covers(pause, line)),
    })),
    line_count: laneCount,
    total,
    is_total_bounded: isBounded,
    pauses: pauses
      .filter((pause) => overlap(pause, part))
      .map((pause) => ({
        class: pause.class,
        team_id: pause.teamId,
        destination: pause.destination,
        created_at: toTimestamp(pause.createdAt),
        restored_from: toTimestamp(pause.backupAt),
      })),
    backing_off: backingOff.map(({ key, pace }) => ({
      mail_servers: key.split(' '),
      connections: pace.connections,
      paused_until: pace.pausedUntilMs === null ? null : toTimestamp(new Date(pace.pausedUntilMs)),
      pauses_in_a_row: pace.pauseCount,
    })),
    worker_count: workers.length,
  })
}

function printBackingOff(paces: Pick<PaceRow, 'key' | 'pace'>[], now: Date): void {
  if (paces.length === 0) return
  print('')
  print('Backing off (mail servers that refuse for now or do not answer; their mail waits and is retried by itself):')
  const rows = paces.slice(0, BACKING_OFF_SHOWN_MAX).map(({ key, pace }) => {
    const until = new Date(pace.pausedUntilMs ?? 0)
    return [`  ${shortened(key, HOSTS_LENGTH_MAX)}`, pace.connections, `${formatTime(until)} (${relative(until, now)})`, pace.pauseCount]
  })
  for (const line of tableLines(['  MAIL SERVERS', 'CONNECTIONS', 'PAUSED UNTIL', 'PAUSES IN A ROW'], rows)) print(line)
  if (paces.length > BACKING_OFF_SHOWN_MAX) print(`  and ${grouped(paces.length - BACKING_OFF_SHOWN_MAX)} more`)
}
