// Compresses the replies of operations for clients that ask for it.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { compressed, varyByEncoding, wantedEncoding } from '../http/content-encodings.ts'
import { holdsSecret } from '../http/validation/logged-body.ts'
import type { FieldTree } from '../lib/validation/field-tree.ts'

/** Shorter ones fit into a packet or two, compressed or not. */
const REPLY_LENGTH_MIN = 1_024
/** A longer one is mostly the content of files, and would keep a thread for seconds. */
const REPLY_LENGTH_MAX = 4_000_000
/** One for each thread. One that comes meanwhile is sent as it is, rather than waiting for them. */
const COMPRESSIONS_MAX = 4

/**
 * Register it after every hook that reads or writes a reply. The hook calls back instead of returning a promise, because most replies are short and pass
 * at once.
 *
 * How long a compressed reply is tells what it has in common with what the client put into it (BREACH). So a reply is left alone if its schema
 * marks anything in it as secret.
 */
export function compression(app: FastifyInstance): void {
  let running = 0
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!isWithinLimits(payload) || !mayBeCompressed(request)) return done(null, payload)
    reply.header('vary', varyByEncoding(reply.getHeader('vary')))
    const encoding = wantedEncoding(request.headers)
    if (encoding === null || running >= COMPRESSIONS_MAX) return done(null, payload)
    running += 1
    compressed(Buffer.from(payload), encoding, 'each')
      .then((bytes) => {
        reply.header('content-encoding', encoding)
        return bytes
      })
      .finally(() => {
        running -= 1
      })
      .then((bytes) => done(null, bytes), done)
  })
}

/** A stream is the content of a file, and passes as it is. */
const isWithinLimits = (payload: unknown): payload is string | Buffer =>
  (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > REPLY_LENGTH_MIN && payload.length <= REPLY_LENGTH_MAX

/** Pages and the token endpoint are not operations, so nothing is known of their fields. */
function mayBeCompressed({ routeOptions: { config } }: FastifyRequest): boolean {
  const { replyFields } = config
  if (!replyFields) return false
  const known = secretReplies.get(replyFields)
  const isSecret = known ?? holdsSecret(replyFields)
  if (known === undefined) secretReplies.set(replyFields, isSecret)
  return !isSecret
}

const secretReplies = new WeakMap<FieldTree, boolean>()
