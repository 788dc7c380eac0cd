// What bounds the streams of live parts, with small limits: over real HTTP, without a database.
import type { Socket } from 'node:net'
import { html } from '@remix-run/html-template'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { createLiveParts, LIVE_LIMITS, type LiveLimits, type LiveParts } from '../../../src/console/live/live-parts.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { notFound } from '../../../src/lib/failure.ts'
import { createEventStream, type EventStream } from '../../../src/modules/console/live/event-stream.ts'
import { type OpenStream, openStream } from '../../support/clients/console.ts'
import { until } from '../../support/clocks/until.ts'

type World = {
  parts: LiveParts
  /** What the part shows. */
  text: string
  reads: number
  /** How many are read at this moment, and the most there ever were. */
  reading: number
  readingMax: number
  fault: Error | null
  allowed: boolean
  held: Promise<void> | null
  /** Keeps what is read from now on waiting, until the answer is called. */
  hold(): () => void
  watched(): number
  readsOf(address: string): number
  /** What no client of any stream has taken yet. */
  waitingBytes(): number
  /** Answers how to leave before the stream begins. */
  arrive(path: string): () => void
  open(path?: string, as?: { team?: string; session?: string; last?: string }): Promise<OpenStream>
}

let app: FastifyInstance
const opened: OpenStream[] = []
afterEach(async () => {
  for (const stream of opened.splice(0)) stream.close()
  await app.close()
})

async function start(limits: Partial<LiveLimits> = {}): Promise<World> {
  const faults: unknown[] = []
  const parts = createLiveParts(
    { ...LIVE_LIMITS, streamsMax: 10, everyMs: 10, ...limits },
    { clock: systemClock, onFault: (error) => faults.push(error) },
  )
  const streams = new Set<EventStream>()
  const sockets = new Set<Socket>()
  const readsOf = new Map<string, number>()
  app = Fastify()
  app.addHook('preClose', async () => parts.close())
  app.server.on('connection', (socket) => sockets.add(socket))
  const url = await app
    .get('/*', async ({ headers, url: address }, reply) => {
      const stream = createEventStream(1)
      streams.add(stream)
      stream.onEnd(() => streams.delete(stream))
      reply.raw.once('close', () => stream.end())
      const person = { teamId: String(headers['x-team']), sessionId: String(headers['x-session']), isAllowed: async () => world.allowed }
      try {
        await parts.watch({ stream, version: String(headers['last-event-id']), ...person }, { address, read: () => read(address) })
      } catch (error) {
        return reply.code(429).send(String(error))
      }
      return reply.header('content-type', 'text/event-stream').header('connection', 'close').send(stream.readable)
    })
    .listen({ port: 0, host: '127.0.0.1' })

  async function read(address: string) {
    readsOf.set(address, (readsOf.get(address) ?? 0) + 1)
    world.reads += 1
    world.reading += 1
    world.readingMax = Math.max(world.readingMax, world.reading)
    await (world.held ?? new Promise(setImmediate))
    world.reading -= 1
    if (world.fault) throw world.fault
    return html`<p>${world.text}</p>`
  }

  const world: World = {
    ...{ parts, text: 'first', reads: 0, reading: 0, readingMax: 0, fault: null, allowed: true, held: null },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      world.held = promise
      return resolve
    },
    watched: () => streams.size,
    readsOf: (address) => readsOf.get(address) ?? 0,
    waitingBytes: () =>
      [...streams].reduce((sum, { readable }) => sum + readable.readableLength, 0) +
      [...sockets].reduce((sum, { writableLength }) => sum + writableLength, 0),
    arrive(path) {
      const leaving = new AbortController()
      fetch(`${url}${path}`, { signal: leaving.signal, headers: { 'x-team': 'team', 'x-session': 'session' } }).catch(() => {})
      return () => leaving.abort()
    },
    async open(path = '/part', { team = 'team', session = 'session', last = '' } = {}) {
      const stream = await openStream({ url }, path, {
        cookie: '',
        headers: { 'x-team': team, 'x-session': session, 'last-event-id': last },
      })
      opened.push(stream)
      return stream
    },
  }
  return world
}

