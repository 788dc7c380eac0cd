// Answers with a part of a page: once, or as often as it changes to a browser that asks for a stream.
import type { SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { createSessionCookie } from '../../modules/accounts/sessions/sessions.pages.ts'
import { type OperatorSession, openOperatorSession, openPersonSession } from '../../modules/accounts/sessions/sessions.service.ts'
import { createEventStream } from '../../modules/console/live/event-stream.ts'
import { RETRY_MS, STREAM_HEADERS } from '../../modules/console/live/stream-limits.ts'
import { sendIfChanged } from '../shell/fragments.ts'
import { createLiveParts, LIVE_LIMITS, type LiveLimits, type Watcher } from './live-parts.ts'

/** Reads the part, and shows it. It may depend on nothing but the team and the address of the request. */
type ReadPart = () => Promise<SafeHtml>

declare module 'fastify' {
  interface FastifyReply {
    sendPart: (read: ReadPart, options?: { everyMs?: number }) => Promise<FastifyReply>
  }
}

const OPERATORS = 'operators'

export function liveReplies(
  app: FastifyInstance,
  context: Context,
  limits: LiveLimits = { ...LIVE_LIMITS, streamsMax: context.config.consoleStreamsMax },
): void {
  const personCookie = createSessionCookie(context)
  const operatorCookie = createSessionCookie(context, 'operator')
  const onFault = (error: unknown) => context.log.warn({ err: error }, 'live part of a page not read')
  const parts = createLiveParts(limits, { clock: context.clock, onFault })

  app.addHook('preClose', async () => parts.close())
  app.decorateReply('sendPart', async function (this: FastifyReply, read: ReadPart, options: { everyMs?: number } = {}) {
    const { request } = this
    if (!wantsStream(request)) return sendIfChanged(request, this, await read())
    const stream = createEventStream(RETRY_MS * (1 + Math.random()))
    // Someone who leaves before the part was read waits no longer.
    this.raw.once('close', () => stream.end())
    await parts.watch(
      { stream, version: lastEventOf(request), ...personOf(request) },
      { address: request.url, read, everyMs: options.everyMs },
    )
    return this.headers(STREAM_HEADERS).send(stream.readable)
  })

  /** Whose session the request has, and whether it still lasts, with the same role in the team. */
  function personOf(request: FastifyRequest): Pick<Watcher, 'teamId' | 'sessionId' | 'isAllowed'> {
    const { session } = request
    if (session === null) {
      const { id } = operatorIn(request)
      const isAllowed = async () => (await openOperatorSession(context, operatorCookie.read(request)))?.id === id
      return { teamId: OPERATORS, sessionId: id, isAllowed }
    }
    const { id, teamId, role } = session
    const isAllowed = async () => {
      const found = await openPersonSession(context, personCookie.read(request), teamId)
      return found?.id === id && found.team?.role === role
    }
    return { teamId, sessionId: id, isAllowed }
  }
}

/** EventSource asks for nothing else. */
const wantsStream = ({ method, headers }: FastifyRequest): boolean => method === 'GET' && headers.accept === 'text/event-stream'

function lastEventOf({ headers }: FastifyRequest): string | null {
  const last = headers['last-event-id']
  return typeof last === 'string' ? last : null
}

function operatorIn({ operator }: FastifyRequest): OperatorSession {
  if (!operator) throw new Error('A part of a page needs a session')
  return operator
}
