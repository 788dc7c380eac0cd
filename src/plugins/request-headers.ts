// What is asked of the headers of a request before its body is read: one host, and at most one idempotency key.
import type { FastifyInstance } from 'fastify'
import { countHeaders, IDEMPOTENCY_KEY_LENGTH_MAX } from '../http/headers.ts'
import { Failure } from '../lib/failure.ts'

/**
 * A request of HTTP/1.1 names one host (RFC 9112, section 3.2): proxies that read another of two would send it elsewhere. So would those that read
 * another host in one that is none.
 */
export function hostHeader(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { httpVersion, headers } = request.raw
    const hosts = countHeaders(request.raw, 'host')
    if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) done(new Failure('malformedRequest', NOT_ONE_HOST))
    else if (!HOST_AND_PORT.test(headers.host ?? '')) done(new Failure('malformedRequest', NO_HOST))
    else done()
  })
}

const NOT_ONE_HOST = 'The request must have exactly one `Host` header.'

/** `uri-host [ ":" port ]` of RFC 3986, which may be empty. */
const HOST_AND_PORT = /^(?:\[[\w:.~%-]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/
const NO_HOST = 'The `Host` header must be a host name or an address, and a port if it is not the usual one.'

/** Reads Idempotency-Key for the operations that accept one. The accepting statement keeps its promise (db/idempotent-requests.ts). */
export function idempotency(app: FastifyInstance): void {
  app.decorateRequest('idempotencyKey', null)
  app.addHook('onRequest', async (request) => {
    if (!request.routeOptions.config.operation?.isIdempotent) return
    const key = request.headers['idempotency-key']
    if (key === undefined) return
    if (typeof key !== 'string' || key.length === 0 || key.length > IDEMPOTENCY_KEY_LENGTH_MAX) {
      throw new Failure('invalidIdempotencyKey', `The \`Idempotency-Key\` header must have 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} characters.`)
    }
    // Node shows two as one key: the two with a comma between them.
    if (countHeaders(request.raw, 'idempotency-key') > 1) throw new Failure('invalidIdempotencyKey', NOT_ONE_KEY)
    request.idempotencyKey = key
  })
}

const NOT_ONE_KEY = 'The request must have at most one `Idempotency-Key` header.'
