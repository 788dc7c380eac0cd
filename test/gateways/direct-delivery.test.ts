import { createServer, type Server } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createDirectDelivery,
  type DirectDelivery,
  type DirectDeliveryOptions,
  type DirectTransaction,
} from '../../src/gateways/direct-delivery.ts'
import { createMtaSts, createMtaStsMemory } from '../../src/gateways/mta-sts.ts'
import { createMxDirectory } from '../../src/gateways/mx-directory.ts'
import { createMailDns } from '../../src/gateways/mx-dns.ts'
import type { SmtpOutcome } from '../../src/gateways/smtp-outcome.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { paceSignalOf } from '../../src/lib/destination-pace.ts'
import { type DnsRecords, type DnsServer, startDnsServer } from '../support/dns-server.ts'
import { createMovingClock } from '../support/moving-clock.ts'
import { type SinkMessage, type SmtpSink, type SmtpSinkOptions, startSmtpSink } from '../support/smtp-sink.ts'

const MESSAGE = Buffer.from('Subject: Hello\r\n\r\nHello\r\n')

let dns: DnsServer
let delivery: DirectDelivery
let directory: ReturnType<typeof createMxDirectory>
/** All servers listen on the same port, each on an address of its own, as in the world. */
let port: number
let sinks: SmtpSink[]

async function startSink(address: string, options: SmtpSinkOptions = {}): Promise<SmtpSink> {
  const sink = await startSmtpSink({ ...options, address, port })
  port = sink.port
  sinks.push(sink)
  return sink
}

async function start(zone: Record<string, DnsRecords>, options: Partial<DirectDeliveryOptions> = {}): Promise<void> {
  dns = await startDnsServer(zone)
  const mailDns = createMailDns({ dnsServers: [dns.address], clock: systemClock, timeoutMs: 200, tries: 1 })
  directory = createMxDirectory({ dnsServers: [], dns: mailDns })
  const guard = options.guard ?? { allowPrivateNetworks: true }
  delivery = createDirectDelivery({
    helloName: 'mail.sender.test',
    guard,
    limitsOf: () => ({ connectionsMax: 5, messagesPerConnectionMax: 50 }),
    mtaSts: createMtaSts({ dns: mailDns, guard, cache: createMtaStsMemory() }),
    port,
    ...options,
  })
}

/** As a worker does it: where the domain's mail goes, then there. */
async function send(to: string, more: Partial<DirectTransaction> = {}): Promise<SmtpOutcome> {
  const domain = to.slice(to.indexOf('@') + 1)
  const lookup = await directory.lookUp(domain)
  if ('failure' in lookup) throw new Error(lookup.failure.text)
  const envelope = { from: 'from@sender.test', to }
  return delivery.send({ domain, set: lookup.set, envelope, message: MESSAGE, mayContinue: () => true, requireTls: false, ...more })
}

const recipients = ({ messages }: SmtpSink) => messages.map(({ to }) => to[0])

beforeEach(() => {
  port = 0
  sinks = []
})

afterEach(async () => {
  await delivery.close(0)
  await Promise.all([dns.close(), ...sinks.map((sink) => sink.close())])
})

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

  it('delays the message when nobody answers', async () => {
    const silent = await startSilent()
    await start(TWO_HOSTS, { port: silent.port, timeouts: { replyMs: 100 } })
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
      { port: silent.port, connectionsMax: 2, waitMsMax: 1_000, timeouts: { replyMs: 4_000 } },
    )
    port = silent.port
    await startSink('127.0.0.2')
    const hanging = Promise.all(Array.from({ length: 5 }, (_, index) => send(`to${index}@hanging.test`)))
    expect(await send('to@good.test')).toMatchObject({ kind: 'delivered' })
    const outcomes = await hanging
    expect(silent.connectionCount()).toBe(1)
    expect(outcomes.map(paceSignalOf)).toEqual(Array.from({ length: 5 }, () => 'strained'))
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
    const lookup = await directory.lookUp('example.test')
    dns.zone['mx.test'] = { A: ['127.0.0.1'], ttl: 0 }
    expect(lookup).toMatchObject({ set: { hosts: [{ addresses: ['203.0.113.1'] }] } })
    expect(await send('to@example.test')).toMatchObject({ kind: 'bounced', enhancedCode: '5.4.4' })
    expect([sink.connectionCount(), dns.queries.filter((query) => query === 'A mx.test').length]).toEqual([0, 1])
  })
})

