import { covers, overlap, type QueuePart } from '../lib/engine/queue-parts.ts'
import { toTimestamp } from '../lib/timestamps.ts'
import type { PaceRow } from '../repositories/engine/destination-paces.ts'
import type { QueueCounts } from '../repositories/engine/queue-view.ts'
import type { Repositories } from '../repositories/repositories.ts'
import { print, printJson } from './output.ts'
import { isWholeQueue, printPauses } from './queue-filters.ts'
import { counted, grouped, moment, relative, shortened, tableLines } from './tables.ts'

const NAME_LENGTH_MAX = 24
const HOSTS_LENGTH_MAX = 60
/** If more sets slow down at once, something is wrong on our side. */
const BACKING_OFF_SHOWN_MAX = 50

export async function printQueue(repositories: Repositories, part: QueuePart, { limit, now }: { limit: number; now: Date }): Promise<void> {
  const { lines, laneCount, total, isBounded } = await repositories.queueView.linesAcrossTeams(part, limit)
  if (laneCount === 0) print(isWholeQueue(part) ? 'The queue is empty.' : 'Nothing of this is queued.')
  else {
    const names = new Map((await repositories.teams.listAll()).map(({ id, name }) => [id, shortened(name, NAME_LENGTH_MAX)]))
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
    return [`  ${shortened(key, HOSTS_LENGTH_MAX)}`, pace.connections, `${moment(until)} (${relative(until, now)})`, pace.pauseCount]
  })
  for (const line of tableLines(['  MAIL SERVERS', 'CONNECTIONS', 'PAUSED UNTIL', 'PAUSES IN A ROW'], rows)) print(line)
  if (paces.length > BACKING_OFF_SHOWN_MAX) print(`  and ${grouped(paces.length - BACKING_OFF_SHOWN_MAX)} more`)
}