const reads = async (world: World, more: number): Promise<void> => {
  const wanted = world.reads + more
  await until(() => expect(world.reads).toBeGreaterThanOrEqual(wanted))
}

describe('a live part', () => {
  it('is sent at first and whenever it changes, and no more often, in lines that any browser joins again', async () => {
    const world = await start()
    const stream = await world.open()
    await stream.receives('<p>first</p>')
    await reads(world, 5)
    world.text = 'two\r\nlines\rand\none'
    await stream.receives('one</p>')
    await reads(world, 5)
    expect(stream.body().match(/event: part/g)).toHaveLength(2)
    expect(stream.body()).toContain('data: <p>two\ndata: lines\ndata: and\ndata: one</p>\n\n')
  })

  it('is not sent again to a browser that has it', async () => {
    const world = await start()
    const first = await world.open()
    await first.receives('first')
    const last = /id: (\S+)/.exec(first.body())?.[1] ?? ''
    const again = await world.open('/part', { last })
    await reads(world, 5)
    expect(again.body()).not.toContain('event: part')
    world.text = 'second'
    await again.receives('second')
  })

  it('is read once for everyone of a team who looks at it, apart from other teams', async () => {
    const world = await start()
    const streams = [await world.open(), await world.open(), await world.open()]
    const other = await world.open('/part', { team: 'another' })
    const free = world.hold()
    await until(() => expect(world.reading).toBe(2))
    world.hold()
    world.text = 'second'
    free()
    // The next reads of both teams do not end.
    await Promise.all([...streams, other].map((stream) => stream.receives('second')))
  })

  it('is read once for all whose streams wait for their first read', async () => {
    const world = await start({ everyMs: 60_000 })
    const free = world.hold()
    const opening = [world.open(), world.open(), world.open(), world.open('/part', { team: 'another' })]
    await until(() => expect([world.watched(), world.reads]).toEqual([4, 2]))
    free()
    await Promise.all((await Promise.all(opening)).map((stream) => stream.receives('first')))
    // Two of the three came when the first read had begun.
    expect(world.reads).toBe(3)
  })

  it('is read no more for someone who leaves before the first read', async () => {
    const world = await start({ everyMs: 60_000, readsMax: 1 })
    const free = world.hold()
    const first = world.open('/a')
    await until(() => expect(world.reading).toBe(1))
    const leave = world.arrive('/b')
    await until(() => expect(world.watched()).toBe(2))
    leave()
    await until(() => expect(world.watched()).toBe(1))
    free()
    await (await first).receives('first')
    await (await world.open('/c')).receives('first')
    expect(world.readsOf('/b')).toBe(0)
  })

  it('is read no more once everyone who looked at it has gone', async () => {
    const world = await start()
    const streams = [await world.open(), await world.open()]
    await reads(world, 3)
    for (const stream of streams) stream.close()
    await until(() => expect(world.watched()).toBe(0))
    const before = world.reads
    await (await world.open('/other')).receives('first')
    await reads(world, 5)
    expect(world.reads - before).toBe(world.readsOf('/other'))
  })

  it('waits for a place when as many others are read as may be at once, also for its first read', async () => {
    const world = await start({ readsMax: 2, sessionStreamsMax: 10 })
    const free = world.hold()
    const opening = ['/a', '/b', '/c', '/d'].map((path) => world.open(path, { team: path }))
    await until(() => expect([world.watched(), world.reading]).toEqual([4, 2]))
    world.held = null
    free()
    await Promise.all((await Promise.all(opening)).map((stream) => stream.receives('first')))
    await reads(world, 10)
    expect(world.readingMax).toBe(2)
  })

  it('gives its place to others when its first read hangs, and says so', async () => {
    const world = await start({ readsMax: 1, readMs: 100 })
    world.hold()
    const hanging = world.open('/hangs')
    await until(() => expect(world.reading).toBe(1))
    world.held = null
    await (await world.open('/part', { team: 'another' })).receives('first')
    const { status, body } = await hanging
    expect([status, body()]).toEqual([429, expect.stringContaining('could not be loaded in time')])
  })

  it('gives its place to others when a later read hangs, and its streams end', async () => {
    const world = await start({ readsMax: 1, readMs: 100 })
    const stream = await world.open('/hangs')
    world.hold()
    await until(() => expect(world.reading).toBe(1))
    world.held = null
    await (await world.open('/part', { team: 'another' })).receives('first')
    await stream.ended()
    expect(stream.body()).not.toContain('event: over')
  })
})

