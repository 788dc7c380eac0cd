// Mail servers that are silent, slow or dead, and what becomes of mail that meets them.
import { connect, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { SILENT_WAITERS_MAX } from '../../../../src/io/smtp/client/direct-pools.ts'
import { toPaceSignal } from '../../../../src/modules/delivery/pace/destination-pace.ts'
import { until } from '../../../support/clocks/until.ts'
import { hold, openingWithin, recipients, TWO_HOSTS, useDirectDelivery } from '../../../support/servers/direct-delivery.ts'

const { start, startSink, send, delivery } = useDirectDelivery()

/** Longer than any test. */
const FOREVER_MS = 60_000
const LIMIT = { connectionsMax: 6, messagesPerConnectionMax: 50 }

const ending: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await delivery().close(0)
  await Promise.all(ending.splice(0).map((end) => end()))
})

describe('a silent host', () => {
  it('is followed by the next one in the same attempt, and tried last in the next attempt', async () => {
    const front = await startFront()
    const second = await startSink('127.0.0.2')
    front.leadTo(second.port, { at: '127.0.0.2' })
    await start(TWO_HOSTS, {
      port: front.port,
      limitsOf: () => ({ connectionsMax: 1, messagesPerConnectionMax: 1 }),
      openingTimeouts: openingWithin(6_000, FOREVER_MS),
    })
    expect(await send('one@example.test')).toMatchObject({ kind: 'delivered', host: 'second.test' })
    expect(await send('two@example.test')).toMatchObject({ kind: 'delivered', host: 'second.test' })
    expect(recipients(second)).toEqual(['one@example.test', 'two@example.test'])
    expect(front.silentCount()).toBe(1)
  })

  it('does not take longer than all openings of an attempt may', async () => {
    const front = await startFront()
    await start(TWO_HOSTS, { port: front.port, openingTimeouts: { ...openingWithin(FOREVER_MS), allMs: 6_000 } })
    expect(await send('to@example.test')).toMatchObject({ kind: 'delayed', host: 'first.test', stage: 'greeting' })
  })

  it('that is the last one has more time than one with a next host', async () => {
    // smtp-server greets after 100 ms.
    const sink = await startSink('127.0.0.1')
    await start({ 'example.test': { A: ['127.0.0.1'] } }, { openingTimeouts: openingWithin(20, 10_000) })
    expect(await send('to@example.test')).toMatchObject({ kind: 'delivered' })
    expect(recipients(sink)).toEqual(['to@example.test'])
  })

  it('that is slow gets its mail in the next attempt when its backup is dead', async () => {
    await startSink('127.0.0.1')
    await start(TWO_HOSTS, { openingTimeouts: openingWithin(20, 10_000) })
    expect(await send('to@example.test')).toMatchObject({ kind: 'delayed' })
    expect(await send('to@example.test')).toMatchObject({ kind: 'delivered', host: 'first.test' })
  })
})

describe('a slow server', () => {
  it('gets its mail: the wait of a message does not count the opening of a connection', async () => {
    // smtp-server greets after 100 ms, so none of the messages could wait for it.
    const sink = await startSink('127.0.0.1')
    await start({ 'example.test': { A: ['127.0.0.1'] } }, { waitMsMax: 90 })
    const outcomes = await Promise.all(['one', 'two', 'three'].map((name) => send(`${name}@example.test`)))
    expect(outcomes.map(({ kind }) => kind)).toEqual(['delivered', 'delivered', 'delivered'])
    expect(recipients(sink)).toHaveLength(3)
  })

  it('may take its time for the greeting and again for the reply to EHLO', async () => {
    const slow = createServer((socket) => {
      socket.on('error', () => {})
      // Real time: for each of the two about half of what one step may take, and together more. A busy machine may add five seconds.
      setTimeout(() => socket.write('220 slow\r\n'), 6_000)
      socket.on('data', (chunk) => {
        const command = chunk.toString('latin1')
        const reply = command.startsWith('DATA') ? '354 go on\r\n' : '250 ok\r\n'
        setTimeout(() => socket.write(reply), command.startsWith('EHLO') ? 6_000 : 0)
      })
    })
    const port = await listen(slow, '127.0.0.1')
    await start({ 'example.test': { A: ['127.0.0.1'] } }, { port, openingTimeouts: openingWithin(11_500) })
    expect(await send('to@example.test')).toMatchObject({ kind: 'delivered' })
  })

  it('that does not end a message has it taken away after the whole time of an attempt', async () => {
    const held = hold()
    await startSink('127.0.0.1', held.options)
    await start({ 'example.test': { A: ['127.0.0.1'] } }, { attemptMsMax: 6_000 })
    expect(await send('to@example.test')).toMatchObject({ kind: 'delayed', stage: 'end', unknown: true })
    held.release()
  })
})

describe('dead hosts', () => {
  it('before a good one, more than an attempt tries, are passed by the next attempts', async () => {
    const good = await startSink('127.0.0.100')
    const dead = Array.from({ length: 12 }, (_, index) => index + 1)
    await start({
      'example.test': { MX: [...dead.map((number): [number, string] => [number, `dead${number}.test`]), [99, 'good.test']] },
      ...Object.fromEntries(dead.map((number) => [`dead${number}.test`, { A: [`127.0.0.${number}`] }])),
      'good.test': { A: ['127.0.0.100'] },
    })
    const outcomes = []
    for (let attempt = 1; attempt <= 4; attempt++) outcomes.push(await send('to@example.test'))
    expect(outcomes.map(({ kind, host }) => `${kind} ${host}`)).toEqual([
      'delayed dead1.test',
      'delayed dead5.test',
      'delayed dead9.test',
      'delivered good.test',
    ])
    expect(recipients(good)).toEqual(['to@example.test'])
  })
})

