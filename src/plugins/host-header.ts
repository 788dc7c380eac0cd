import type { FastifyInstance } from 'fastify'
import { Failure } from '../lib/failure.ts'

/** A request of HTTP/1.1 names one host (RFC 9112, section 3.2): proxies that read another of two would send it elsewhere. */
export function hostHeader(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { httpVersion, rawHeaders } = request.raw
    const hosts = countHosts(rawHeaders)
    if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) done(new Failure('unreadableBody', NOT_ONE_HOST))
    else done()
  })
}

/** Names and values take turns. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === HOST.length && name.toLowerCase() === HOST) count++
  }
  return count
}
const HOST = 'host'
const NOT_ONE_HOST = 'The request must have exactly one `Host` header.'
