// A wrong address in a browser is a page with the way home. Programs keep their JSON.
import type { FastifyInstance } from 'fastify'
import { wantsPage } from '../lib/wanted-form.ts'

/** Where a browser is led whose address cannot even be routed. */
export const UNROUTABLE_ADDRESS = '/-'

export type NotFoundPages = {
  headers: Record<string, string>
  /** Null: an answer of this status is about something else than the address, such as a key that is not valid. */
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