describe('200 domains whose hosts are silent', () => {
  it('hold a quarter of all connections at most, and delay no other mail', async () => {
    const front = await startFront()
    const good = await startSink('127.0.0.2')
    front.leadTo(good.port, { at: '127.0.0.2' })
    const numbers = Array.from({ length: 200 }, (_, index) => index + 1)
    await start(
      {
        ...Object.fromEntries(numbers.map((number) => [`silent${number}.test`, { A: [`127.0.1.${number}`] }])),
        'good.test': { A: ['127.0.0.2'] },
      },
      { port: front.port, silentAfterMs: 6_000, openingTimeouts: openingWithin(FOREVER_MS) },
    )
    const refusedDomains: string[] = []
    const refused: (string | null)[] = []
    const waiting = numbers.map(async (number) => {
      const { enhancedCode } = await send(`to@silent${number}.test`)
      refusedDomains.push(`silent${number}.test`)
      refused.push(enhancedCode)
    })
    expect(await send('to@good.test')).toMatchObject({ kind: 'delivered' })
    await until(() => expect([front.openSilentCount(), refused.length]).toEqual([50, 150]))
    expect(new Set(refused)).toEqual(new Set(['4.4.5']))
    // While so many wait, no other connection is opened to a host that is known to be silent.
    const before = front.silentCount()
    const again = await Promise.all(refusedDomains.map((domain) => send(`to@${domain}`)))
    expect(new Set(again.map(({ enhancedCode }) => enhancedCode))).toEqual(new Set(['4.4.5']))
    expect(front.silentCount()).toBe(before)
    expect(await send('later@good.test')).toMatchObject({ kind: 'delivered' })
    await delivery().close(0)
    await Promise.all(waiting)
  })
})

describe('messages that wait for a silent host', () => {
  it.each([
    ['are no more than a quarter of those in progress', SILENT_WAITERS_MAX + 30, 100, 30],
    ['hold no more than a quarter of the memory', 6, 1024 * 1024, 2],
    ['are one at least, however large it is', 2, 5 * 1024 * 1024, 1],
  ])('%s, and the others learn that it was the server', async (_what, count, bytes, refusedCount) => {
    const front = await startFront()
    await start(
      { 'example.test': { A: ['127.0.0.1'] } },
      { port: front.port, silentAfterMs: 200, openingTimeouts: openingWithin(FOREVER_MS), waitMsMax: FOREVER_MS },
    )
    const refused: string[] = []
    const message = Buffer.alloc(bytes, 'x')
    const sending = Array.from({ length: count }, async () => {
      const outcome = await send('to@example.test', { message })
      if (outcome.kind === 'delayed') refused.push(toPaceSignal(outcome))
    })
    await until(() => expect(refused).toEqual(Array.from({ length: refusedCount }, () => 'strained')))
    await delivery().close(0)
    await Promise.all(sending)
    expect(refused).toHaveLength(refusedCount)
  })
})

describe('a set that becomes silent', () => {
  it('has half of its connections at most wait for it', async () => {
    const front = await startFront()
    const held = hold()
    const sink = await startSink('127.0.0.2', held.options)
    front.leadTo(sink.port, { at: '127.0.0.1', connectionsMax: 1 })
    await start(
      { 'example.test': { A: ['127.0.0.1'] } },
      { port: front.port, limitsOf: () => LIMIT, silentAfterMs: 300, openingTimeouts: openingWithin(FOREVER_MS), waitMsMax: FOREVER_MS },
    )
    const first = send('first@example.test')
    await held.reached(1)
    const others = Array.from({ length: 10 }, () => send('other@example.test'))
    await until(() => expect([front.silentCount(), front.openSilentCount()]).toEqual([5, 3]))
    held.release()
    expect((await Promise.all([first, ...others])).map(({ kind }) => kind)).toEqual(Array.from({ length: 11 }, () => 'delivered'))
  })
})

/** One port for all addresses of loopback. What does not lead to a server takes connections and says nothing. */
async function startFront() {
  const led = new Map<string, { port: number; left: number }>()
  const silent = new Set<Socket>()
  let silentCount = 0
  const server = createServer((socket) => {
    socket.on('error', () => {})
    const target = led.get(socket.localAddress ?? '')
    if (target === undefined || target.left === 0) {
      silentCount += 1
      silent.add(socket.on('close', () => silent.delete(socket)))
      socket.resume()
      return
    }
    target.left -= 1
    const through = connect(target.port, '127.0.0.2')
    through.on('error', () => socket.destroy())
    socket.pipe(through).pipe(socket)
    socket.on('close', () => through.destroy())
  })
  const port = await listen(server, '0.0.0.0')
  return {
    port,
    silentCount: () => silentCount,
    openSilentCount: () => silent.size,
    leadTo(toPort: number, { at, connectionsMax = Number.POSITIVE_INFINITY }: { at: string; connectionsMax?: number }) {
      led.set(at, { port: toPort, left: connectionsMax })
    },
  }
}

async function listen(server: ReturnType<typeof createServer>, address: string): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)))
  })
  await new Promise<void>((done) => server.listen(0, address, done))
  ending.push(
    () =>
      new Promise((done) => {
        server.close(done)
        for (const socket of sockets) socket.destroy()
      }),
  )
  const at = server.address()
  return at !== null && typeof at === 'object' ? at.port : 0
}
