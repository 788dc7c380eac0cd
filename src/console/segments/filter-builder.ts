// Building a segment: each button sends the whole form, which adds a rule, removes one, counts, or saves as the API's operations do.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { createBodyReader } from '../../lib/validation/body-validator.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import type { SegmentRow } from '../../modules/audience/segments/segments.repository.ts'
import { SEGMENTS, SegmentCreate } from '../../modules/audience/segments/segments.schema.ts'
import { createSegment, resolveSegmentFilter, updateSegment } from '../../modules/audience/segments/segments.service.ts'
import { attempt, refuse } from '../shell/form-attempt.ts'
import { formIdOf, once } from '../shell/form-ids.ts'
import { segmentEditPage } from './edit-page.ts'
import { type DraftGroup, draftIn, type FilterForm, filterOf, withoutRule, withRule } from './filter-draft.ts'
import { SegmentParams } from './segment-routes.ts'
import { EMPTY_DRAFT, segmentViews } from './segment-views.ts'
import { ADDRESS, pathOf } from './segment-words.ts'

const access = 'public' as const

const BuilderForm = Type.Record(Type.String(), Type.String())

type Written = { teamId: string; segment: SegmentRow | null; form: FilterForm }

export const filterBuilderRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { contactProperties, segmentMembers } = context.repositories
  const { clock } = context
  const views = segmentViews(context)

  app.get('/new', { config: { access }, schema: { hide: true } }, async (request, reply) =>
    reply.send(segmentEditPage(await views.edit(requireSession(request).teamId, null, null))),
  )

  app.post('/new', { config: { access }, schema: { hide: true, body: BuilderForm } }, async (request, reply) =>
    answer(reply, { teamId: requireSession(request).teamId, segment: null, form: request.body }),
  )

  app.get('/:id/edit', { config: { access }, schema: { hide: true, params: SegmentParams } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    return reply.send(segmentEditPage(await views.edit(teamId, await views.find(teamId, request.params.id), null)))
  })

  app.post(
    '/:id/edit',
    { config: { access }, schema: { hide: true, params: SegmentParams, body: BuilderForm } },
    async (request, reply) => {
      const { teamId } = requireSession(request)
      return answer(reply, { teamId, segment: await views.find(teamId, request.params.id), form: request.body })
    },
  )

  async function answer(reply: FastifyReply, { teamId, segment, form }: Written): Promise<FastifyReply> {
    const { name = '', act = '' } = form
    const written = draftIn(form)
    if (act !== 'count' && act !== 'save')
      return reply.send(segmentEditPage(await views.edit(teamId, segment, { name, draft: rearranged(written, act, form) })))
    const result = await attempt(async () =>
      act === 'save'
        ? { saved: await once(() => save(teamId, { segment, form, name, draft: written })) }
        : { counted: await count(teamId, written) },
    )
    if ('done' in result && 'saved' in result.done)
      return reply.redirect(
        result.done.saved === null
          ? `${ADDRESS}?done=again`
          : `${pathOf(result.done.saved)}?done=${segment === null ? 'created' : 'saved'}`,
        303,
      )
    const view = await views.edit(teamId, segment, { name, draft: written })
    if ('done' in result) return reply.send(segmentEditPage({ ...view, ...result.done }))
    const { problem } = result
    return refuse(reply, problem).send(segmentEditPage({ ...view, problem }))
  }

  async function save(teamId: string, { segment, form, name, draft }: Omit<Written, 'teamId'> & { name: string; draft: DraftGroup }) {
    const input = readSegment({ name: name.trim() })
    const filter = draft.rules.length === 0 ? null : await resolve(teamId, draft)
    if (segment === null) return createSegment(context, teamId, { name: input.name, filter }, formIdOf(form, clock.now()))
    // The filter of a segment without one is not touched, so that its contacts do not matter.
    const change = { name: input.name, ...((filter !== null || segment.filter !== null) && { filter }) }
    const changed = await updateSegment(context, teamId, { id: segment.id, change })
    if (!changed) throw notFound(SEGMENTS.noun)
    return changed
  }

  /** Null if there is no rule. */
  async function count(teamId: string, draft: DraftGroup) {
    if (draft.rules.length === 0) return null
    const { filter } = await resolve(teamId, draft)
    return segmentMembers.countSoon(teamId, { id: '', filter })
  }

  async function resolve(teamId: string, draft: DraftGroup) {
    const numbers = new Set((await contactProperties.all(teamId)).flatMap(({ key, type }) => (type === 'number' ? [key] : [])))
    return resolveSegmentFilter(
      context,
      teamId,
      filterOf(draft, (key) => numbers.has(key)),
    )
  }
}

const readSegment = createBodyReader(SegmentCreate)

/** The draft after a button: `add 0.1`, `group 0` or `remove 0.1.2`. Anything else changes nothing. */
function rearranged(draft: DraftGroup, act: string, form: FilterForm): DraftGroup {
  const [what, place = ''] = act.split(' ', 2)
  if (what === 'remove') return withoutRule(draft, place)
  if (what === 'group') return withRule(draft, place, { ...EMPTY_DRAFT, kind: 'any' })
  const subject = form[`add-${place}`]
  return what === 'add' && subject !== undefined ? withRule(draft, place, { subject, operator: '', value: '' }) : draft
}
