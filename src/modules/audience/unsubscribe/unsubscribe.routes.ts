// The page where people decide what they get. Its link is the credential. Opening it changes nothing, because programs open links too.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Brand } from '../../../http/pages/brand.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { LinkParams } from '../../../http/resource.ts'
import { Failure, notFound } from '../../../lib/failure.ts'
import { createId, shortId } from '../../../lib/ids.ts'
import { createWindowCounts } from '../../../lib/limits/counts.ts'
import { EXAMPLE_TOKEN } from '../../../lib/personal-links.ts'
import type { AccountsContext } from '../../accounts/accounts.context.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import type { AudienceContext } from '../audience.context.ts'
import type { Decision, TopicChoice } from '../contacts/opt-outs.repository.ts'
import type { AddressRow, AddressTopicRow } from '../topics/contact-topics.repository.ts'
import { chooseTexts, type Reading } from './texts.ts'
import { noticePage, oneClickPage, pageHeaders, pathOf, preferencesPage, UnsubscribeForm, unsubscribeForms } from './unsubscribe.pages.ts'
import { openUnsubscribeLink, tokenIn, type UnsubscribeTarget, unsubscribeToken } from './unsubscribe-links.service.ts'

type Context = PlatformContext & SecretsContext & AccountsContext & AudienceContext

// Links that were damaged on their way so badly that the router or the HTTP parser refuses them. Their readers get the page too.

/** The route for a link that cannot be routed: its link does not work either. */
export const BROKEN_LINK = '/unsubscribe/-'

export const isUnsubscribeLink = (url: string): boolean => /^\/+unsubscribe(?:[/?]|$)/.test(url)

/**
 * The answer on the socket to a link longer than the 16 KB that all headers may have. There is no request, only the bytes that arrived last. Null
 * if it is about something else, or arrived in so many pieces that its beginning is lost.
 */