describe('connections', () => {
  const ONE_HOST = { 'example.test': { A: ['127.0.0.1'] } }

  it('are used again, by all domains with the same hosts, for their share of messages', async () => {
    const sink = await startSink('127.0.0.1')
    await start(
      { 'one.test': { MX: [[5, 'mx.test']] }, 'two.test': { MX: [[10, 'mx.test']] }, 'mx.test': { A: ['127.0.0.1'] } },
      { limitsOf: () => ({ connectionsMax: 5, messagesPerConnectionMax: 3 }) },
    )
    for (const domain of ['one.test', 'two.test', 'one.test', 'two.test', 'one.test', 'two.test', 'one.test']) await send(`to@${domain}`)
    expect(sink.messages).toHaveLength(7)
    expect(sink.connectionCount()).toBe(3)
  })

  it('are no more than the limit of the set, also when its domains name its hosts in another order', async () => {
    const held = hold()
    const [first, second] = [await startSink('127.0.0.1', held.options), await startSink('127.0.0.2', held.options)]
    await start(
      {
        ...TWO_HOSTS,
        'reversed.test': {
          MX: [
            [1, 'second.test'],
            [2, 'first.test'],
          ],
        },
      },
      { limitsOf: () => ({ connectionsMax: 3, messagesPerConnectionMax: 50 }) },
    )
    const sending = Promise.all(Array.from({ length: 12 }, (_, index) => send(`to@${index % 2 === 0 ? 'example' : 'reversed'}.test`)))
    await held.reached(3)
    expect(first.openConnectionCount() + second.openConnectionCount()).toBe(3)
    held.release()
    expect((await sending).map(({ kind }) => kind)).toEqual(Array.from({ length: 12 }, () => 'delivered'))
    expect(held.most()).toBe(3)
  })

  it('to all hosts together are no more than their number, and everybody gets a turn', async () => {
    const held = hold()
    const domains = Array.from({ length: 8 }, (_, index) => `d${index}.test`)
    const all = await startSinks(8, held.options)
    await start(Object.fromEntries(domains.map((domain, index) => [domain, { A: [`127.0.0.${index + 1}`] }])), { connectionsMax: 3 })
    const sending = Promise.all(domains.flatMap((domain) => [send(`a@${domain}`), send(`b@${domain}`)]))
    await held.reached(3)
    held.release()
    expect((await sending).map(({ kind }) => kind)).toEqual(Array.from({ length: 16 }, () => 'delivered'))
    expect(all.map(({ messages }) => messages.length)).toEqual(Array.from({ length: 8 }, () => 2))
    expect(held.most()).toBeLessThanOrEqual(3)
  })

  it('that nobody uses make room for others', async () => {
    const all = await startSinks(2)
    await start({ 'one.test': { A: ['127.0.0.1'] }, 'two.test': { A: ['127.0.0.2'] } }, { connectionsMax: 1 })
    for (const domain of ['one.test', 'two.test', 'one.test', 'two.test'])
      expect(await send(`to@${domain}`)).toMatchObject({ kind: 'delivered' })
    expect(all.map(({ messages }) => messages.length)).toEqual([2, 2])
    await vi.waitFor(() => expect(all.map((sink) => sink.openConnectionCount())).toEqual([0, 1]))
  })

  it('are closed when nobody has used them for a while', async () => {
    const sink = await startSink('127.0.0.1')
    await start(ONE_HOST, { idleMsMax: 20 })
    await send('to@example.test')
    await vi.waitFor(() => expect(sink.openConnectionCount()).toBe(0))
  })

  it('that the server closed meanwhile are replaced', async () => {
    const sink = await startSink('127.0.0.1')
    await start(ONE_HOST)
    await send('one@example.test')
    sink.dropConnections()
    expect(await send('two@example.test')).toMatchObject({ kind: 'delivered' })
    expect(recipients(sink)).toEqual(['one@example.test', 'two@example.test'])
  })

  it('are waited for only so long, which is a shortage of our own', async () => {
    const held = hold()
    await startSink('127.0.0.1', held.options)
    await start(ONE_HOST, { connectionsMax: 1, waitMsMax: 1_000 })
    const first = send('first@example.test')
    await held.reached(1)
    expect(await send('second@example.test')).toMatchObject({ kind: 'delayed', code: null, enhancedCode: '4.4.5', stage: 'connect' })
    held.release()
    expect(await first).toMatchObject({ kind: 'delivered' })
  })

  it('follow the domain to new addresses', async () => {
    const [old, moved] = await startSinks(2)
    await start(ONE_HOST)
    const to = {
      envelope: { from: 'from@sender.test', to: 'to@example.test' },
      message: MESSAGE,
      mayContinue: () => true,
      requireTls: false,
    }
    const setAt = (address: string) => ({ key: 'mx.test', hosts: [{ name: 'mx.test', preference: 0, addresses: [address] }] })
    await delivery.send({ ...to, domain: 'example.test', set: setAt('127.0.0.1') })
    old?.dropConnections()
    await delivery.send({ ...to, domain: 'example.test', set: setAt('127.0.0.2') })
    expect([old?.messages.length, moved?.messages.length]).toEqual([1, 1])
  })
})

