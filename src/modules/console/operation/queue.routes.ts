// The queue of all teams, for operators: its lanes, and pausing and resuming parts of it. Workers park and take back what that concerns.
import type { Static } from '@sinclair/typebox'
import { nameTeams } from '../../../db/acts.ts'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { invalid } from '../../../lib/failure.ts'
import type { AccountsContext } from '../../accounts/accounts.context.ts'
import type { DeliveryContext } from '../../delivery/delivery.context.ts'
import { covers, type QueuePart as Part, WHOLE_QUEUE } from '../../delivery/lanes.ts'
import { destinationNamed } from '../../emails/new-delivery.ts'
import { EXAMPLE_QUEUE, NO_PART, OPERATION, Paces, Queue, QueuePart } from './operation.schema.ts'

type Context = PlatformContext & AccountsContext & DeliveryContext

const LANES_SHOWN_MAX = 50
const PACES_SHOWN_MAX = 50
/** Rows of the queue that a request counts: some hundredths of a second. `posthaste queue list` counts more. */
const COUNTED_MAX = 50_000

const operation = declareOperations(OPERATION)

export const queueOperationRoutes: Routes<Context> = async (app, { context }) => {
  const { repositories, clock, wakeWorkers } = context
  const { queueView, queuePauses, destinationPaces, workerLeases, teams } = repositories

  app.get(
    '/operation/queue',
    operation({
      id: 'operation.queue.retrieve',
      summary: 'Retrieve the queue',
      description: 'Returns the longest lanes of the queue of all teams, and what is paused.',
      access: 'operator',
      audit: 'never',
      reply: { 200: Queue },
      example: { reply: EXAMPLE_QUEUE },
    }),
    async () => readQueue(),
  )

  app.post(
    '/operation/queue/pause',
    operation({
      id: 'operation.queue.pause',
      summary: 'Pause a part of the queue',
      description: 'Mail of the part is accepted and kept until it is resumed. What a worker has taken already is still sent.',
      access: 'operator',
      audit: 'always',
      body: QueuePart,
      reply: { 200: Queue },
      example: { body: { destination: 'example.com' }, reply: EXAMPLE_QUEUE },
    }),
    async ({ body }) => {
      const part = partOf(body)
      if (part.teamId !== null) {
        if (!(await teams.find(part.teamId))) throw invalid('The `team_id` field is not the id of a team.')
        nameTeams([part.teamId], clock)
      }
      if ((await queuePauses.addAcrossTeams(part, clock.now())) === 'too many')
        throw invalid('There are too many pauses. Resume some first.')
      return readQueue()
    },
  )

  app.post(
    '/operation/queue/resume',
    operation({
      id: 'operation.queue.resume',
      summary: 'Resume a part of the queue',
      description: 'Ends the pauses of the part, and of all that lies in it.',
      access: 'operator',
      audit: 'always',
      body: QueuePart,
      reply: { 200: Queue },
      example: { body: { destination: 'example.com' }, reply: EXAMPLE_QUEUE },
    }),
    async ({ body }) => {
      const part = partOf(body)
      // A part without a team may end pauses of several: each reads so in its audit log.
      const ended = (await queuePauses.listAcrossTeams()).filter((pause) => covers(part, pause))
      nameTeams([...new Set(ended.flatMap(({ teamId }) => teamId ?? []))], clock)
      await queuePauses.removeWithinAcrossTeams(part)
      wakeWorkers()
      return readQueue()
    },
  )

  app.get(
    '/operation/paces',
    operation({
      id: 'operation.paces.list',
      summary: 'List paces',
      description: 'Returns how fast mail servers are sent to with `DELIVERY=direct`.',
      access: 'operator',
      audit: 'never',
      reply: { 200: Paces },
      example: { reply: { object: 'paces', data: [] } },
    }),
    async () => ({
      object: 'paces' as const,
      data: (await destinationPaces.newestAcrossTeams(PACES_SHOWN_MAX)).map(({ key, pace, updatedAt }) => ({
        hosts: key,
        connections: pace.connections,
        paused_until: timeOf(pace.pausedUntilMs),
        slowed_at: timeOf(pace.slowedAtMs),
        updated_at: toTimestamp(updatedAt),
      })),
    }),
  )

  async function readQueue(): Promise<Static<typeof Queue>> {
    const [queue, pauses, workers, sample] = await Promise.all([
      queueView.linesAcrossTeams(WHOLE_QUEUE, LANES_SHOWN_MAX, COUNTED_MAX),
      queuePauses.listAcrossTeams(),
      workerLeases.list(),
      queueView.sampleAcrossTeams(clock.now()),
    ])
    const ids = new Set([...queue.lines.map(({ teamId }) => teamId), ...pauses.flatMap(({ teamId }) => teamId ?? [])])
    const names = new Map((await teams.findAcrossTeams([...ids])).map(({ id, name }) => [id, name]))
    const teamOf = (id: string) => ({ id, name: names.get(id) ?? null })
    return {
      ...{ object: 'queue', workers: workers.length, total: queue.total, lane_count: queue.laneCount, is_bounded: queue.isBounded },
      oldest_due_seconds: sample.oldestDueSeconds,
      lanes: queue.lines.map((line) => ({
        ...{ class: line.class, team: teamOf(line.teamId), destination: line.destination },
        ...{ ready: line.ready, waiting: line.waiting, leased: line.leased, parked: line.parked },
        next_due_at: toTimestamp(line.nextDueAt),
        is_paused: pauses.some((pause) => covers(pause, line)),
      })),
      pauses: pauses.map(({ id, class: kind, teamId, destination, createdAt, backupAt }) => ({
        ...{ id, class: kind, team: teamId === null ? null : teamOf(teamId), destination },
        ...{ created_at: toTimestamp(createdAt), backup_at: toTimestamp(backupAt) },
      })),
    }
  }
}

const timeOf = (ms: number | null): string | null => toTimestamp(ms === null ? null : new Date(ms))

/** The whole queue has to be asked for, as on the command line. */
function partOf({ class: kind, team_id: teamId, destination, all = false }: Static<typeof QueuePart>): Part {
  if (kind === undefined && teamId === undefined && destination === undefined && !all) throw invalid(NO_PART)
  const named = destination === undefined ? null : destinationNamed(destination.trim().toLowerCase())
  if (destination !== undefined && named === null)
    throw invalid('The `destination` field must be a domain such as `example.com`, or `relay`.')
  return { class: kind ?? null, teamId: teamId?.toLowerCase() ?? null, destination: named }
}
