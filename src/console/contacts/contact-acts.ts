// What a signed-in person can do with contacts: add, change, subscribe, put into segments and erase them, each as the API's operation does.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { invalid, notFound } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { contactAddress } from '../../mail/address-forms.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { CONTACTS, SEGMENTS_PER_CONTACT_MAX } from '../../modules/audience/contacts/contacts.schema.ts'
import { saveContact, updateContact } from '../../modules/audience/contacts/contacts.service.ts'
import { membershipFailure } from '../../modules/audience/segments/segments.service.ts'
import { chooseTopics } from '../../modules/audience/topics/contact-topics.routes.ts'
import { attempt, refuse } from '../shell/form-attempt.ts'
import { ContactForm, contactCreateOf, contactUpdateOf } from './contact-forms.ts'
import { contactPage } from './contact-page.ts'
import { ContactParams } from './contact-routes.ts'
import { contactViews, FIRST_PAGE } from './contact-views.ts'
import { ADDRESS, pathOf } from './contact-words.ts'
import { editPage } from './edit-page.ts'
import { erasePage } from './erase-page.ts'
import { contactListPage } from './list-page.ts'

const access = 'public' as const

const OtherParams = Type.Object({ id: Type.String(), other: Type.String() })
const EraseForm = Type.Object({ address: Type.Optional(Type.String()) })
const SegmentForm = Type.Object({ segment_id: Type.Optional(Type.String()) })
const TopicForm = Type.Object({ subscription: Type.Union([Type.Literal('opt_in'), Type.Literal('opt_out')]) })

export const contactActRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { contacts, contactSegments } = context.repositories
  const views = contactViews(context)

  app.post('/', { config: { access }, schema: { hide: true, body: ContactForm } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const { body: form } = request
    const result = await attempt(async () => saveContact(context, teamId, contactCreateOf(form)))
    if ('done' in result) return reply.redirect(`${pathOf(result.done)}?done=added`, 303)
    const { problem } = result
    return refuse(reply, problem).send(contactListPage({ ...(await views.list(teamId, FIRST_PAGE)), form, problem }))
  })

  app.post(
    '/:id/edit',
    { config: { access }, schema: { hide: true, params: ContactParams, body: ContactForm } },
    async (request, reply) => {
      const { teamId } = requireSession(request)
      const { body: form } = request
      const view = await views.edit(teamId, request.params.id)
      const { id } = view.contact
      const result = await attempt(async () => {
        const input = contactUpdateOf(form, view.properties)
        if (!(await updateContact(context, teamId, { reference: { id }, input }))) throw notFound(CONTACTS.noun)
      })
      if ('done' in result) return reply.redirect(`${pathOf({ id })}?done=saved`, 303)
      const { problem } = result
      return refuse(reply, problem).send(editPage({ ...view, form, problem }))
    },
  )

  for (const [name, unsubscribed, done] of [
    ['subscribe', false, 'subscribed'],
    ['unsubscribe', true, 'unsubscribed'],
  ] as const)
    app.post(`/:id/${name}`, { config: { access }, schema: { hide: true, params: ContactParams } }, async (request, reply) => {
      const change = async (teamId: string, id: string): Promise<void> => {
        if (!(await updateContact(context, teamId, { reference: { id }, input: { unsubscribed } }))) throw notFound(CONTACTS.noun)
      }
      return act(request, reply, { change, done })
    })

  app.post(
    '/:id/segments',
    { config: { access }, schema: { hide: true, params: ContactParams, body: SegmentForm } },
    async (request, reply) => {
      const { segment_id: segmentId = '' } = request.body
      const change = async (teamId: string, id: string): Promise<void> => {
        if (!isId(segmentId)) throw invalid('The `segment_id` field is not the id of one of your segments.')
        const options = { reference: { id }, segmentId: segmentId.toLowerCase(), membershipsMax: SEGMENTS_PER_CONTACT_MAX }
        const added = await contactSegments.add(teamId, options)
        if (typeof added === 'string') throw membershipFailure(added)
      }
      return act(request, reply, { change, done: 'segments' })
    },
  )

  app.post('/:id/segments/:other/remove', { config: { access }, schema: { hide: true, params: OtherParams } }, async (request, reply) => {
    const { other } = request.params
    const change = async (teamId: string, id: string): Promise<void> => {
      if (!isId(other)) throw membershipFailure('unknown segment')
      const removed = await contactSegments.remove(teamId, { reference: { id }, segmentId: other.toLowerCase() })
      if (typeof removed === 'string') throw membershipFailure(removed)
    }
    return act(request, reply, { change, done: 'segments' })
  })

  app.post(
    '/:id/topics/:other',
    { config: { access }, schema: { hide: true, params: OtherParams, body: TopicForm } },
    async (request, reply) => {
      const { other } = request.params
      const { subscription } = request.body
      const change = async (teamId: string, id: string): Promise<void> => {
        if (!isId(other)) throw notFound('Topic')
        await chooseTopics(context, teamId, { reference: { id }, choices: [{ id: other, subscription }], field: 'topics' })
      }
      return act(request, reply, { change, done: 'topics' })
    },
  )

  app.post('/:id/erase', { config: { access }, schema: { hide: true, params: ContactParams, body: EraseForm } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const contact = await views.find(teamId, request.params.id)
    const { address: typed = '' } = request.body
    const result = await attempt(async () => {
      if (contactAddress(typed.trim()) !== contact.email) throw invalid('The `address` field is not the address of this contact.')
      return contacts.deleteContact(teamId, { id: contact.id })
    })
    if ('done' in result) return reply.redirect(`${ADDRESS}?done=erased`, 303)
    const { problem } = result
    return refuse(reply, problem).send(erasePage({ teamName: await views.teamName(teamId), contact, typed, problem }))
  })

  type Act = { change: (teamId: string, contactId: string) => Promise<void>; done: string }

  /** Changes a contact of the team, and shows it. */
  async function act(request: FastifyRequest<{ Params: { id: string } }>, reply: FastifyReply, { change, done }: Act) {
    const { teamId } = requireSession(request)
    const { id } = await views.find(teamId, request.params.id)
    const result = await attempt(() => change(teamId, id))
    if ('done' in result) return reply.redirect(`${pathOf({ id })}?done=${done}`, 303)
    const { problem } = result
    return refuse(reply, problem).send(contactPage({ ...(await views.contact(teamId, id, null)), problem }))
  }
}