describe('closing', () => {
  it('lets running transactions end and refuses new ones', async () => {
    const held = hold()
    const sink = await startSink('127.0.0.1', held.options)
    await start(TWO_HOSTS)
    const running = send('running@example.test')
    await held.reached(1)
    const closing = delivery.close()
    expect(await send('late@example.test')).toMatchObject({ kind: 'abandoned' })
    held.release()
    await closing
    expect(await running).toMatchObject({ kind: 'delivered' })
    expect(recipients(sink)).toEqual(['running@example.test'])
  })

  it('destroys what does not end in time, which stays unknown', async () => {
    const held = hold()
    await startSink('127.0.0.1', held.options)
    await start(TWO_HOSTS)
    const running = send('running@example.test')
    await held.reached(1)
    await delivery.close(0)
    expect(await running).toMatchObject({ kind: 'delayed', stage: 'end', unknown: true })
    held.release()
  })
})

const TWO_HOSTS: Record<string, DnsRecords> = {
  'example.test': {
    MX: [
      [10, 'first.test'],
      [20, 'second.test'],
    ],
  },
  'first.test': { A: ['127.0.0.1'] },
  'second.test': { A: ['127.0.0.2'] },
}

async function startSinks(count: number, options: SmtpSinkOptions = {}): Promise<SmtpSink[]> {
  const started: SmtpSink[] = []
  for (let index = 1; index <= count; index++) started.push(await startSink(`127.0.0.${index}`, options))
  return started
}

/** Servers that answer the final dot only when released. Counts how many messages they hold at once. */
function hold() {
  const gate = Promise.withResolvers<void>()
  const holding = new Set<SinkMessage>()
  let most = 0
  const options: SmtpSinkOptions = {
    async beforeReply(message) {
      holding.add(message)
      most = Math.max(most, holding.size)
      await gate.promise
      holding.delete(message)
    },
  }
  return {
    options,
    reached: (count: number) => vi.waitFor(() => expect(holding.size).toBe(count)),
    release: () => gate.resolve(),
    most: () => most,
  }
}

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
