// The queue for operators, and pausing and resuming parts of it. Workers park and take back what that concerns.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { OPERATION } from '../../http/pages/paths.ts'
import { invalid } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { type QueuePart, WHOLE_QUEUE } from '../../modules/delivery/lanes.ts'
import { destinationNamed } from '../../modules/emails/new-delivery.ts'
import { attempt, refuse } from '../shell/form-attempt.ts'
import { noteOf } from '../shell/notes.ts'
import { type QueueView, queueFragment, queuePage } from './queue-page.ts'

const access = 'public' as const
const LANES_SHOWN_MAX = 50
const PACES_SHOWN_MAX = 50
/** Rows of the queue that a page counts: some hundredths of a second. `posthaste queue list` counts more. */
const COUNTED_MAX = 50_000
const DESTINATION_LENGTH_MAX = 255
/** Counting all teams' lanes is work, so it is done less often than other parts of pages. */
const QUEUE_EVERY_MS = 3_000

const PageQuery = Type.Object({ done: Type.Optional(Type.String()) })
const Text = Type.Optional(Type.String({ maxLength: DESTINATION_LENGTH_MAX }))
const PartForm = Type.Object({ class: Text, team: Text, destination: Text, all: Text })

export const queueRoutes: FastifyPluginAsyncTypebox<Context> = async (app, { repositories, clock, wakeWorkers }) => {
  const { queueView, queuePauses, destinationPaces, workerLeases, teams } = repositories

  async function view(): Promise<QueueView> {
    const [queue, pauses, paces, workers] = await Promise.all([
      queueView.linesAcrossTeams(WHOLE_QUEUE, LANES_SHOWN_MAX, COUNTED_MAX),
      queuePauses.listAcrossTeams(),
      destinationPaces.newestAcrossTeams(PACES_SHOWN_MAX),
      workerLeases.list(),
    ])
    const ids = new Set([...queue.lines.map(({ teamId }) => teamId), ...pauses.flatMap(({ teamId }) => teamId ?? [])])
    const teamNames = new Map((await teams.findAcrossTeams([...ids])).map(({ id, name }) => [id, name]))
    return { now: clock.now(), queue, pauses, paces, workerCount: workers.length, teamNames, problem: null, note: '' }
  }

  app.get('/', { config: { access }, schema: { hide: true, querystring: PageQuery } }, async (request, reply) =>
    reply.send(queuePage({ ...(await view()), note: noteOf(NOTES, request.query) })),
  )

  app.get('/queue', { config: { access }, schema: { hide: true } }, async (_request, reply) =>
    reply.sendPart(async () => queueFragment(await view()), { everyMs: QUEUE_EVERY_MS }),
  )

  for (const act of ['pause', 'resume'] as const) {
    app.post(`/${act}`, { config: { access }, schema: { hide: true, body: PartForm } }, async (request, reply) => {
      const result = await attempt(() => (act === 'pause' ? pause(partOf(request.body)) : resume(partOf(request.body))))
      if ('done' in result) return reply.redirect(`${OPERATION}?done=${act}`, 303)
      const { problem } = result
      return refuse(reply, problem).send(queuePage({ ...(await view()), problem }))
    })
    // Where a refused form was shown: typing the address again leads back to the page.
    app.get(`/${act}`, { config: { access }, schema: { hide: true } }, async (_request, reply) => reply.redirect(OPERATION, 303))
  }

  async function pause(part: QueuePart): Promise<void> {
    if ((await queuePauses.addAcrossTeams(part, clock.now())) === 'too many') throw invalid('There are too many pauses. Resume some first.')
  }

  async function resume(part: QueuePart): Promise<void> {
    await queuePauses.removeWithinAcrossTeams(part)
    wakeWorkers()
  }
}

/** Without a field: any. The whole queue has to be asked for, as on the command line. */
function partOf({ all = '', ...form }: Static<typeof PartForm>): QueuePart {
  const [kind, team, destination] = [cleaned(form.class), cleaned(form.team), cleaned(form.destination)]
  if (kind + team + destination === '' && all !== 'yes') throw invalid('Name a part of the queue, or say that you mean all of it.')
  if (kind !== '' && kind !== 'transactional' && kind !== 'bulk') throw invalid('The `class` field must be `transactional` or `bulk`.')
  if (team !== '' && !isId(team)) throw invalid('The `team` field must be the id of a team.')
  return {
    class: kind === '' ? null : kind,
    teamId: team === '' ? null : team,
    destination: destination === '' ? null : destinationOf(destination),
  }
}

const cleaned = (typed = ''): string => typed.trim().toLowerCase()

function destinationOf(typed: string): string {
  const destination = destinationNamed(typed)
  if (destination === null) throw invalid('The `destination` field must be a domain such as `example.com`, or `relay`.')
  return destination
}

const NOTES: ReadonlyMap<string, string> = new Map([
  ['pause', 'Paused. What a worker has taken already is still sent.'],
  ['resume', 'Resumed. Workers take back what was parked.'],
])
