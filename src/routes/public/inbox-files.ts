// What the pages of an email lead to: the document of its frame, its files, and the message itself.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { asDownload } from '../../lib/content-disposition.ts'
import { notFound } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import type { InboxAttachmentRow } from '../../repositories/captured-emails.ts'
import { LinkParams } from '../../schemas/links.ts'
import { frameDocument, framePolicy } from './inbox-frame.ts'
import { openMessage } from './inbox-message.ts'
import { sessionOf } from './session-gate.ts'

/** As long as somebody may look at one email before its pictures are asked for again. */
const INLINE_IMAGE_MS = 60 * 60 * 1_000
/** Pictures that cannot run anything; the rest is a download. */
const INLINE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp', 'image/svg+xml'])
const access = 'public' as const

const EmailParams = Type.Object({ id: Type.String() })
const FileParams = Type.Object({ id: Type.String(), attachment_id: Type.String() })
const FrameQuery = Type.Object({ remote: Type.Optional(Type.Literal('yes')) })

const AS_FILE = { 'content-type': 'application/octet-stream', 'content-security-policy': "sandbox; default-src 'none'" }

export const inboxFileRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { repositories, gateways, links, clock } = context

  app.get(
    '/:id/html',
    { config: { access }, schema: { hide: true, params: EmailParams, querystring: FrameQuery } },
    async (request, reply) => {
      const { teamId } = sessionOf(request)
      const { id } = request.params
      const email = isId(id) ? await repositories.emails.find(teamId, id) : null
      if (!email) throw notFound('Email')
      const files = await repositories.capturedEmails.attachmentsOf(teamId, email.id)
      const addresses = new Map(files.flatMap(inlineAddress))
      return reply
        .headers({
          'content-security-policy': framePolicy(request.query.remote === 'yes'),
          'x-frame-options': 'SAMEORIGIN',
          'referrer-policy': 'no-referrer',
          'x-dns-prefetch-control': 'off',
        })
        .send(frameDocument(email.html ?? '', (contentId) => addresses.get(contentId) ?? null))
    },
  )

  app.get('/:id/message', { config: { access }, schema: { hide: true, params: EmailParams } }, async (request, reply) => {
    const { teamId } = sessionOf(request)
    const { id } = request.params
    if (!isId(id) || !(await repositories.emails.has(teamId, id))) throw notFound('Email')
    const message = await openMessage(context, { teamId, emailId: id })
    return reply.headers({ ...AS_FILE, 'content-disposition': asDownload(`${id}.eml`) }).send(message)
  })

  app.get('/:id/attachments/:attachment_id', { config: { access }, schema: { hide: true, params: FileParams } }, async (request, reply) => {
    const { id, attachment_id } = request.params
    const file = isId(id) && isId(attachment_id) ? await repositories.attachments.find(sessionOf(request).teamId, id, attachment_id) : null
    if (!file?.blobKey) throw notFound('File')
    const content = await gateways.blobs.open(file.blobKey)
    return reply
      .headers({ ...AS_FILE, 'content-disposition': asDownload(file.filename ?? 'attachment'), 'content-length': file.size })
      .send(content)
  })

  function inlineAddress({ id, contentId, contentType, blobKey }: InboxAttachmentRow): [string, string][] {
    if (contentId === null || blobKey === null || !INLINE_TYPES.has(bareType(contentType))) return []
    const token = links.sign('inline-image', { id }, new Date(clock.now().getTime() + INLINE_IMAGE_MS))
    return [[contentId.replace(/^<|>$/g, ''), `/inbox/images/${token}`]]
  }
}

/** Pictures inside emails. A frame of no origin gets no cookies sent, so their addresses are signed instead. */
export const inboxImageRoutes: FastifyPluginAsyncTypebox<Context> = async (app, { repositories, gateways, links }) => {
  app.get('/images/:token', { config: { access }, schema: { hide: true, params: LinkParams } }, async (request, reply) => {
    const { id } = links.open('inline-image', request.params.token)
    const file = await repositories.attachments.findAcrossTeams(String(id))
    const type = bareType(file?.contentType ?? '')
    if (!file?.blobKey || !INLINE_TYPES.has(type)) throw notFound('Image')
    const content = await gateways.blobs.open(file.blobKey)
    return reply
      .headers({ 'content-type': type, 'content-length': file.size, 'content-security-policy': "sandbox; default-src 'none'" })
      .send(content)
  })
}

const bareType = (contentType: string): string => (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