export function overlongLinkReply({ code, rawPacket }: { code?: string | undefined; rawPacket?: unknown }): string | null {
  if (code !== 'HPE_HEADER_OVERFLOW' || !Buffer.isBuffer(rawPacket)) return null
  const packet = rawPacket.toString('latin1')
  if (!isUnsubscribeLink(/^[A-Z]+ (\S*)/.exec(packet)?.[1] ?? '')) return null
  const reading = chooseTexts(/\r\naccept-language:([^\r]*)/i.exec(packet)?.[1])
  const text = noticePage(reading, { title: reading.texts.badLink, note: reading.texts.badLinkNote })
  const headers = { ...pageHeaders(reading), 'x-request-id': createId(), 'content-length': Buffer.byteLength(text), connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 431 Request Header Fields Too Large\r\n${lines.join('')}\r\n${text}`
}

const STATUS_OF_BAD_LINK = 403
const STATUS_OF_INCOMPLETE = 422
const STATUS_OF_TOO_MANY = 429
/** The limit of one address. No one chooses more often, and each change notifies the team. */
const CHOICES_MAX = 30
const CHOICES_WINDOW_MS = 60_000
/** Addresses that are counted at once. The least recently used are forgotten. */
const ADDRESSES_COUNTED_MAX = 10_000
const isPublic = { access: 'public' as const }
const PageQuery = Type.Object({ saved: Type.Optional(Type.Unknown()) })

export const unsubscribeRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register((pages) => unsubscribeScope(pages, context), { prefix: '/unsubscribe' })
}

/** A link of a team that was removed has nothing left to end: it is done. */
const gonePage = (reading: Reading): string =>
  noticePage(reading, { title: reading.texts.unsubscribed, note: reading.texts.unsubscribedNote })

const unsubscribeScope: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { contactTopics, teams } = context.repositories
  const choices = createWindowCounts({ keysMax: ADDRESSES_COUNTED_MAX, clock: context.clock })

  await unsubscribeForms(app)
  app.addHook<{ Params: { token?: string } }>('onRequest', async (request, reply) => {
    reply.headers(pageHeaders(readingFor(request)))
    // No link has a NUL. It is refused here, because it would be refused later as an error in a form.
    if (request.params.token?.includes('\0')) throw new Failure('invalidLink', 'This link is not complete.')
  })
  // An error whose sentence was written for programs becomes a page with the same status, in the reader's language.
  app.addHook('onSend', async (request, reply, payload) => {
    if (reply.statusCode < 400 || !String(reply.getHeader('content-type')).startsWith('application/json')) return payload
    const reading = readingFor(request)
    const text = noticePage(reading, explainStatus(reply.statusCode, reading))
    reply.headers({ ...pageHeaders(reading), 'content-length': Buffer.byteLength(text) })
    return text
  })
  // A handler of its own, so that the hooks above also run for a link without its end.
  app.setNotFoundHandler(() => {
    throw notFound('Page')
  })

  const example = (request: FastifyRequest): string => {
    const reading = readingFor(request)
    return noticePage(reading, { title: reading.texts.title, note: reading.texts.exampleNote })
  }

  const view = { config: isPublic, schema: { hide: true, params: LinkParams, querystring: PageQuery } }
  app.get('/:token', view, async (request, reply) => {
    const reading = readingFor(request)
    const token = tokenIn(request.params.token)
    if (token === EXAMPLE_TOKEN) return reply.send(example(request))
    const target = openUnsubscribeLink(context, token)
    if (!target) return reply.code(STATUS_OF_BAD_LINK).send(noticePage(reading, explainStatus(STATUS_OF_BAD_LINK, reading)))
    const team = await teams.find(target.teamId)
    if (!team) return reply.send(gonePage(reading))
    const address = await contactTopics.ofAddress(target.teamId, target.addressHash)
    const topics = topicsToChoose(address, target).filter(({ isAvailable }) => isAvailable)
    // The forms return which private topics were shown, so that a mistake can be undone on the next page.
    const shownTopicIds = topics.filter(({ visibility }) => visibility === 'private').map(({ id }) => id)
    const formToken = unsubscribeToken(context, { ...target, shownTopicIds })
    const isSaved = request.query.saved !== undefined
    const sender = await senderOf(team)
    const page = preferencesPage(reading, { ...address, topics, token: formToken, sender, isSaved })
    return reply.headers(pageHeaders(reading, sender)).send(page)
  })

  const decide = { config: isPublic, schema: { hide: true, params: LinkParams, body: UnsubscribeForm } }
  app.post('/:token', decide, async (request, reply) => {
    const reading = readingFor(request)
    const token = tokenIn(request.params.token)
    if (token === EXAMPLE_TOKEN) return reply.send(example(request))
    const target = openUnsubscribeLink(context, token)
    if (!target) return refuse(request, reply)
    const { teamId, addressHash, topicId } = target
    const isOneClick = isSentByMailProgram(request.body)
    // Unsubscribing is never refused and not counted. A person who has unsubscribed already changes nothing by it.
    const count = isOneClick || request.body.act === 'unsubscribe' ? null : choices.add(addressHash, CHOICES_WINDOW_MS)
    if (count && count.current > CHOICES_MAX) return refuseToChoose(request, reply, count.ttl)
    const decision = isOneClick ? leaving(topicId) : await decisionFrom(target, request.body)
    if (!decision) return reply.code(STATUS_OF_INCOMPLETE).send(noticePage(reading, explainStatus(STATUS_OF_INCOMPLETE, reading)))
    const team = await teams.find(teamId)
    if (!team) return reply.send(gonePage(reading))
    await contactTopics.decide(teamId, addressHash, decision)
    if (target.emailId !== undefined && leaves(decision, topicId))
      await context.recordUnsubscribed(teamId, target.emailId, context.clock.now())
    // RFC 8058, section 3.1: no redirect for a mail program.
    if (isOneClick) {
      const scope = topicId === undefined ? 'everything' : 'topic'
      const sender = await senderOf(team)
      return reply.headers(pageHeaders(reading, sender)).send(oneClickPage(reading, { token, sender, scope }))
    }
    return reply.redirect(isWhole(decision, request.body) ? `${pathOf(token)}?saved=1` : pathOf(token), 303)
  })

  const senderOf = async ({ id, name }: { id: string; name: string }): Promise<Brand> =>
    (await teams.brandOf(id)) ?? { name, color: null, logoPath: null }

  /** Only for topics that the page shows, or has shown before the contact was deleted. No one can subscribe to a private one by its id. */
  async function decisionFrom(target: UnsubscribeTarget, form: UnsubscribeForm): Promise<Decision | null> {
    if (form.act === 'unsubscribe') return { unsubscribed: true, topics: [] }
    if (form.act === 'subscribe') return { unsubscribed: false, topics: [] }
    if (form.act !== 'save') return null
    const topics = topicsToChoose(await contactTopics.ofAddress(target.teamId, target.addressHash), target)
    const chosen = topics.flatMap(({ id, isAvailable }): TopicChoice[] => {
      const choice = form[shortId(id)]
      if (choice === undefined) return []
      if (choice !== 'on') return [{ id, subscription: 'opt_out' }]
      return isAvailable ? [{ id, subscription: 'opt_in' }] : []
    })
    return { topics: chosen }
  }

  function refuseToChoose(request: FastifyRequest, reply: FastifyReply, waitMs: number): FastifyReply {
    const reading = readingFor(request)
    reply.code(STATUS_OF_TOO_MANY).header('retry-after', String(Math.max(1, Math.ceil(waitMs / 1_000))))
    return reply.send(noticePage(reading, { title: reading.texts.problem, note: reading.texts.busyNote }))
  }

  async function refuse(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const reading = readingFor(request)
    const tooMany = await app.countFailedCredential(request, reply)
    const status = tooMany ? STATUS_OF_TOO_MANY : STATUS_OF_BAD_LINK
    if (tooMany) reply.header('retry-after', String(tooMany.retryAfterSeconds ?? 1))
    return reply.code(status).send(noticePage(reading, explainStatus(status, reading)))
  }
}

/**
 * Public topics, and private ones that the person gets or was shown before. An opt-out alone shows none, because it is also stored for people who
 * never had the topic.
 */
const topicsToChoose = ({ topics }: AddressRow, { shownTopicIds }: UnsubscribeTarget): AddressTopicRow[] =>
  topics.filter(({ id, visibility, subscription }) => visibility === 'public' || subscription === 'opt_in' || shownTopicIds.includes(id))

/** Whether all topics that were switched on still exist. Otherwise the page must not say that they were saved. */
const isWhole = ({ topics }: Decision, form: UnsubscribeForm): boolean =>
  topics.filter(({ subscription }) => subscription === 'opt_in').length === Object.values(form).filter((value) => value === 'on').length

/** RFC 8058, section 3.2. In any case of letters, because a body with these words can mean nothing else. */
const isSentByMailProgram = (form: UnsubscribeForm): boolean =>
  Object.entries(form).some(([name, value]) => name.toLowerCase() === 'list-unsubscribe' && value.trim().toLowerCase() === 'one-click')

const leaving = (topicId: string | undefined): Decision =>
  topicId === undefined ? { unsubscribed: true, topics: [] } : { topics: [{ id: topicId, subscription: 'opt_out' }] }

/** Whether it takes back what the mail with the link was sent for. */
const leaves = ({ unsubscribed, topics }: Decision, topicId: string | undefined): boolean =>
  unsubscribed === true || topics.some(({ id, subscription }) => id === topicId && subscription === 'opt_out')

const readingFor = ({ headers }: FastifyRequest): Reading => chooseTexts(headers['accept-language'])

function explainStatus(status: number, { texts }: Reading): { title: string; note: string } {
  if (status === 403 || status === 404) return { title: texts.badLink, note: texts.badLinkNote }
  const note = status === STATUS_OF_TOO_MANY ? texts.tooManyNote : status >= 500 ? texts.busyNote : texts.incompleteNote
  return { title: texts.problem, note }
}
