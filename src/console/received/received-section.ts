// The section of the console with the mail that a team has received.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { isProblem } from '../../lib/problem.ts'
import { contactForm } from '../../mail/address-forms.ts'
import { parseMailbox } from '../../mail/addresses.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import type { ReceivedEmailRow } from '../../modules/inbound/received.repository.ts'
import { downloadLink } from '../../modules/secrets/download-links.service.ts'
import { framedHeaders, withFrameScript } from '../../modules/sharing/frame/email-frame.ts'
import { framedHtml, hasRemoteImages } from '../../modules/sharing/frame/framed-html.ts'
import { receivedImageAddresses } from '../../modules/sharing/inline-images.routes.ts'
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
  const { repositories, gateways, clock } = context

  app.get('/', { config: { access }, schema: { hide: true, querystring: ListQuery } }, async (request, reply) => {
    const { teamId } = requireSession(request)
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
        before,
        sought,
        ownAddress: context.config.inboundDomain && `${teamId}.${context.config.inboundDomain}`,
      }),
    )
  })

  app.get(
    '/:receivedId',
    { config: { access }, schema: { hide: true, params: Params, querystring: PageQuery } },
    async (request, reply) => {
      const { teamId } = requireSession(request)
      const email = await findEmail(teamId, request.params.receivedId)
      const view = request.query.view ?? (email.html === null ? 'text' : 'html')
      return reply.send(
        receivedPage({
          teamName: await teamName(teamId),
          now: clock.now(),
          email,
          senderId: await senderId(teamId, email.from),
          view,
          hasRemoteImages: view === 'html' && (await hasRemoteImages(gateways, teamId, email.html)),
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
      const { teamId } = requireSession(request)
      const { html: content, attachments } = await findEmail(teamId, request.params.receivedId)
      const addresses = receivedImageAddresses(context, { files: attachments, expiresAt: null })
      const { html } = await framedHtml(gateways, teamId, content ?? '', addresses)
      return reply.headers(framedHeaders(request.query.remote === 'yes')).send(withFrameScript(html))
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
