// The page where people decide what they get, behind a link that is the credential. Looking changes nothing: programs open links as well.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { Failure, notFound } from '../../lib/failure.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { shortId } from '../../lib/short-ids.ts'
import type { ContactTopicRow, Decision } from '../../repositories/contact-topics.ts'
import { LinkParams } from '../../schemas/links.ts'
import { openUnsubscribeLink, type UnsubscribeTarget, unsubscribeToken } from '../../services/unsubscribe-links.ts'
import { UnsubscribeForm, unsubscribeForms } from './unsubscribe-forms.ts'
import { gonePage, noticePage, oneClickPage, pathOf, preferencesPage } from './unsubscribe-page.ts'
import { pageHeaders } from './unsubscribe-shell.ts'
import { type Reading, readingOf } from './unsubscribe-texts/texts.ts'

const STATUS_OF_BAD_LINK = 403
const STATUS_OF_INCOMPLETE = 422
const STATUS_OF_TOO_MANY = 429
const isPublic = { access: 'public' as const }
const PageQuery = Type.Object({ saved: Type.Optional(Type.Unknown()) })

export const unsubscribeRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register((pages) => unsubscribeScope(pages, context), { prefix: '/unsubscribe' })
}

const unsubscribeScope: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { contacts, contactTopics } = context.repositories

  unsubscribeForms(app)
  app.addHook<{ Params: { token?: string } }>('onRequest', async (request, reply) => {
    reply.headers(pageHeaders(readingFor(request)))
    // No link has a NUL. It is refused here, because it would be refused later as a mistake in a form.
    if (request.params.token?.includes('\0')) throw new Failure('invalidLink', 'This link is not complete.')
  })
  // An error that was put into words for programs becomes a page with the same status, in the reader's words.
  app.addHook('onSend', async (request, reply, payload) => {
    if (reply.statusCode < 400 || !String(reply.getHeader('content-type')).startsWith('application/json')) return payload
    const reading = readingFor(request)
    const text = noticePage(reading, problemOf(reply.statusCode, reading))
    reply.headers({ ...pageHeaders(reading), 'content-length': Buffer.byteLength(text) })
    return text
  })
  // A handler of its own, so that the hooks above are run for a link without its end as well.
  app.setNotFoundHandler(() => {
    throw notFound('Page')
  })

  const view = { config: isPublic, schema: { hide: true, params: LinkParams, querystring: PageQuery } }
  app.get('/:token', view, async (request, reply) => {
    const reading = readingFor(request)
    const { token } = request.params
    const target = openUnsubscribeLink(context, token)
    if (!target) return reply.code(STATUS_OF_BAD_LINK).send(noticePage(reading, problemOf(STATUS_OF_BAD_LINK, reading)))
    const contact = await contacts.find(target.teamId, target)
    if (!contact) return reply.send(gonePage(reading, { token, isSaved: request.query.saved !== undefined }))
    const topics = await topicsToChoose(target, contact.id)
    // The forms bring back which private topics were shown: on the page that follows a slip of the finger can be undone.
    const shownTopicIds = topics.filter(({ visibility }) => visibility === 'private').map(({ id }) => id)
    const formToken = unsubscribeToken(context, { ...target, shownTopicIds })
    return reply.send(preferencesPage(reading, { ...contact, token: formToken, topics, isSaved: request.query.saved !== undefined }))
  })

  const decide = { config: isPublic, schema: { hide: true, params: LinkParams, body: UnsubscribeForm } }
  app.post('/:token', decide, async (request, reply) => {
    const reading = readingFor(request)
    const { token } = request.params
    const target = openUnsubscribeLink(context, token)
    if (!target) return refuse(request, reply)
    const { teamId, addressHash, topicId } = target
    const isOneClick = isSentByMailProgram(request.body)
    const decision = isOneClick ? leaving(topicId) : await decisionOf(target, request.body)
    if (!decision) return reply.code(STATUS_OF_INCOMPLETE).send(noticePage(reading, problemOf(STATUS_OF_INCOMPLETE, reading)))
    const decided = await contactTopics.decide(teamId, addressHash, decision)
    // Nobody comes back whose contact was deleted, but everybody can leave.
    const isKept = decided !== null || decision.unsubscribed === true
    // RFC 8058, section 3.1: no redirect for a mail program.
    if (isOneClick) return reply.send(oneClickPage(reading, { token, scope: topicId === undefined ? 'everything' : 'topic' }))
    return reply.redirect(isKept ? `${pathOf(token)}?saved=1` : pathOf(token), 303)
  })

  /** Public topics, and private ones that the contact gets or was shown before. An opt-out alone shows none: it is also noted of who never had the topic. */
  async function topicsToChoose({ teamId, shownTopicIds }: UnsubscribeTarget, contactId: string): Promise<ContactTopicRow[]> {
    const { rows } = await contactTopics.list(teamId, contactId, pageRequest({}, 'optional'))
    return rows.filter(
      ({ id, visibility, subscription }) => visibility === 'public' || subscription === 'opt_in' || shownTopicIds.includes(id),
    )
  }

  /** Only of topics that the page shows: nobody enters a private one by its id. */
  async function decisionOf(target: UnsubscribeTarget, form: UnsubscribeForm): Promise<Decision | null> {
    if (form.act === 'unsubscribe') return { unsubscribed: true, topics: [] }
    if (form.act === 'subscribe') return { unsubscribed: false, topics: [] }
    if (form.act !== 'save') return null
    const contact = await contacts.find(target.teamId, target)
    const topics = contact ? await topicsToChoose(target, contact.id) : []
    const chosen = topics.flatMap(({ id }) => {
      const choice = form[shortId(id)]
      return choice === undefined ? [] : [{ id, subscription: choice === 'on' ? ('opt_in' as const) : ('opt_out' as const) }]
    })
    return { topics: chosen }
  }

  async function refuse(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const reading = readingFor(request)
    const tooMany = await app.countFailedCredential(request, reply)
    const status = tooMany ? STATUS_OF_TOO_MANY : STATUS_OF_BAD_LINK
    if (tooMany) reply.header('retry-after', String(tooMany.retryAfterSeconds ?? 1))
    return reply.code(status).send(noticePage(reading, problemOf(status, reading)))
  }
}

/** RFC 8058, section 3.2. Also in another case: whoever writes that wants nothing else. */
const isSentByMailProgram = (form: UnsubscribeForm): boolean =>
  Object.entries(form).some(([name, value]) => name.toLowerCase() === 'list-unsubscribe' && value.trim().toLowerCase() === 'one-click')

const leaving = (topicId: string | undefined): Decision =>
  topicId === undefined ? { unsubscribed: true, topics: [] } : { topics: [{ id: topicId, subscription: 'opt_out' }] }

const readingFor = ({ headers }: FastifyRequest): Reading => readingOf(headers['accept-language'])

function problemOf(status: number, { texts }: Reading): { title: string; note: string } {
  if (status === 403 || status === 404) return { title: texts.badLink, note: texts.badLinkNote }
  const note = status === STATUS_OF_TOO_MANY ? texts.tooManyNote : status >= 500 ? texts.busyNote : texts.incompleteNote
  return { title: texts.problem, note }
}
