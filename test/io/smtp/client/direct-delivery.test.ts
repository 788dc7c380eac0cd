import { createServer, type Server } from 'node:net'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { toPaceSignal } from '../../../../src/modules/delivery/pace/destination-pace.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { MESSAGE, openingWithin, recipients, TWO_HOSTS, useDirectDelivery } from '../../../support/servers/direct-delivery.ts'
import type { SmtpSinkOptions } from '../../../support/servers/smtp-sink.ts'

const { start, startSink, send, dns, directory } = useDirectDelivery()

describe('delivering', () => {
  it('goes to the host of the domain, and tells which', async () => {
    const sink = await startSink('127.0.0.1')
    await start({ 'example.test': { MX: [[10, 'mx.test']] }, 'mx.test': { A: ['127.0.0.1'] } })
    expect(await send('to@example.test')).toEqual({
      kind: 'delivered',
      code: 250,
      enhancedCode: null,
      text: expect.stringContaining('OK'),
      host: 'mx.test',
      tls: null,
      stage: 'end',
      durationMs: expect.any(Number),
      unknown: false,
    })
    expect(sink.messages).toEqual([
      {
        from: 'from@sender.test',
        to: ['to@example.test'],
        raw: MESSAGE.toString(),
        isTls: false,
        user: null,
        sessionId: expect.any(String),
      },
    ])
  })

  it('goes to the domain itself when it has no MX records', async () => {
    const sink = await startSink('127.0.0.1')
    await start({ 'example.test': { A: ['127.0.0.1'] } })
    expect(await send('to@example.test')).toMatchObject({ kind: 'delivered', host: 'example.test' })
    expect(recipients(sink)).toEqual(['to@example.test'])
  })

  it('goes to an IPv6 address', async () => {
    const sink = await startSink('::1')
    await start({ 'example.test': { MX: [[10, 'mx.test']] }, 'mx.test': { AAAA: ['::1'] } })
    expect(await send('to@example.test')).toMatchObject({ kind: 'delivered', host: 'mx.test' })
    expect(recipients(sink)).toEqual(['to@example.test'])
  })

  it('goes to the host of the lowest preference, however often', async () => {
    const [first, second] = [await startSink('127.0.0.1'), await startSink('127.0.0.2')]
    await start(TWO_HOSTS, { limitsOf: () => ({ connectionsMax: 5, messagesPerConnectionMax: 1 }) })
    for (let index = 0; index < 8; index++) await send(`to${index}@example.test`)
    expect([first.messages.length, second.messages.length]).toEqual([8, 0])
  })

  it('spreads over hosts of equal preference and over the addresses of one', async () => {
    const all = [await startSink('127.0.0.1'), await startSink('127.0.0.2'), await startSink('127.0.0.3')]
    await start(
      {
        'example.test': {
          MX: [
            [10, 'a.test'],
            [10, 'b.test'],
          ],
        },
        'a.test': { A: ['127.0.0.1', '127.0.0.2'] },
        'b.test': { A: ['127.0.0.3'] },
      },
      { limitsOf: () => ({ connectionsMax: 5, messagesPerConnectionMax: 1 }), random: sequence() },
    )
    for (let index = 0; index < 20; index++) await send(`to${index}@example.test`)
    expect(all.every(({ messages }) => messages.length > 0)).toBe(true)
  })

  it('sends a stream, and destroys one that it does not send', async () => {
    const sink = await startSink('127.0.0.1')
    await start(TWO_HOSTS)
    expect(await send('to@example.test', { message: Readable.from([MESSAGE]) })).toMatchObject({ kind: 'delivered' })
    expect(sink.messages[0]?.raw).toBe(MESSAGE.toString())
    const unread = Readable.from([MESSAGE])
    expect(await send('to@example.test', { message: unread, mayContinue: () => false })).toMatchObject({ kind: 'abandoned' })
    expect(unread.destroyed).toBe(true)
  })
})

describe('a host that takes no connection', () => {
  it('is followed by the next one in the same call', async () => {
    const second = await startSink('127.0.0.2')
    await start(TWO_HOSTS)
    expect(await send('to@example.test')).toMatchObject({ kind: 'delivered', host: 'second.test' })
    expect(recipients(second)).toEqual(['to@example.test'])
  })

  it.each<[string, SmtpSinkOptions]>([
    ['421', { onConnect: () => ({ code: 421, text: 'Too busy' }) }],
    ['554', { onConnect: () => ({ code: 554, text: 'Not you' }) }],
    ['nothing', { onConnect: () => 'drop' }],
  ])('because it greets with %s is followed by the next one', async (_, options) => {
    await startSink('127.0.0.1', options)
    const second = await startSink('127.0.0.2')
    await start(TWO_HOSTS)
    expect(await send('to@example.test')).toMatchObject({ kind: 'delivered', host: 'second.test' })
    expect(recipients(second)).toEqual(['to@example.test'])
  })

  it('at one address is tried at its others', async () => {
    const sink = await startSink('127.0.0.2')
    await start({ 'example.test': { A: ['127.0.0.1', '127.0.0.2', '127.0.0.3'] } })
    expect(await send('to@example.test')).toMatchObject({ kind: 'delivered' })
    expect(recipients(sink)).toEqual(['to@example.test'])
  })

  it('is tried last for a minute', async () => {
    const clock = createMovingClock()
    await startSink('127.0.0.2')
    await start(TWO_HOSTS, { clock, limitsOf: () => ({ connectionsMax: 1, messagesPerConnectionMax: 1 }) })
    await send('one@example.test')
    const first = await startSink('127.0.0.1')
    clock.advance(59_999)
    expect(await send('two@example.test')).toMatchObject({ host: 'second.test' })
    clock.advance(1)
    expect(await send('three@example.test')).toMatchObject({ host: 'first.test' })
    expect(recipients(first)).toEqual(['three@example.test'])
  })

  it('delays the message when there is no other, with the words of the server that spoke', async () => {
    await startSink('127.0.0.2', { onConnect: () => ({ code: 421, text: 'Too many of you' }) })
    await start({
      ...TWO_HOSTS,
      'example.test': {
        MX: [
          [1, 'second.test'],
          [2, 'first.test'],
        ],
      },
    })
    expect(await send('to@example.test')).toMatchObject({
      kind: 'delayed',
      code: 421,
      text: 'Too many of you',
      host: 'second.test',
      stage: 'greeting',
    })
  })

  it('delays the message when no server answers', async () => {
    const silent = await startSilent()
    await start(TWO_HOSTS, { port: silent.port, openingTimeouts: openingWithin(100) })
    expect(await send('to@example.test')).toMatchObject({
      kind: 'delayed',
      code: null,
      host: 'first.test',
      stage: 'greeting',
      unknown: false,
    })
    silent.server.close()
  })
})

