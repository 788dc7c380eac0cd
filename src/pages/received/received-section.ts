// The section of the console with the mail that a team has received.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { isProblem } from '../../lib/problem.ts'
import { parseMailbox } from '../../mail/addresses.ts'
import { contactForm } from '../../mail/audience/contact-addresses.ts'
import { containedHtml } from '../../mail/html/contained-html.ts'
import type { ReceivedEmailRow } from '../../repositories/inbound/received-emails.ts'
import { downloadLink } from '../../services/download-links.ts'
import { withFrameScript } from '../frame/email-frame-script.ts'
import { framedHeaders } from '../frame/framed.ts'
import { receivedImageAddresses } from '../frame/inline-images.ts'
import { sessionOf } from '../session/session-gate.ts'
import { isFirstAgain, LINES_PER_PAGE, placeFields } from '../shell/pager.ts'
import { listAddress, receivedListPage } from './list-page.ts'
import { RECEIVED_VIEWS, receivedPage } from './received-page.ts'

const access = 'public' as const
const ADDRESS_LENGTH_MAX = 320

/** Without NUL, which no text in the database has. */
const Sought = Type.Optional(Type.String({ maxLength: ADDRESS_LENGTH_MAX, pattern: '^[^\\u0000]*$' }))
const ListQuery = Type.Object({
  to: Sought,
  from: Sought,
  ...placeFields,
})
const Params = Type.Object({ receivedId: Type.String() })
const PageQuery = Type.Object({
  view: Type.Optional(Type.Union(RECEIVED_VIEWS.map((view) => Type.Literal(view)))),
  remote: Type.Optional(Type.Literal('yes')),
})

export const receivedSection: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register(receivedPageRoutes, { ...context, prefix: '/received' })
}

const receivedPageRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { repositories, clock } = context

  app.get('/', { config: { access }, schema: { hide: true, querystring: ListQuery } }, async (request, reply) => {
    const { teamId } = sessionOf(request)
    const { after, before } = pageRequest(request.query, 'always')
    const sought = { to: (request.query.to ?? '').trim(), from: (request.query.from ?? '').trim() }
    const filter = { to: sought.to || null, from: sought.from || null }
    const page = await repositories.receivedEmails.list(teamId, filter, { limit: LINES_PER_PAGE, after, before })
    if (isFirstAgain(page, before)) return reply.redirect(listAddress(sought), 303)
    return reply.send(
      receivedListPage({
        teamName: await teamName(teamId),
        now: clock.now(),
        page,
        after: after ?? before,
        sought,
        ownAddress: context.config.inboundDomain && `${teamId}.${context.config.inboundDomain}`,
      }),
    )
  })

  app.get(
    '/:receivedId',
    { config: { access }, schema: { hide: true, params: Params, querystring: PageQuery } },
    async (request, reply) => {
      const { teamId } = sessionOf(request)
      const email = await findEmail(teamId, request.params.receivedId)
      return reply.send(
        receivedPage({
          teamName: await teamName(teamId),
          now: clock.now(),
          email,
          senderId: await senderId(teamId, email.from),
          view: request.query.view ?? (email.html === null ? 'text' : 'html'),
          showsRemoteImages: request.query.remote === 'yes',
          rawUrl: downloadLink(context, { receivedEmailId: email.id }).url,
          fileUrlOf: (id) => downloadLink(context, { receivedAttachmentId: id }).url,
        }),
      )
    },
  )

  app.get(
    '/:receivedId/html',
    { config: { access }, schema: { hide: true, params: Params, querystring: PageQuery } },
    async (request, reply) => {
      const { html, attachments } = await findEmail(sessionOf(request).teamId, request.params.receivedId)
      const addressOf = receivedImageAddresses(context, { files: attachments, expiresAt: null })
      return reply.headers(framedHeaders(request.query.remote === 'yes')).send(withFrameScript(containedHtml(html ?? '', addressOf).html))
    },
  )

  async function findEmail(teamId: string, id: string): Promise<ReceivedEmailRow> {
    const email = isId(id) ? await repositories.receivedEmails.find(teamId, id) : null
    if (email === null) throw notFound('Received email')
    return email
  }

  /** The contact who wrote it; null if none has the address. */
  async function senderId(teamId: string, from: string): Promise<string | null> {
    const sender = parseMailbox(from)
    const contact = isProblem(sender) ? null : await repositories.contacts.find(teamId, { email: contactForm(sender.address) })
    return contact?.id ?? null
  }

  const teamName = async (teamId: string): Promise<string> => (await repositories.teams.find(teamId))?.name ?? ''
}
