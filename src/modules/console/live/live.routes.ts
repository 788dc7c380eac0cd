// One stream for each page of the console that is open: it names the sections in which something of the team has changed.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Caller, declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import type { AccountsContext } from '../../accounts/accounts.context.ts'
import type { ConsoleContext } from '../console.context.ts'
import { CONSOLE } from '../console.schema.ts'
import { createEventStream, type EventStream } from './event-stream.ts'
import { LIVE_EXAMPLE, LiveEvents, LiveQuery } from './live.schema.ts'
import { createLiveChanges } from './live-changes.ts'
import { sectionOfTag, sectionsFor } from './live-sections.ts'
import { judgeStream, RETRY_MS, STREAM_HEADERS, STREAM_LIMITS } from './stream-limits.ts'

type Context = PlatformContext & AccountsContext & ConsoleContext

type Watcher = { teamId: string; sessionId: string; stream: EventStream }

const operation = declareOperations(CONSOLE)

export const liveRoutes: Routes<Context> = async (app, { context }) => {
  const { repositories, clock, config, log } = context
  const limits = { ...STREAM_LIMITS, streamsMax: config.consoleStreamsMax }
  const watchers = new Set<Watcher>()
  const tags = new Map<string, string>()
  const onFault = (error: unknown) => log.warn({ err: error }, 'changes for live pages not read')
  const changes = createLiveChanges({
    ...{ reads: repositories.teamChanges, clock, onFault },
    sectionOfAct: (act) => sectionOfTag(tags.get(act) ?? ''),
  })

  app.addHook('onReady', async () => {
    for (const { id, resource } of app.operations) tags.set(id, resource.tag.name)
  })
  app.addHook('preClose', async () => {
    limits.streamsMax = 0
    for (const { stream } of [...watchers]) stream.end()
    changes.close()
  })

  app.get(
    '/live',
    operation({
      id: 'live.retrieve',
      summary: 'Watch for changes',
      description:
        'Opens a stream of server-sent events, as `EventSource` does, that names the sections in which something of the team has changed, at most once a second. What has changed is then read from the other operations; so is everything whenever the stream has been opened, because no event is kept for later. A session has at most 4 streams in a process, a team 30. A stream ends within 5 seconds of its session, and after 10 minutes.',
      access: 'member',
      audit: 'never',
      isStream: true,
      isLogged: false,
      query: LiveQuery,
      reply: { 200: LiveEvents },
      example: { reply: LIVE_EXAMPLE },
    }),
    async (request, reply) => answer(request, reply),
  )

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const body = request.method === 'HEAD' ? '' : (await open(request, reply)).readable
    return reply.headers(STREAM_HEADERS).send(body)
  }

  async function open({ caller }: FastifyRequest, reply: FastifyReply): Promise<EventStream> {
    const { teamId, scopes = [] } = caller
    const { sessionId, role } = personIn(caller)
    judgeStream({ teamId, sessionId }, watchers, limits)
    const stream = createEventStream(RETRY_MS * (1 + Math.random()))
    const watcher = { teamId, sessionId, stream }
    watchers.add(watcher)
    const beat = setInterval(() => void beatOf(), limits.beatMs)
    const age = setTimeout(() => stream.end(), limits.ageMs)
    stream.onEnd(() => {
      clearInterval(beat)
      clearTimeout(age)
      watchers.delete(watcher)
    })
    reply.raw.once('close', () => stream.end())
    try {
      stream.onEnd(
        await changes.watch(teamId, (changed) => {
          const sections = sectionsFor(scopes, changed)
          // Someone who has not read the last event reads everything then.
          if (sections.length > 0 && !stream.isBehind()) stream.send({ name: 'changed', text: JSON.stringify({ sections }) })
        }),
      )
    } catch (error) {
      stream.end()
      throw error
    }
    return stream

    /** Whether the session still lasts, with the same role in the team. */
    async function beatOf(): Promise<void> {
      try {
        if (await repositories.sessions.lastsAcrossTeams(sessionId, { teamId, role, now: clock.now() })) return stream.beat()
        stream.send({ name: 'over', text: '' })
      } catch (error) {
        onFault(error)
      }
      stream.end()
    }
  }
}

function personIn({ person }: Caller): NonNullable<Caller['person']> {
  if (!person) throw new Error('A stream is opened by a person: the authentication plugin must refuse others')
  return person
}
