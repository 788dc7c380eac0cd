// A wrong address in a browser gets a page with a link home. Programs still get JSON.
import type { FastifyInstance } from 'fastify'
import { wantsPage } from '../lib/wanted-form.ts'

/** Where a browser is sent whose address cannot even be routed. */
export const UNROUTABLE_ADDRESS = '/-'

export type NotFoundPages = {
  headers: Record<string, string>
  /** Null if an answer of this status is not about the address, but for example about an invalid key. */
  pageOf: (status: number) => string | null
}

export function notFoundPages(app: FastifyInstance, { headers, pageOf }: NotFoundPages): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (!request.is404 || !String(reply.getHeader('content-type')).startsWith('application/json')) return payload
    const page = pageOf(reply.statusCode)
    if (page === null) return payload
    reply.headers({ vary: 'Accept', 'cache-control': 'no-store' })
    if (!wantsPage(request)) return payload
    reply.headers({ ...headers, 'content-length': Buffer.byteLength(page) })
    return page
  })
}
