// Compresses the replies of operations for clients that ask for it.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { compressed, varyByEncoding, wantedEncoding } from '../lib/content-encodings.ts'
import type { FieldTree } from '../schemas/bodies/field-tree.ts'
import { holdsSecret } from '../schemas/bodies/redaction.ts'

/** Shorter ones fit into a packet or two, compressed or not. */
const REPLY_LENGTH_MIN = 1_024
/** A longer one is mostly the content of files, and would keep a thread for seconds. */
const REPLY_LENGTH_MAX = 4_000_000
/** One for each thread. One that comes meanwhile is sent as it is, rather than waiting for them. */
const COMPRESSIONS_MAX = 4

/**
 * Register it after every hook that reads or writes a reply. Hooks without promises, because most replies are short.
 *
 * How long a compressed reply is tells what it has in common with what the client put into it (BREACH). So a reply is left alone if its schema
 * marks anything in it as secret.
 */
export function compression(app: FastifyInstance): void {
  let running = 0
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!isLong(payload) || !mayBeCompressed(request)) return done(null, payload)
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

/** What is sent in parts is a file. */
const isLong = (payload: unknown): payload is string | Buffer =>
  (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > REPLY_LENGTH_MIN && payload.length <= REPLY_LENGTH_MAX

/** Pages, and tokens of programs, are not operations. */
function mayBeCompressed({ routeOptions: { config } }: FastifyRequest): boolean {
  const { replyFields } = config
  if (!replyFields) return false
  const known = secretReplies.get(replyFields)
  const isSecret = known ?? holdsSecret(replyFields)
  if (known === undefined) secretReplies.set(replyFields, isSecret)
  return !isSecret
}

const secretReplies = new WeakMap<FieldTree, boolean>()
