// The files of an email's page: the document of its frame, its attachments, and the message itself.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { asDownload } from '../../http/headers.ts'
import { notFound } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { framedHeaders, withFrameScript } from '../../modules/sharing/frame/email-frame.ts'
import { framedHtml } from '../../modules/sharing/frame/framed-html.ts'
import { inlineImageAddresses } from '../../modules/sharing/inline-images.routes.ts'
import { openMessage } from './email-message.ts'

const access = 'public' as const

const EmailParams = Type.Object({ id: Type.String() })
const FileParams = Type.Object({ id: Type.String(), attachment_id: Type.String() })
const FrameQuery = Type.Object({ remote: Type.Optional(Type.Literal('yes')) })

const AS_FILE = { 'content-type': 'application/octet-stream', 'content-security-policy': "sandbox; default-src 'none'" }

export const emailFileRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { repositories, gateways } = context

  app.get(
    '/:id/html',
    { config: { access }, schema: { hide: true, params: EmailParams, querystring: FrameQuery } },
    async (request, reply) => {
      const { teamId } = requireSession(request)
      const { id } = request.params
      const found = isId(id) ? await repositories.emails.find(teamId, id) : null
      if (!found) throw notFound('Email')
      const email = await context.asBroadcastEmail(found)
      const addresses = await inlineImageAddresses(context, { teamId, emailId: email.id, expiresAt: null })
      const { html } = await framedHtml(gateways, teamId, email.html ?? '', addresses)
      return reply.headers(framedHeaders(request.query.remote === 'yes')).send(withFrameScript(html))
    },
  )

  app.get('/:id/message', { config: { access }, schema: { hide: true, params: EmailParams } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const { id } = request.params
    if (!isId(id) || !(await repositories.emails.has(teamId, id))) throw notFound('Email')
    const message = await openMessage(context, { teamId, emailId: id })
    return reply.headers({ ...AS_FILE, 'content-disposition': asDownload(`${id}.eml`) }).send(message)
  })

  app.get('/:id/attachments/:attachment_id', { config: { access }, schema: { hide: true, params: FileParams } }, async (request, reply) => {
    const { id, attachment_id } = request.params
    const file =
      isId(id) && isId(attachment_id) ? await repositories.attachments.find(requireSession(request).teamId, id, attachment_id) : null
    if (!file?.blobKey) throw notFound('File')
    const content = await gateways.blobs.open(file.blobKey)
    return reply
      .headers({ ...AS_FILE, 'content-disposition': asDownload(file.filename ?? 'attachment'), 'content-length': file.size })
      .send(content)
  })
}
