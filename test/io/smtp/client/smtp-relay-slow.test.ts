import { createServer, type Server } from 'node:net'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createSmtpRelay } from '../../../../src/io/smtp/client/relay.ts'
import { closeAfterEach, connection, heldReply, send, start } from '../../../support/servers/relay-connection.ts'

closeAfterEach()

describe('servers that are slow or gone', () => {
  it('delays when no server listens', async () => {
    await start()
    await connection.sink.close()
    expect(await send()).toMatchObject({ kind: 'delayed', code: null, stage: 'connect', text: expect.stringContaining('ECONNREFUSED') })
  })

  it('answers everyone who waits when the server is out of reach', async () => {
    await start({}, { connectionsMax: 1 })
    await connection.sink.close()
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => send()))
    expect(outcomes.map(({ kind, stage }) => `${kind} ${stage}`)).toEqual(Array.from({ length: 50 }, () => 'delayed connect'))
  })

  // smtp-server greets after 100 ms, so that it can tell who talks too soon.
  it.each([
    ['the greeting', 20, {}, 'greeting', false],
    ['a reply', 6_000, { replyDelayMs: 60_000 }, 'mail', false],
    ['the final reply', 6_000, { beforeReply: () => new Promise<void>(() => {}) }, 'end', true],
  ] as const)('waits for %s only so long', async (_, replyMs, sinkOptions, stage, unknown) => {
    await start(sinkOptions, { timeouts: { replyMs, finalReplyMs: replyMs } })
    expect(await send()).toMatchObject({ kind: 'delayed', code: null, stage, unknown })
  })

  it('gives up a server that never ends one message', async () => {
    await start({ dropInBody: false }, { timeouts: { transactionMs: 6_000 } })
    const message = Readable.from(
      (async function* () {
        for (;;) {
          yield 'one more line\r\n'
          // Real time: a message without an end, which no buffer that is full holds up.
          await new Promise((resolve) => setTimeout(resolve, 10))
        }
      })(),
    )
    expect(await send('to@example.com', { message })).toMatchObject({ kind: 'delayed', stage: 'data', unknown: false })
  })

  it('leaves the final reply more time than the others', async () => {
    await start(
      // Real time, because the limits are those of sockets: more than that of the other replies.
      { beforeReply: () => new Promise((resolve) => setTimeout(resolve, 7_000)) },
      { timeouts: { replyMs: 6_000, finalReplyMs: 30_000 } },
    )
    expect(await send()).toMatchObject({ kind: 'delivered' })
  })

  it('continues with the connections it has when the server wants no more of them', async () => {
    await start({ onConnect: (connection) => (connection > 2 ? { code: 421 } : undefined), replyDelayMs: 5 }, { connectionsMax: 10 })
    await send('first@example.com')
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => send()))
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['delivered']))
  })

  it.each([
    ['a reply', `220-${'x'.repeat(1_000)}\r\n`, 'Server response exceeds maximum allowed size'],
    ['empty lines', '\r\n'.repeat(30_000), 'The server sent more replies than it was asked for'],
  ])('does not read %s without end', async (_what, line, text) => {
    const flood = await startFlood(line)
    await start()
    const { port } = flood.address() as { port: number }
    connection.relay = createSmtpRelay({ url: `smtp://127.0.0.1:${port}`, helloName: 'mail.example.com', timeouts: { replyMs: 30_000 } })
    expect(await send()).toMatchObject({ kind: 'delayed', stage: 'greeting', text })
    flood.close()
  })

  it('lets no more than 1,000 wait', async () => {
    const { hasArrived, beforeReply } = heldReply()
    await start({ beforeReply }, { connectionsMax: 1 })
    const first = send()
    await hasArrived
    const waiting = Array.from({ length: 1_000 }, () => send())
    expect(await send()).toMatchObject({ kind: 'delayed', stage: 'connect', text: expect.stringContaining('1000') })
    await connection.relay.close(0)
    expect((await Promise.all(waiting)).every(({ kind }) => kind === 'abandoned')).toBe(true)
    expect(await first).toMatchObject({ kind: 'delayed', unknown: true })
  })
})

describe('closing', () => {
  it('lets what runs come to its end, and refuses the rest', async () => {
    const { hasArrived, release, beforeReply } = heldReply()
    await start({ beforeReply })
    const running = send()
    await hasArrived
    const closing = connection.relay.close(60_000)
    expect(await send()).toMatchObject({ kind: 'abandoned', stage: 'connect' })
    release()
    await closing
    expect(await running).toMatchObject({ kind: 'delivered' })
    await expect.poll(() => connection.sink.openConnectionCount()).toBe(0)
  })

  it('calls a message unknown when its final dot was out', async () => {
    const { hasArrived, beforeReply } = heldReply()
    await start({ beforeReply })
    const running = send()
    await hasArrived
    await connection.relay.close(0)
    expect(await running).toMatchObject({ kind: 'delayed', stage: 'end', unknown: true })
  })
})

function startFlood(line: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    const send = () => {
      while (!socket.destroyed && socket.write(line));
    }
    socket.on('drain', send)
    send()
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}