describe('a server that hangs', () => {
  it('takes one place only, however many messages wait for it, and those learn that it was the server', async () => {
    const silent = await startSilent()
    await start(
      { 'hanging.test': { A: ['127.0.0.1'] }, 'good.test': { A: ['127.0.0.2'] } },
      { port: silent.port, connectionsMax: 2, waitMsMax: 6_000, openingTimeouts: openingWithin(7_000) },
    )
    await startSink('127.0.0.2')
    const hanging = Promise.all(Array.from({ length: 5 }, (_, index) => send(`to${index}@hanging.test`)))
    expect(await send('to@good.test')).toMatchObject({ kind: 'delivered' })
    const outcomes = await hanging
    expect(silent.connectionCount()).toBe(1)
    expect(outcomes.map(toPaceSignal)).toEqual(Array.from({ length: 5 }, () => 'strained'))
    silent.server.close()
  })
})

describe('refusals', () => {
  it('of the recipient are an outcome, and the next host is not bothered', async () => {
    await startSink('127.0.0.1', { onRecipient: () => ({ code: 550, text: '5.1.1 Nobody here' }) })
    const second = await startSink('127.0.0.2')
    await start(TWO_HOSTS)
    expect(await send('to@example.test')).toMatchObject({ kind: 'bounced', code: 550, enhancedCode: '5.1.1', host: 'first.test' })
    expect(second.connectionCount()).toBe(0)
  })

  it('by greylisting delay the message, and the second try gets through over the same connection', async () => {
    let tries = 0
    const sink = await startSink('127.0.0.1', {
      onRecipient: () => (++tries === 1 ? { code: 450, text: '4.7.1 Greylisted, come back later' } : undefined),
    })
    await start(TWO_HOSTS)
    expect(await send('to@example.test')).toMatchObject({ kind: 'delayed', code: 450, enhancedCode: '4.7.1', stage: 'rcpt' })
    expect(await send('to@example.test')).toMatchObject({ kind: 'delivered' })
    expect(sink.connectionCount()).toBe(1)
  })

  it('that never came after the final dot leave the outcome unknown, and nothing is sent twice', async () => {
    const sink = await startSink('127.0.0.1', { onMessage: () => 'drop' })
    const second = await startSink('127.0.0.2')
    await start(TWO_HOSTS)
    expect(await send('to@example.test')).toMatchObject({ kind: 'delayed', stage: 'end', unknown: true })
    expect([sink.connectionCount(), second.connectionCount()]).toEqual([1, 0])
  })
})

describe('the guard', () => {
  it.each([
    ['loopback', { A: ['127.0.0.1'], AAAA: ['::1'] }],
    ['private', { A: ['10.0.0.1', '192.168.0.1'] }],
    ['link-local', { A: ['169.254.169.254'] }],
  ])('lets nothing go to %s addresses', async (_, records) => {
    const sink = await startSink('127.0.0.1')
    await start({ 'example.test': { MX: [[1, 'mx.test']] }, 'mx.test': records }, { guard: { allowPrivateNetworks: false } })
    expect(await send('to@example.test')).toEqual({
      kind: 'bounced',
      code: null,
      enhancedCode: '5.4.4',
      text: 'No mail server has a public address: mx.test',
      host: 'mx.test',
      tls: null,
      stage: 'connect',
      durationMs: expect.any(Number),
      unknown: false,
    })
    expect(sink.connectionCount()).toBe(0)
  })

  it('is not deceived by a name whose address changes after it was looked up', async () => {
    const sink = await startSink('127.0.0.1')
    await start(
      { 'example.test': { MX: [[1, 'mx.test']] }, 'mx.test': { A: ['203.0.113.1'], ttl: 0 } },
      { guard: { allowPrivateNetworks: false } },
    )
    const lookup = await directory().lookUp('example.test')
    dns().zone['mx.test'] = { A: ['127.0.0.1'], ttl: 0 }
    expect(lookup).toMatchObject({ set: { hosts: [{ addresses: ['203.0.113.1'] }] } })
    expect(await send('to@example.test')).toMatchObject({ kind: 'bounced', enhancedCode: '5.4.4' })
    expect([sink.connectionCount(), dns().queries.filter((query) => query === 'A mx.test').length]).toEqual([0, 1])
  })
})

/** Chances that differ from call to call, the same in each run. */
function sequence(): () => number {
  let state = 1
  return () => {
    state = (state * 16_807) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/** Takes connections and says nothing. */
async function startSilent(): Promise<{ server: Server; port: number; connectionCount: () => number }> {
  let connectionCount = 0
  const server = createServer((socket) => {
    connectionCount++
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return { server, port: address !== null && typeof address === 'object' ? address.port : 0, connectionCount: () => connectionCount }
}
