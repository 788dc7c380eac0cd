// Parses bodies of JSON. A large one is parsed step by step, and waits for its turn: each step keeps all other requests waiting.
import { isUtf8 } from 'node:buffer'
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { jsonPlace } from '../../http/validation/form-body.ts'
import { Failure, invalid } from '../../lib/failure.ts'
import { createFairSemaphore } from '../../lib/limits/fair-semaphore.ts'
import { shapeProblem } from '../../lib/validation/body-shape.ts'
import { isRecord } from '../../lib/validation/field-tree.ts'

/** Larger bodies are parsed in turns. */
const PARSED_AT_ONCE_BYTES_MAX = 1024 * 1024
const LARGE_BODIES_PARSED_MAX = { perKey: 1, inAll: 2 }
/** The room for bodies (body-gate.ts) bounds how many there are. */
const LARGE_BODIES_WAITING_MAX = { perKey: Number.POSITIVE_INFINITY, inAll: Number.POSITIVE_INFINITY }
/** Many times as long as all the bodies that there is room for take. */
const WAIT_MS_MAX = 30_000
const RETRY_AFTER_SECONDS = 5

declare module 'fastify' {
  interface FastifyRequest {
    /** The body text contained an escape. Only then can a string hold characters that cannot be stored. */
    hasEscapes: boolean
    isBodyLarge: boolean
  }
}

/** `turn` resolves in the next turn of the event loop. */
export type JsonBodyOptions = { turn?: () => Promise<unknown>; waitMsMax?: number }

/** Register it before the hooks that read a body. */
export function jsonBodies(app: FastifyInstance, { turn = setImmediate, waitMsMax = WAIT_MS_MAX }: JsonBodyOptions = {}): void {
  const semaphore = createFairSemaphore({
    atOnceMax: LARGE_BODIES_PARSED_MAX,
    waitingMax: LARGE_BODIES_WAITING_MAX,
    waitMsMax,
    refusal: () => new Failure('unavailable', BUSY, { retryAfterSeconds: RETRY_AFTER_SECONDS }),
  })
  app.decorateRequest('hasEscapes', false)
  app.decorateRequest('isBodyLarge', false)
  app.removeContentTypeParser(['application/json', 'text/plain'])
  async function parse(request: FastifyRequest, received: Received) {
    const { length } = received.bytes
    const steps = parsing(request, received)
    let step = steps.next()
    if (length <= PARSED_AT_ONCE_BYTES_MAX) {
      while (!step.done) step = steps.next()
      return step.value
    }
    request.isBodyLarge = true
    return semaphore.run(request.holder?.teamId ?? '', async () => {
      while (!step.done) {
        await turn()
        step = steps.next()
      }
      // What becomes of the value follows at once, in this turn.
      await turn()
      return step.value
    })
  }
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request: FastifyRequest, bytes: Buffer) => parse(request, { bytes }))
  // Some clients (axios) name the type of a form in a request without a body.
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers, routeOptions } = request
    const { operation } = routeOptions.config
    if (operation && !operation.upload && hasNoBody(headers) && headers['content-type'] !== undefined) delete headers['content-type']
    done()
  })
  // After the validation, which walks through the whole body.
  app.addHook('preHandler', (request, _reply, done) => {
    if (!request.isBodyLarge) return done()
    turn().then(() => done(), done)
  })
}

const hasNoBody = ({ 'content-length': length, 'transfer-encoding': coding }: FastifyRequest['headers']): boolean =>
  coding === undefined && (length === undefined || length === '0')

const BUSY = 'Other large request bodies are being read already. Please try again in a few seconds.'

/** The bytes of a body until they are text: nothing else holds them. */
type Received = { bytes: Buffer }
const NOTHING = Buffer.alloc(0)

/** @throws Failure about what is wrong with the text */
function* parsing(request: FastifyRequest, received: Received): Generator<void, unknown, void> {
  yield
  // RFC 8259, section 8.1. Decoding other bytes would put replacement characters into mail.
  if (!isUtf8(received.bytes)) throw new Failure('malformedRequest', 'The request body is not valid JSON: it is not encoded in UTF-8.')
  const problem = shapeProblem(received.bytes)
  if (problem !== null) throw invalid(problem)
  yield
  let text = withoutMark(received.bytes.toString())
  // There are never more than two copies of a large body at once.
  received.bytes = NOTHING
  request.hasEscapes = text.includes('\\u')
  const mayBePoisoned = request.hasEscapes || text.includes('proto')
  // The official clients announce JSON on every POST and DELETE, even if they send nothing.
  if (text.trim() === '') return undefined
  yield
  const value = parsed(text)
  text = ''
  yield
  if (mayBePoisoned && isPoisoned(value)) throw invalid(POISONED)
  return value
}

/** The parser skips a byte order mark at the beginning (U+FEFF). */
const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Failure('malformedRequest', `The request body is not valid JSON${jsonPlace(text)}.`, { cause: error })
  }
}

/** Copied carelessly, such a field would change every object of a program. */
const POISONED = 'The request body has a field called `__proto__`, or one called `prototype` within `constructor`: these names are refused.'

/** Finds what Fastify's own parser finds, which searches the text by patterns: with a large file in it, that takes longer than parsing it. */
function isPoisoned(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isPoisoned)
  if (!isRecord(value)) return false
  if (Object.hasOwn(value, '__proto__')) return true
  if (Object.hasOwn(value, 'constructor') && isRecord(value.constructor) && Object.hasOwn(value.constructor, 'prototype')) return true
  return Object.values(value).some(isPoisoned)
}
