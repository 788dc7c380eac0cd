// What operators see of the whole installation. A team's session finds nothing here.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import packageJson from '../../../package.json' with { type: 'json' }
import type { Context } from '../../context.ts'
import { takeForms } from '../../http/pages/document.ts'
import { CONSOLE, OPERATION } from '../../http/pages/paths.ts'
import { isId } from '../../lib/ids.ts'
import { pageRequest } from '../../lib/page-request.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import { createSessionCookie, type SessionFinder } from '../../modules/accounts/sessions/sessions.pages.ts'
import { endOperatorSession } from '../../modules/accounts/sessions/sessions.service.ts'
import { SESSION_NOTES, sessionsMain } from '../session/sessions-page.ts'
import { SessionsQuery } from '../session/sessions-section.ts'
import { noteOf } from '../shell/notes.ts'
import { LINES_PER_PAGE } from '../shell/pager.ts'
import { deliverabilityPage } from './deliverability-page.ts'
import { healthPage } from './health-page.ts'
import { operatorGate, operatorOf } from './operator-gate.ts'
import { operatorPage } from './operator-page.ts'
import { queueRoutes } from './queue-routes.ts'
import { teamsPage } from './teams-page.ts'

/** Three names of a part of the queue. */
const FORM_BYTES_MAX = 4_096
const access = 'public' as const
const options = { config: { access }, schema: { hide: true } }
const pageOptions = { config: { access }, schema: { hide: true, querystring: SessionsQuery } }
const SESSIONS = `${OPERATION}/sessions`

export const operationSection =
  (findSession: SessionFinder): FastifyPluginAsyncTypebox<Context> =>
  async (app, context) => {
    const { repositories, clock, gateways, readiness, deliverability } = context
    const { databaseFacts, operatorSignIns, queueView, teams, workerLeases } = repositories
    const cookie = createSessionCookie(context, 'operator')
    operatorGate(app, context, findSession)
    await takeForms(app, { bytesMax: FORM_BYTES_MAX })
    await app.register(queueRoutes, context)

    app.get('/health', options, async (_request, reply) => {
      const [{ isReady, checks }, workers, leases, freeBytes, version, partitions] = await Promise.all([
        readiness(),
        workerLeases.list(),
        queueView.leasesAcrossTeams(),
        gateways.diskSpace.freeBytes().catch(() => null),
        databaseFacts.version(),
        databaseFacts.partitions(),
      ])
      const held = new Map(leases.map(({ workerId, count }) => [workerId, count]))
      const versions = [
        { name: 'Posthaste', version: packageJson.version },
        { name: 'Node.js', version: process.versions.node },
        { name: 'PostgreSQL', version },
      ]
      const view = { isReady, checks, freeBytes, versions, partitions }
      return reply.send(healthPage({ ...view, workers: workers.map((worker) => ({ ...worker, held: held.get(worker.id) ?? 0 })) }))
    })

    app.get('/deliverability', options, async (_request, reply) => reply.send(deliverabilityPage(await deliverability())))

    app.get('/teams', pageOptions, async (request, reply) => {
      const { after, before } = pageRequest(request.query, 'always')
      const page = await teams.listAcrossTeams({ limit: LINES_PER_PAGE, after, before })
      return reply.send(teamsPage({ now: clock.now(), page: shown(page, before), after: after ?? before }))
    })

    app.get('/sessions', pageOptions, async (request, reply) => {
      const { after, before } = pageRequest(request.query, 'always')
      const page = await operatorSignIns.list(clock.now(), { limit: LINES_PER_PAGE, after, before })
      const main = sessionsMain({
        ...{ address: SESSIONS, now: clock.now(), page: shown(page, before), after: after ?? before },
        ...{
          currentId: operatorOf(request).id,
          whose: 'Every operator who is signed in.',
          passkeys: null,
          note: noteOf(SESSION_NOTES, request.query),
        },
      })
      return reply.send(operatorPage({ place: 'Sessions', main }))
    })

    app.post(
      '/sessions/:id/end',
      { config: { access }, schema: { hide: true, params: Type.Object({ id: Type.String() }) } },
      async (request, reply) => {
        const { id } = request.params
        const isEnded = isId(id) && (await operatorSignIns.end(id.toLowerCase()))
        return reply.redirect(`${SESSIONS}?done=${isEnded ? 'ended' : 'gone'}`, 303)
      },
    )

    app.post('/sessions/end-others', options, async (request, reply) => {
      await operatorSignIns.endOthers(operatorOf(request).id)
      return reply.redirect(`${SESSIONS}?done=others`, 303)
    })

    app.post('/sign-out', options, async (request, reply) => {
      cookie.clear(reply)
      await endOperatorSession(context, cookie.read(request))
      return reply.redirect(`${CONSOLE}/sign-in`, 303)
    })
  }

/** Read backward, a page has older ones after it. */
const shown = <Row>(page: Page<Row>, before: string | null): Page<Row> => (before === null ? page : { ...page, hasMore: true })
