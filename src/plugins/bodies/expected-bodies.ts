// A client that sends `Expect: 100-continue` sends its body once it is asked to (RFC 9110, section 10.1.1): after its head was judged, so that a body
// that is refused for its key, type, encoding or size is never sent.
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findUpload } from './uploads.ts'

/** Requests whose clients were not asked for the body. */
const unasked = new WeakSet<IncomingMessage>()

/** Such a client may leave out the body that it announced, so its connection cannot take another request. */
export const isUnasked = ({ raw }: FastifyRequest): boolean => unasked.has(raw)

/** Register it after every hook that refuses a request before its body is read. */
export function expectedBodies(app: FastifyInstance): void {
  // Without a listener, Node asks at once.
  app.server.on('checkContinue', (request, response) => {
    unasked.add(request)
    app.server.emit('request', request, response)
  })
  app.addHook('preParsing', (request, reply, _payload, done) => {
    if (unasked.has(request.raw) && !isRefusedUnread(request)) {
      unasked.delete(request.raw)
      reply.raw.writeContinue()
    }
    done()
  })
}

/** What the framework refuses after the last hook. */
function isRefusedUnread(request: FastifyRequest): boolean {
  if (findUpload(request)) return false
  const { headers, routeOptions } = request
  if (Number(headers['content-length'] ?? 0) > (routeOptions.bodyLimit ?? Number.POSITIVE_INFINITY)) return true
  return routeOptions.config.operation !== undefined && !JSON_TYPE.test(headers['content-type'] ?? '')
}

const JSON_TYPE = /^application\/json *(;|$)/i
