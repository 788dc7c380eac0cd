import type { FastifyPluginAsync } from 'fastify'
import type { Context } from '../../context.ts'

/** Files behind signed links: always as a download, never as a page of this origin. */
export const downloadRoutes: FastifyPluginAsync<Context> = async (app, { links, gateways }) => {
  app.get<{ Params: { token: string } }>(
    '/downloads/:token',
    { config: { access: 'public' }, schema: { hide: true } },
    async (request, reply) => {
      const { blobKey, filename } = links.open('download', request.params.token)
      const key = String(blobKey)
      const [size, file] = [await gateways.blobs.size(key), await gateways.blobs.open(key)]
      return reply
        .headers({
          // The browser is never told a type that it could run.
          'content-type': 'application/octet-stream',
          'content-disposition': contentDisposition(typeof filename === 'string' ? filename : 'attachment'),
          'content-security-policy': "sandbox; default-src 'none'",
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cache-control': 'private, no-store',
          ...(size === null ? {} : { 'content-length': size }),
        })
        .send(file)
    },
  )
}

/** RFC 6266 with the ASCII fallback of appendix D. */
function contentDisposition(filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encodeURIComponent(filename).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)}`
}
