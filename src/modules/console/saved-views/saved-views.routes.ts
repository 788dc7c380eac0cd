import type { Static } from '@sinclair/typebox'
import { type Caller, declareOperations, type Routes } from '../../../http/operation.ts'
import { plainResource } from '../../../http/plain-resource.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import type { ConsoleContext } from '../console.context.ts'
import type { SavedViewRow } from './saved-views.repository.ts'
import {
  SAVED_VIEW_LIMIT,
  SAVED_VIEWS,
  SavedView,
  SavedViewCreate,
  SavedViewDeletion,
  SavedViewList,
  SavedViewParams,
  SavedViewUpdate,
} from './saved-views.schema.ts'

/** @param reader the id of the person who looks at it */
export const toSavedView = (
  { id, personId, name, page, query, isShared, createdAt, updatedAt }: SavedViewRow,
  reader: string,
): Static<typeof SavedView> => ({
  ...{ object: 'saved_view', id, name, page, query, is_shared: isShared, is_own: personId === reader },
  ...{ created_at: toTimestamp(createdAt), updated_at: toTimestamp(updatedAt) },
})

const operation = declareOperations(SAVED_VIEWS)
const view = plainResource(SAVED_VIEWS, 'saved_view')

/** Only people who are signed in call operations of members. */
function personOf({ person }: Pick<Caller, 'person'>): string {
  if (!person) throw new Error('An operation of members was reached by a credential without a person')
  return person.id
}

export const savedViewRoutes: Routes<ConsoleContext> = async (app, { context }) => {
  const { savedViews } = context.repositories

  app.post(
    '/saved-views',
    operation({
      id: 'saved-views.create',
      summary: 'Save a view',
      description: `Saves a list of the console with its filters under a name, for the person who is signed in, in the team that they look at. Others of the team see it too if it is shared. ${SAVED_VIEW_LIMIT.sentence}.`,
      access: 'member',
      audit: 'never',
      body: SavedViewCreate,
      reply: { 201: SavedView },
      example: { body: { name: 'Bounced this week', page: 'emails', query: 'status=bounced' }, reply: SAVED_VIEWS.example },
    }),
    async ({ caller, teamId, body: { is_shared: isShared, ...body } }) => {
      const person = personOf(caller)
      return toSavedView(await savedViews.create(teamId, person, { ...body, isShared: isShared ?? false }), person)
    },
  )

  app.get(
    '/saved-views',
    operation({
      id: 'saved-views.list',
      summary: 'List saved views',
      description:
        'Returns all views that the person who is signed in has saved in the team that they look at, and those that others share with the team, newest first.',
      access: 'member',
      audit: 'never',
      reply: { 200: SavedViewList },
      example: { reply: { object: 'list', has_more: false, data: [SAVED_VIEWS.example] } },
    }),
    async ({ caller, teamId }) => {
      const person = personOf(caller)
      const views = await savedViews.list(teamId, person)
      return { object: 'list' as const, has_more: false, data: views.map((row) => toSavedView(row, person)) }
    },
  )

  app.patch(
    '/saved-views/:saved_view_id',
    operation({
      id: 'saved-views.update',
      summary: 'Change a saved view',
      description: 'Changes the name or the filters of a view that the person who is signed in has saved, or whether the team sees it.',
      access: 'member',
      audit: 'never',
      params: SavedViewParams,
      body: SavedViewUpdate,
      reply: { 200: SavedView },
      example: { body: { name: 'Bounced' }, reply: { ...SAVED_VIEWS.example, name: 'Bounced' } },
    }),
    async ({ caller, teamId, params, body: { is_shared: isShared, ...body } }) => {
      const person = personOf(caller)
      const change = { ...body, ...(isShared !== undefined && { isShared }) }
      return toSavedView(view.found(await savedViews.updateView(teamId, person, params.saved_view_id, change)), person)
    },
  )

  app.delete(
    '/saved-views/:saved_view_id',
    operation({
      id: 'saved-views.delete',
      summary: 'Delete a saved view',
      description: 'Deletes a saved view of the person who is signed in.',
      access: 'member',
      audit: 'never',
      params: SavedViewParams,
      reply: { 200: SavedViewDeletion },
      example: { reply: view.examples.deletion },
    }),
    async ({ caller, teamId, params }) => view.deletion(await savedViews.deleteView(teamId, personOf(caller), params.saved_view_id)),
  )
}
