// Shows images to anyone who has their address: in mail, on public pages, in a browser. Nothing of the request but the address counts: no cookie, no team.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { PlatformContext } from '../../http/platform.context.ts'
import { Failure, notFound } from '../../lib/failure.ts'
import { isFileOf, MEDIA, tokenOfFile } from './image-addresses.ts'
import type { ImagesContext } from './images.context.ts'

type Context = PlatformContext & ImagesContext

const MediaParams = Type.Object({ file: Type.String() })

/** A picture and nothing else, whatever a browser makes of it. Its content never changes, so it is kept for as long as a browser keeps anything. */
const SHOWN = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; sandbox",
  'content-disposition': 'inline',
  // Web mail shows it on pages of its own.
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

export const mediaRoutes: FastifyPluginAsyncTypebox<Context> = async (app, { repositories, gateways }) => {
  app.get(`${MEDIA}/:file`, { config: { access: 'public' }, schema: { hide: true, params: MediaParams } }, async (request, reply) => {
    const { file } = request.params
    const token = tokenOfFile(file)
    const image = token === null ? null : await repositories.images.serveAcrossTeams(token)
    reply.headers({ 'cache-control': 'no-store' })
    if (token === null || !image || !isFileOf(file, { token, contentType: image.contentType })) throw notFound('Image')
    if (image.blobKey === null) throw new Failure('gone', 'This image was taken down by the operator of this service.')
    const etag = `"${token}"`
    if (request.headers['if-none-match']?.includes(etag))
      return reply
        .code(304)
        .headers({ ...SHOWN, etag })
        .send()
    const content = await gateways.blobs.open(image.blobKey)
    return reply.headers({ ...SHOWN, etag, 'content-type': image.contentType, 'content-length': image.size }).send(content)
  })
}
