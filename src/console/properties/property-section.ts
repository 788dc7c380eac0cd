// The section of the console with the contact properties of a team. Each form does what the API's operation does.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { takeForms } from '../../http/pages/document.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { createContactProperty, deleteContactProperty, updateFallback } from '../../modules/audience/properties/properties.service.ts'
import { attempt, refuse } from '../shell/form-attempt.ts'
import { noteOf } from '../shell/notes.ts'
import { isFirstAgain, placeFields } from '../shell/pager.ts'
import { propertyListPage } from './list-page.ts'
import { PropertyForm, propertyCreateOf, propertyUpdateOf } from './property-forms.ts'
import { propertyDeletePage, propertyPage } from './property-page.ts'
import { propertyViews } from './property-views.ts'
import { ADDRESS, pathOf } from './property-words.ts'

/** A key and a fallback, which grow when a browser encodes them. */
const FORM_BYTES_MAX = 16_384

const access = 'public' as const

const PlaceQuery = Type.Object({
  ...placeFields,
  done: Type.Optional(Type.String()),
})
const PropertyParams = Type.Object({ id: Type.String() })
const onProperty = { config: { access }, schema: { hide: true, params: PropertyParams } }

export const propertySection: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register(
    async (section) => {
      await takeForms(section, { bytesMax: FORM_BYTES_MAX })
      await section.register(propertyPageRoutes, context)
    },
    { prefix: '/properties' },
  )
}

const propertyPageRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const views = propertyViews(context)

  app.get('/', { config: { access }, schema: { hide: true, querystring: PlaceQuery } }, async (request, reply) => {
    const { after, before } = pageRequest(request.query, 'always')
    const view = await views.list(requireSession(request).teamId, { after, before })
    if (isFirstAgain(view.page, before)) return reply.redirect(ADDRESS, 303)
    return reply.send(propertyListPage({ ...view, note: noteOf(NOTES, request.query) }))
  })

  app.post('/', { config: { access }, schema: { hide: true, body: PropertyForm } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const { body: form } = request
    const result = await attempt(async () => createContactProperty(context, teamId, propertyCreateOf(form)))
    if ('done' in result) return reply.redirect(`${ADDRESS}?done=created`, 303)
    const { problem } = result
    return refuse(reply, problem).send(propertyListPage({ ...(await views.list(teamId, { after: null, before: null })), form, problem }))
  })

  app.get(
    '/:id',
    { config: { access }, schema: { hide: true, params: PropertyParams, querystring: PlaceQuery } },
    async (request, reply) => {
      const view = await views.property(requireSession(request).teamId, request.params.id)
      return reply.send(propertyPage({ ...view, note: noteOf(NOTES, request.query) }))
    },
  )

  app.post('/:id', { config: { access }, schema: { hide: true, params: PropertyParams, body: PropertyForm } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const { body: form } = request
    const view = await views.property(teamId, request.params.id)
    const { id } = view.property
    const result = await attempt(async () => {
      const { fallback_value: fallback } = propertyUpdateOf(form, view.property)
      return updateFallback(context, teamId, { id, fallback })
    })
    if ('done' in result) return reply.redirect(`${pathOf({ id })}?done=saved`, 303)
    const { problem } = result
    return refuse(reply, problem).send(propertyPage({ ...view, form, problem }))
  })

  app.get('/:id/delete', onProperty, async (request, reply) =>
    reply.send(propertyDeletePage(await views.property(requireSession(request).teamId, request.params.id))),
  )

  app.post('/:id/delete', onProperty, async (request, reply) => {
    const { teamId } = requireSession(request)
    const view = await views.property(teamId, request.params.id)
    const result = await attempt(() => deleteContactProperty(context, teamId, view.property.id))
    if ('done' in result) return reply.redirect(`${ADDRESS}?done=deleted`, 303)
    const { problem } = result
    return refuse(reply, problem).send(propertyDeletePage({ ...view, problem }))
  })
}

const NOTES: ReadonlyMap<string, string> = new Map([
  ['created', 'The property was created.'],
  ['saved', 'The fallback was saved.'],
  ['deleted', 'The property was deleted.'],
])
