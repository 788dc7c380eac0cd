// What a signed-in person can read and do: the segments of the team, one with its contacts, and the builder of its filter.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { deleteSegment } from '../../modules/audience/segments/segments.service.ts'
import { attempt, refuse } from '../shell/form-attempt.ts'
import { SENT_BEFORE } from '../shell/form-ids.ts'
import { noteOf } from '../shell/notes.ts'
import { isFirstAgain, placeFields } from '../shell/pager.ts'
import { unlessUsedIn } from '../shell/used-record.ts'
import { segmentDeletePage } from './delete-page.ts'
import { segmentListPage } from './list-page.ts'
import { removalFragment } from './removal-progress.ts'
import { segmentFragment, segmentPage } from './segment-page.ts'
import { segmentViews } from './segment-views.ts'
import { ADDRESS, pathOf } from './segment-words.ts'

const access = 'public' as const

/** A filter may read all contacts of the team. */
const COUNTED_EVERY_MS = 60_000

export const SegmentParams = Type.Object({ id: Type.String() })
const PlaceQuery = Type.Object({
  ...placeFields,
  done: Type.Optional(Type.String()),
  count: Type.Optional(Type.String()),
  removed: Type.Optional(Type.String()),
})

export const segmentPageRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const views = segmentViews(context)

  app.get('/', { config: { access }, schema: { hide: true, querystring: PlaceQuery } }, async (request, reply) => {
    const { after, before } = pageRequest(request.query, 'always')
    const view = await views.list(requireSession(request).teamId, { after, before, removed: request.query.removed ?? null })
    if (isFirstAgain(view.page, before)) return reply.redirect(ADDRESS, 303)
    return reply.send(segmentListPage({ ...view, note: noteOf(NOTES, request.query) }))
  })

  app.get(
    '/:id',
    { config: { access }, schema: { hide: true, params: SegmentParams, querystring: PlaceQuery } },
    async (request, reply) => {
      const { after, before } = pageRequest(request.query, 'always')
      const view = await views.segment(requireSession(request).teamId, request.params.id, {
        after,
        before,
        waits: request.query.count === 'yes',
      })
      if (before !== null && view.isFirst) return reply.redirect(pathOf(view.segment), 303)
      return reply.send(segmentPage({ ...view, note: noteOf(NOTES, request.query) }))
    },
  )

  app.get(
    '/:id/progress',
    { config: { access }, schema: { hide: true, params: SegmentParams, querystring: PlaceQuery } },
    async (request, reply) => {
      const { teamId } = requireSession(request)
      const { after, before } = pageRequest(request.query, 'always')
      const read = async () => segmentFragment(await views.segment(teamId, request.params.id, { after, before, waits: true }))
      return reply.sendPart(read, { everyMs: COUNTED_EVERY_MS })
    },
  )

  app.get('/removed/:id/progress', { config: { access }, schema: { hide: true, params: SegmentParams } }, async (request, reply) =>
    reply.sendPart(async () => removalFragment(await views.removal(requireSession(request).teamId, request.params.id))),
  )

  app.get('/:id/delete', { config: { access }, schema: { hide: true, params: SegmentParams } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const segment = await views.find(teamId, request.params.id)
    return reply.send(segmentDeletePage({ teamName: await views.teamName(teamId), segment, problem: null }))
  })

  app.post('/:id/delete', { config: { access }, schema: { hide: true, params: SegmentParams } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const segment = await views.find(teamId, request.params.id)
    const result = await attempt(() => deleteSegment(context, teamId, segment.id, unlessUsedIn(request.body)))
    if ('done' in result) return reply.redirect(`${ADDRESS}?done=deleted&removed=${segment.id}`, 303)
    const { problem } = result
    return refuse(reply, problem).send(segmentDeletePage({ teamName: await views.teamName(teamId), segment, problem }))
  })
}

const NOTES: ReadonlyMap<string, string> = new Map([
  ['created', 'The segment was created.'],
  ['again', SENT_BEFORE],
  ['saved', 'The segment was saved.'],
  ['deleted', 'The segment was deleted. Its contacts are kept.'],
])