describe('a team with many live parts', () => {
  it('has one of them read at a time, so that those of others are read meanwhile', async () => {
    const world = await start({ readsMax: 2, sessionStreamsMax: 10 })
    await Promise.all(['/a', '/b', '/c'].map((path) => world.open(path, { team: 'busy' })))
    world.readingMax = 0
    await reads(world, 20)
    expect(world.readingMax).toBe(1)
    const other = await world.open('/d', { team: 'quiet' })
    await other.receives('first')
    await until(() => expect(world.readsOf('/d')).toBeGreaterThan(3))
  })
})

describe('the number of streams', () => {
  it.each([
    ['of a session', { sessionStreamsMax: 2 }, { session: 'other' }, 'Your session has'],
    ['of a team', { teamStreamsMax: 2 }, { team: 'other' }, 'Your team has'],
  ])('is bounded for those %s, and leaves room to others', async (_which, limits, other, sentence) => {
    const world = await start(limits)
    const [first] = [await world.open(), await world.open('/other')]
    const refused = await world.open()
    expect([refused.status, refused.body()]).toEqual([429, expect.stringContaining(sentence)])
    expect((await world.open('/part', other)).status).toBe(200)
    first.close()
    await until(async () => expect((await world.open()).status).toBe(200))
  })

  it('is bounded for all together', async () => {
    const world = await start({ streamsMax: 2 })
    await world.open('/part', { team: 'a' })
    await world.open('/part', { team: 'b' })
    expect((await world.open('/part', { team: 'c' })).status).toBe(429)
  })
})

describe('a stream', () => {
  it('has a heartbeat, and ends at its age', async () => {
    const world = await start({ beatMs: 20, ageMs: 200 })
    const stream = await world.open()
    await stream.receives(': beat')
    await stream.ended()
    expect(stream.body()).not.toContain('event: over')
  })

  it('tells someone who may read the part no longer nothing but that it is over, even if nothing changes', async () => {
    const quiet = await start({ beatMs: 20 })
    const stream = await quiet.open()
    await stream.receives('first')
    quiet.allowed = false
    await stream.receives('event: over')
    await stream.ended()
    await app.close()
    const changed = await start({ beatMs: 60_000 })
    const other = await changed.open()
    await other.receives('first')
    changed.allowed = false
    changed.text = 'secret'
    await other.ended()
    expect(other.body()).toContain('event: over')
    expect(other.body()).not.toContain('secret')
  })

  it('is over when the part is gone, and ends without that word when it could not be read', async () => {
    const world = await start()
    const [one] = [await world.open()]
    await one.receives('first')
    world.fault = new Error('no database')
    await one.ended()
    expect(one.body()).not.toContain('event: over')
    world.fault = null
    const two = await world.open()
    await two.receives('first')
    world.fault = notFound('Email')
    await two.ended()
    expect(two.body()).toContain('event: over')
  })

  it('keeps one event for a client that does not read, and then cuts it off', async () => {
    const world = await start({ beatMs: 60 })
    const stream = await world.open()
    await stream.receives('first')
    stream.socket.pause()
    const large = 'x'.repeat(1_000_000)
    let waitingMax = 0
    while (world.watched() > 0) {
      world.text = `${world.reads} ${large}`
      await new Promise(setImmediate)
      waitingMax = Math.max(waitingMax, world.waitingBytes())
    }
    expect(waitingMax).toBeGreaterThan(1_000_000)
    // One waits in the stream, and the one before it may wait in the connection.
    expect(waitingMax).toBeLessThan(2_100_000)
  })

  it('ends when the service stops, which takes no new ones', async () => {
    const world = await start()
    const stream = await world.open()
    await stream.receives('first')
    world.parts.close()
    await stream.ended()
    expect((await world.open()).status).toBe(429)
  })
})
