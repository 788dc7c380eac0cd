import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { asDownload } from '../../lib/content-disposition.ts'
import { notFound } from '../../lib/failure.ts'
import { LinkParams } from '../../schemas/links.ts'

/** Files behind signed links: always as a download, never as a page of this origin. */
export const downloadRoutes: FastifyPluginAsyncTypebox<Context> = async (app, { links, repositories, gateways }) => {
  app.get('/downloads/:token', { config: { access: 'public' }, schema: { hide: true, params: LinkParams } }, async (request, reply) => {
    const { attachmentId } = links.open('download', request.params.token)
    const attachment = await repositories.attachments.findAcrossTeams(String(attachmentId))
    if (!attachment?.blobKey) throw notFound('File')
    const content = await gateways.blobs.open(attachment.blobKey)
    return reply
      .headers({
        // The browser is never told a type that it could run.
        'content-type': 'application/octet-stream',
        'content-disposition': asDownload(attachment.filename ?? 'attachment'),
        'content-security-policy': "sandbox; default-src 'none'",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'private, no-store',
        'content-length': attachment.size,
      })
      .send(content)
  })
}
