import { Command, InvalidArgumentError, Option } from 'commander'
import type { Config } from '../../config/config.ts'
import { systemClock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { covers, LANES_MAX, type Lane, type QueuePart, ROWS_MOVED_MAX, WHOLE_QUEUE } from '../../modules/delivery/lanes.ts'
import { LANE_CLASSES, RELAY_DESTINATION } from '../../modules/emails/new-delivery.ts'
import type { Repositories } from '../../repositories.ts'
import { withRepositories } from '../database.ts'
import { counted, type JsonOption, jsonOption, print } from '../output.ts'
import {
  describePart,
  type FilterOptions,
  findPart,
  formatOptions,
  printPauses,
  printQueue,
  printQueueAsJson,
  withFilters,
  withFiltersOrAll,
} from './queue-list.ts'
import { ATTEMPTS_SHOWN_MAX, printEmail, printEmailAsJson } from './queue-show.ts'

const LINES_DEFAULT = 50
const LINES_MAX = 10_000

const WORDS = `
Words:
  ready     due: the next free worker takes it
  waiting   due later: scheduled, or put off by a server that refused it for now
  leased    a worker has it and waits for its outcome
  parked    put aside by a pause; \`queue resume\` takes it back
  class     transactional or bulk: bulk mail never holds up transactional mail`

export function queueCommands(): Command {
  const queue = new Command('queue').description('What is left to deliver: list, show, retry, pause, resume.')
  withFilters(
    queue.command('list').description('What is queued, by class, team and destination; what is paused; where servers ask us to slow down.'),
  )
    .addOption(new Option('--limit <lines>', 'how many lines at most, the longest first').argParser(parseLimit).default(LINES_DEFAULT))
    .addOption(jsonOption())
    .addHelpText('after', WORDS)
    .action((options: FilterOptions & JsonOption & { limit: number }) =>
      withRepositories(async (repositories) => {
        const part = await findPart(repositories, options)
        const asked = { limit: options.limit, now: systemClock.now() }
        await (options.json ? printQueueAsJson(repositories, part, asked) : printQueue(repositories, part, asked))
      }),
    )
  queue
    .command('show')
    .description('One email: its recipients, what is left to do for each, and what was tried.')
    .argument('<email id>', 'as the API answered it')
    .addOption(jsonOption())
    .action((id: string, { json }: JsonOption) => withRepositories((repositories) => show(repositories, id, json === true)))
  withFiltersOrAll(queue.command('retry').description('Retry now what waits for a retry. Scheduled emails keep their time.')).action(
    (options: FilterOptions) =>
      withRepositories(async (repositories, config) => retry(repositories, await partToChange(repositories, config, options))),
  )
  withFiltersOrAll(
    queue
      .command('pause')
      .description('Stop sending a part of the queue until it is resumed, across restarts. Mail for it is still accepted, and kept.'),
  ).action((options: FilterOptions) =>
    withRepositories(async (repositories, config) => pause(repositories, await partToChange(repositories, config, options))),
  )
  withFiltersOrAll(
    queue
      .command('resume')
      .description(
        'Resume a paused part of the queue: ends every pause within it. After a restore, the first --all ends only the hold of the restore.',
      ),
  ).action((options: FilterOptions) =>
    withRepositories(async (repositories) => resume(repositories, await findPart(repositories, options))),
  )
  return queue
}

/** Through a relay no mail has a destination of its own, except what was accepted before the relay was set. */
async function partToChange(repositories: Repositories, { delivery }: Config, options: FilterOptions): Promise<QueuePart> {
  const part = await findPart(repositories, options)
  if (delivery !== 'relay' || part.destination === null || part.destination === RELAY_DESTINATION) return part
  const { laneCount } = await repositories.queueView.linesAcrossTeams({ ...WHOLE_QUEUE, destination: part.destination }, 1)
  if (laneCount === 0) throw new Failure('validation', 'All mail goes through the relay: use `--destination relay`.')
  return part
}

async function show(repositories: Repositories, id: string, isJson: boolean): Promise<void> {
  const email = isId(id) ? await repositories.queueView.findEmailAcrossTeams(id, { attemptsMax: ATTEMPTS_SHOWN_MAX }) : null
  if (!email) throw new Failure('notFound', `There is no email "${id}".`)
  await (isJson ? printEmailAsJson(repositories, email) : printEmail(repositories, email, systemClock.now()))
}

async function retry(repositories: Repositories, part: QueuePart): Promise<void> {
  const now = systemClock.now()
  const count = await all(() => repositories.lanes.retryAcrossTeams(part, now))
  print(count === 0 ? `Nothing waits for a retry in ${describePart(part)}.` : `Due now: ${deliveries(count)} of ${describePart(part)}.`)
  const backingOff = await repositories.destinationPaces.listPausedAcrossTeams(now)
  if (count > 0 && backingOff.length > 0)
    print(
      `${counted(backingOff.length, 'set of mail servers is', 'sets of mail servers are')} not sent to for a while; \`queue list\` shows until when.`,
    )
  await printPauses(repositories, part, { title: 'Still paused, and so not tried:', now })
}

async function pause(repositories: Repositories, part: QueuePart): Promise<void> {
  const result = await repositories.queuePauses.addAcrossTeams(part, systemClock.now())
  if (result === 'too many')
    throw new Failure('validation', 'There are too many pauses; `queue list` shows them, `queue resume` ends them.')
  const count = await park(repositories, part)
  print(`${result === 'exists' ? 'Paused already' : 'Paused'}: ${describePart(part)}. Put aside: ${deliveries(count)}.`)
  print('New mail for it is accepted and kept. What a worker has taken already, or takes within the next second, is still sent.')
  print(`Resume with \`queue resume ${formatOptions(part)}\`.`)
}

async function resume(repositories: Repositories, part: QueuePart): Promise<void> {
  const now = systemClock.now()
  const ended = await repositories.queuePauses.removeWithinAcrossTeams(part)
  const count = await all(() => repositories.lanes.unparkAcrossTeams(part, now))
  for (const one of ended) print(`Resumed: ${describePart(one)}.`)
  if (ended.length === 0) print(`There was no pause in ${describePart(part)}.`)
  print(`Taken back: ${deliveries(count)}.`)
  await printPauses(repositories, part, { title: 'Still paused:', now })
}

/** Lane by lane, so that the rest of the queue does not matter. The workers park what arrives meanwhile. */
async function park({ lanes }: Repositories, part: QueuePart): Promise<number> {
  let parked = 0
  const classes = part.class === null ? LANE_CLASSES : [part.class]
  for (const kind of classes) {
    for (let found: Lane[] = [], after: Lane | null = null, isFirst = true; isFirst || found.length === LANES_MAX; isFirst = false) {
      found = await lanes.listAcrossTeams(kind, after)
      after = found.at(-1) ?? null
      const paused = found.filter((lane) => covers(part, lane))
      if (paused.length > 0) parked += await all(() => lanes.parkAcrossTeams(paused))
    }
  }
  return parked
}

/** Repeats until a batch is not full. */
async function all(move: () => Promise<number>): Promise<number> {
  let moved = 0
  for (let count = ROWS_MOVED_MAX; count === ROWS_MOVED_MAX; moved += count) count = await move()
  return moved
}

const deliveries = (count: number): string => counted(count, 'delivery', 'deliveries')

function parseLimit(text: string): number {
  const limit = Number(text)
  if (!Number.isInteger(limit) || limit < 1 || limit > LINES_MAX)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${LINES_MAX}.`)
  return limit
}
