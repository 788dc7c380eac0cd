// What a signed-in person can read: the imports of the team, and one with its progress and its refused rows.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { ignoredColumns } from '../../modules/audience/imports/contact-columns.ts'
import { importReportUrl } from '../../modules/audience/imports/imports.routes.ts'
import { CONTACT_IMPORTS } from '../../modules/audience/imports/imports.schema.ts'
import { isFirstAgain, LINES_PER_PAGE, placeFields } from '../shell/pager.ts'
import { type ImportProgress, importFragment, importPage } from './import-page.ts'
import { ADDRESS } from './import-words.ts'
import { type ImportListView, importListPage } from './list-page.ts'

const access = 'public' as const

/** All of them are in the file that can be downloaded. */
const REFUSALS_SHOWN_MAX = 50

const ListQuery = Type.Object(placeFields)
const onImport = { config: { access }, schema: { hide: true, params: Type.Object({ id: Type.String() }) } }

export const importRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { repositories, clock } = context

  app.get('/', { config: { access }, schema: { hide: true, querystring: ListQuery } }, async (request, reply) => {
    const { after, before } = pageRequest(request.query, 'always')
    const view = await importList(context, requireSession(request).teamId, { after, before })
    if (isFirstAgain(view.page, before)) return reply.redirect(ADDRESS, 303)
    return reply.send(importListPage(view))
  })

  app.get('/:id', onImport, async (request, reply) => {
    const { teamId } = requireSession(request)
    const progress = await progressOf(teamId, request.params.id)
    return reply.send(importPage({ ...progress, teamName: (await repositories.teams.find(teamId))?.name ?? '' }))
  })

  app.get('/:id/progress', onImport, async (request, reply) =>
    reply.sendPart(async () => importFragment(await progressOf(requireSession(request).teamId, request.params.id))),
  )

  app.get('/:id/report', onImport, async (request, reply) => {
    const { teamId } = requireSession(request)
    const url = importReportUrl(context, teamId, (await progressOf(teamId, request.params.id)).found)
    if (url === null) throw notFound('List of refused rows')
    return reply.redirect(url, 303)
  })

  /** @throws Failure `notFound`, also for the import of another team. */
  async function progressOf(teamId: string, id: string): Promise<ImportProgress> {
    const found = isId(id) ? await repositories.contactImports.find(teamId, id.toLowerCase()) : null
    if (!found) throw notFound(CONTACT_IMPORTS.noun)
    return {
      ...{ now: clock.now(), found, ignoredColumns: ignoredColumns(found.columns) },
      refusals: await repositories.importBatches.refusals(teamId, found.id, 0, REFUSALS_SHOWN_MAX),
      hasReport: importReportUrl(context, teamId, found) !== null,
    }
  }
}

type Place = { after: string | null; before: string | null }

/** What the list shows. */
export async function importList(
  { repositories, clock, config }: Pick<Context, 'repositories' | 'clock' | 'config'>,
  teamId: string,
  { after, before }: Place,
): Promise<ImportListView> {
  return {
    teamName: (await repositories.teams.find(teamId))?.name ?? '',
    now: clock.now(),
    page: await repositories.contactImports.list(teamId, null, { limit: LINES_PER_PAGE, after, before }),
    after: after ?? before,
    bytesMax: config.importBytesMax,
    problem: null,
  }
}
