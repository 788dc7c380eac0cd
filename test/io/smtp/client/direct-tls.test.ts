import { createServer, type Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createDirectDelivery, type PolicyFinding } from '../../../../src/io/smtp/client/direct-delivery.ts'
import { createMtaSts, createMtaStsMemory, type MtaStsCache, type MtaStsPolicy } from '../../../../src/io/smtp/client/mta-sts.ts'
import { createMailDns } from '../../../../src/io/smtp/client/mx-dns.ts'
import type { SmtpOutcome } from '../../../../src/io/smtp/client/smtp-outcome.ts'
import type { DirectDelivery } from '../../../../src/io/smtp/client/smtp-sending.ts'
import { systemClock } from '../../../../src/lib/clock.ts'
import { toPaceSignal } from '../../../../src/modules/delivery/pace/destination-pace.ts'
import { type CertificateAuthority, createCertificateAuthority } from '../../../support/builders/certificates.ts'
import { freePort } from '../../../support/processes/processes.ts'
import { openingWithin } from '../../../support/servers/direct-delivery.ts'
import { type DnsServer, startDnsServer } from '../../../support/servers/dns-server.ts'
import { type SmtpSink, type SmtpSinkOptions, startSmtpSink } from '../../../support/servers/smtp-sink.ts'

const systemAuthorities = getCACertificates('default')

let authority: CertificateAuthority
/** For mx1.test and mx2.test, by an authority that is trusted here. */
let trusted: SmtpSinkOptions
/** Signed by an authority that no client trusts: smtp-server's own. */
const UNTRUSTED: SmtpSinkOptions = { tls: 'starttls' }
const STARTTLS = ['250-mx1.test', '250 STARTTLS']

/** Enough for a handshake on a busy machine. */
const TLS_MS_MAX = 6_000

type OnStartTls = (socket: Socket) => void

/** After which a server that offers TLS is gone or silent. */
const LOST_TLS: [string, OnStartTls][] = [
  ['closed before the reply', (socket) => socket.end()],
  ['reset before the reply', (socket) => socket.resetAndDestroy()],
  ['never answered', () => {}],
  ['closed before the handshake', (socket) => socket.end('220 Ready\r\n')],
  ['silent in the handshake', (socket) => socket.write('220 Ready\r\n')],
  ['closed at the EHLO after it', (socket) => withTls(socket, (secured) => secured.end())],
  ['reset at the EHLO after it', (socket) => withTls(socket, () => socket.resetAndDestroy())],
  ['silent at the EHLO after it', (socket) => withTls(socket, () => {})],
]

let dns: DnsServer
let delivery: DirectDelivery
let sinks: SmtpSink[]
let findings: PolicyFinding[]
let cache: MtaStsCache

beforeAll(() => {
  authority = createCertificateAuthority()
  trusted = { tls: 'starttls', server: authority.issue('mx1.test', 'mx2.test') }
  setDefaultCACertificates([...systemAuthorities, authority.cert])
})

afterAll(() => {
  setDefaultCACertificates(systemAuthorities)
  authority.close()
})

beforeEach(() => {
  sinks = []
  findings = []
  cache = createMtaStsMemory()
})

afterEach(async () => {
  await delivery.close(0)
  await Promise.all([dns.close(), ...sinks.map((sink) => sink.close())])
})

/** mx1.test at 127.0.0.1, mx2.test at 127.0.0.2, and so on: all on one port. */
async function start(...servers: SmtpSinkOptions[]): Promise<void> {
  for (const [index, options] of servers.entries())
    sinks.push(await startSmtpSink({ ...options, address: `127.0.0.${index + 1}`, port: sinks[0]?.port ?? (await freePort()) }))
  await startDelivery(sinks[0]?.port ?? 0)
}

async function startDelivery(port: number): Promise<void> {
  dns = await startDnsServer({ '_mta-sts.example.test': { TXT: ['v=STSv1; id=1;'] } })
  const guard = { allowPrivateNetworks: true }
  const mailDns = createMailDns({ dnsServers: [dns.address], clock: systemClock, timeoutMs: 2_000, tries: 3 })
  delivery = createDirectDelivery({
    helloName: 'mail.sender.test',
    guard,
    limitsOf: () => ({ connectionsMax: 5, messagesPerConnectionMax: 50 }),
    mtaSts: createMtaSts({ dns: mailDns, guard, cache }),
    onPolicyFinding: (finding) => findings.push(finding),
    timeouts: { replyMs: 30_000 },
    openingTimeouts: openingWithin(TLS_MS_MAX),
    port,
  })
}

const HOSTS = ['mx1.test', 'mx2.test'].map((name, index) => ({ name, preference: index, addresses: [`127.0.0.${index + 1}`] }))

const send = ({ requiresTls = false, hosts = HOSTS, domain = 'example.test' } = {}): Promise<SmtpOutcome> =>
  delivery.send({
    domain,
    set: { key: 'mx1.test mx2.test', hosts },
    envelope: { from: 'from@sender.test', to: 'to@example.test' },
    message: Buffer.from('Subject: Hello\r\n\r\nHello\r\n'),
    mayContinue: () => true,
    requiresTls,
  })

const messageCounts = () => sinks.map(({ messages }) => messages.length)

describe('TLS where it is offered', () => {
  it('is used', async () => {
    await start(trusted)
    expect(await send()).toMatchObject({ kind: 'delivered', host: 'mx1.test', tls: 'TLSv1.3' })
    expect(sinks[0]?.messages[0]?.isTls).toBe(true)
  })

  it('is used whatever authority signed the certificate', async () => {
    await start(UNTRUSTED)
    expect(await send()).toMatchObject({ kind: 'delivered', tls: 'TLSv1.3' })
  })

  it('is done without when no one offers it', async () => {
    await start({ tls: 'none' })
    expect(await send()).toMatchObject({ kind: 'delivered', tls: null })
  })

  it.each<[string, OnStartTls]>([
    ['refused', (socket) => socket.write('454 4.7.0 TLS not available\r\n')],
    ['broken off', (socket) => socket.write('220 Ready\r\nthis is no TLS\r\n')],
    ...LOST_TLS,
  ])('but %s is done without on a new connection to the same host', async (_, onStartTls) => {
    const server = await startBrokenTls(onStartTls)
    await startDelivery(server.port)
    expect(await send({ hosts: HOSTS.slice(0, 1) })).toMatchObject({ kind: 'delivered', host: 'mx1.test', tls: null })
    expect(server.commands).toEqual([
      ['EHLO', 'STARTTLS'],
      ['EHLO', 'MAIL', 'RCPT', 'DATA', 'Subject:', '', 'Hello', '.'],
    ])
    await server.close()
  })
})

describe('TLS that the sender requires', () => {
  const FIRST = HOSTS.slice(0, 1)

  it.each<[string, () => SmtpSinkOptions]>([
    ['valid', () => trusted],
    ['of an unknown authority', () => UNTRUSTED],
    ['that of another host', () => ({ tls: 'starttls', server: authority.issue('other.test') })],
  ])('is had although the certificate is %s', async (_, options) => {
    await start(options())
    expect(await send({ requiresTls: true, hosts: FIRST })).toMatchObject({ kind: 'delivered', tls: 'TLSv1.3' })
    expect(sinks[0]?.messages[0]?.isTls).toBe(true)
  })

  it.each<[string, string[], OnStartTls, string, RegExp]>([
    ['is not offered', ['250 8BITMIME'], (socket) => socket.write('502 5.5.1 What?\r\n'), '4.7.4', /What\?$/],
    ['is not known after EHLO was refused', ['502 5.5.1 What?'], (socket) => socket.write('502 5.5.1 What?\r\n'), '4.7.4', /./],
    ['is refused', STARTTLS, (socket) => socket.write('454 4.7.0 TLS not available\r\n'), '4.7.4', /TLS not available$/],
    ['is broken off', STARTTLS, (socket) => socket.write('220 Ready\r\nthis is no TLS\r\n'), '4.7.5', /./],
    ...LOST_TLS.map(([what, onStartTls]): [string, string[], OnStartTls, string, RegExp] => [
      `is ${what}`,
      STARTTLS,
      onStartTls,
      '4.7.5',
      /./,
    ]),
  ])('keeps all of the message back when it %s', async (_, ehlo, onStartTls, enhancedCode, reason) => {
    const server = await startBrokenTls(onStartTls, ehlo)
    await startDelivery(server.port)
    const outcome = await send({ requiresTls: true, hosts: FIRST })
    expect(outcome).toEqual({
      kind: 'delayed',
      code: null,
      enhancedCode,
      text: expect.stringMatching(/^TLS is required by the domain of the sender, but could not be established with mx1\.test: ./),
      host: 'mx1.test',
      tls: null,
      stage: 'greeting',
      durationMs: expect.any(Number),
      unknown: false,
    })
    expect(outcome.text).toMatch(reason)
    expect(server.commands.flat().filter((command) => !['EHLO', 'HELO', 'STARTTLS', 'QUIT'].includes(command))).toEqual([])
    // Mail of others to these hosts is not slowed down for it.
    expect(toPaceSignal(outcome)).toBe('neutral')
    await server.close()
  })

  it('leads to the next host when the first has none', async () => {
    await start({ tls: 'none' }, UNTRUSTED)
    expect(await send({ requiresTls: true })).toMatchObject({ kind: 'delivered', host: 'mx2.test', tls: 'TLSv1.3' })
    expect(messageCounts()).toEqual([0, 1])
  })

  it('does not take a connection that was opened without it, and leaves that for other mail', async () => {
    await start({ tls: 'none' })
    expect(await send({ hosts: FIRST })).toMatchObject({ kind: 'delivered', tls: null })
    expect(await send({ requiresTls: true, hosts: FIRST })).toMatchObject({ kind: 'delayed', enhancedCode: '4.7.4' })
    expect(await send({ hosts: FIRST })).toMatchObject({ kind: 'delivered', tls: null })
    expect(new Set(sinks[0]?.messages.map(({ sessionId }) => sessionId)).size).toBe(1)
    expect(messageCounts()).toEqual([2])
  })

  it('takes one connection for one message after another', async () => {
    await start(UNTRUSTED)
    for (let count = 0; count < 3; count++) await send({ requiresTls: true, hosts: FIRST })
    expect([messageCounts(), sinks[0]?.connectionCount()]).toEqual([[3], 1])
  })
})

describe('an MTA-STS policy', () => {
  const policy = (parts: Partial<MtaStsPolicy>): MtaStsPolicy => ({
    id: '1',
    mode: 'enforce',
    version: 'STSv1',
    mx: ['mx1.test'],
    expires: new Date(Date.now() + 3_600_000).toISOString(),
    ...parts,
  })

  it('in the mode enforce lets mail go to its hosts only', async () => {
    await start(trusted, trusted)
    await cache.set('example.test', policy({ mx: ['mx2.test'] }))
    expect(await send()).toMatchObject({ kind: 'delivered', host: 'mx2.test', tls: 'TLSv1.3' })
    expect(messageCounts()).toEqual([0, 1])
  })

  it.each<[string, () => SmtpSinkOptions, string]>([
    ['there is no TLS', () => ({ tls: 'none' }), '4.7.4'],
    ['the certificate is of an unknown authority', () => UNTRUSTED, '4.7.5'],
    ['the certificate is that of another host', () => ({ tls: 'starttls', server: authority.issue('other.test') }), '4.7.5'],
  ])('in the mode enforce keeps mail back when %s, whatever the sender requires', async (_, options, enhancedCode) => {
    await start(options())
    await cache.set('example.test', policy({}))
    for (const requiresTls of [false, true])
      expect(await send({ requiresTls })).toMatchObject({
        kind: 'delayed',
        code: null,
        enhancedCode,
        host: 'mx1.test',
        text: expect.stringMatching(/^TLS with a valid certificate is required, but could not be established with mx1\.test: ./),
        stage: 'greeting',
      })
    expect(messageCounts()).toEqual([0])
  })

  it.each(LOST_TLS)('in the mode enforce keeps mail back when TLS is %s', async (_, onStartTls) => {
    const server = await startBrokenTls(onStartTls)
    await startDelivery(server.port)
    await cache.set('example.test', policy({}))
    expect(await send()).toMatchObject({ kind: 'delayed', code: null, enhancedCode: '4.7.5', host: 'mx1.test' })
    expect(server.commands.flat()).not.toContain('MAIL')
    await server.close()
  })

  it('in the mode enforce leads to the next host when the certificate of the first is not valid', async () => {
    await start(UNTRUSTED, trusted)
    await cache.set('example.test', policy({ mx: ['*.test'] }))
    expect(await send()).toMatchObject({ kind: 'delivered', host: 'mx2.test', tls: 'TLSv1.3' })
    expect(messageCounts()).toEqual([0, 1])
  })

  it.each([false, true])('in the mode enforce does not take a connection whose certificate was not asked for (%j)', async (requiresTls) => {
    await start(UNTRUSTED)
    const set = { hosts: HOSTS.slice(0, 1), requiresTls }
    expect(await send({ ...set, domain: 'other.test' })).toMatchObject({ kind: 'delivered', tls: 'TLSv1.3' })
    await cache.set('example.test', policy({}))
    expect(await send(set)).toMatchObject({ kind: 'delayed', enhancedCode: '4.7.5' })
    expect(messageCounts()).toEqual([1])
  })

  it('in the mode enforce keeps mail back that would go elsewhere', async () => {
    await start(trusted)
    await cache.set('example.test', policy({ mx: ['*.elsewhere.test'] }))
    expect(await send()).toEqual({
      kind: 'delayed',
      code: null,
      enhancedCode: '4.7.0',
      text: 'None of the mail servers of example.test is one of those that its MTA-STS policy allows',
      host: 'mx1.test',
      tls: null,
      stage: 'connect',
      durationMs: expect.any(Number),
      unknown: false,
    })
    expect(sinks[0]?.connectionCount()).toBe(0)
  })

  it('holds on although its DNS record is gone', async () => {
    await start(trusted)
    delete dns.zone['_mta-sts.example.test']
    await cache.set('example.test', policy({ mx: ['*.elsewhere.test'] }))
    expect(await send()).toMatchObject({ kind: 'delayed', enhancedCode: '4.7.0' })
  })

  it.each<[string, SmtpSinkOptions, Partial<MtaStsPolicy>, Omit<PolicyFinding, 'domain' | 'host'>[]]>([
    ['another host', UNTRUSTED, { mx: ['other.test'] }, [{ problem: 'host' }]],
    ['a certificate that is not valid', UNTRUSTED, {}, [{ problem: 'certificate' }]],
    ['no TLS', { tls: 'none' }, {}, [{ problem: 'certificate' }]],
  ])('in the mode testing only tells of %s', async (_, options, parts, expected) => {
    await start(options)
    await cache.set('example.test', policy({ mode: 'testing', ...parts }))
    expect(await send()).toMatchObject({ kind: 'delivered', host: 'mx1.test' })
    expect(findings).toEqual(expected.map((finding) => ({ domain: 'example.test', host: 'mx1.test', ...finding })))
  })

  it('that everything agrees with is not reported', async () => {
    await start(trusted)
    await cache.set('example.test', policy({ mode: 'testing' }))
    expect(await send()).toMatchObject({ kind: 'delivered', tls: 'TLSv1.3' })
    expect(findings).toEqual([])
  })

  it('of the mode none changes nothing', async () => {
    await start(UNTRUSTED)
    await cache.set('example.test', policy({ mode: 'none' }))
    expect(await send()).toMatchObject({ kind: 'delivered', host: 'mx1.test' })
  })
})

/** The connection with the server's own socket under it. */
function withTls(socket: Socket, onEhlo: (secured: TLSSocket) => void): void {
  socket.removeAllListeners('data')
  socket.write('220 Ready\r\n')
  const secured = new TLSSocket(socket, { isServer: true, ...authority.issue('mx1.test') })
  secured.on('error', () => {})
  secured.once('data', () => onEhlo(secured))
}

/** A mail server that offers TLS and then does something else. Records the first word of each line it received, by connection. */
async function startBrokenTls(onStartTls: OnStartTls, ehlo = STARTTLS) {
  const commands: string[][] = []
  const server = createServer((socket) => {
    const own: string[] = []
    commands.push(own)
    let isInBody = false
    socket.on('error', () => {})
    socket.write('220 mx1.test\r\n')
    socket.on('data', (chunk) => {
      // After STARTTLS comes the handshake, which has no lines.
      if (own.includes('STARTTLS')) return
      for (const line of chunk.toString('latin1').split('\r\n').slice(0, -1)) {
        const [command = ''] = line.split(/ /)
        own.push(command)
        if (isInBody && line !== '.') continue
        isInBody = command === 'DATA'
        if (command === 'EHLO') socket.write(`${ehlo.join('\r\n')}\r\n`)
        else if (command === 'STARTTLS') onStartTls(socket)
        else socket.write(command === 'DATA' ? '354 go on\r\n' : '250 OK\r\n')
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: address !== null && typeof address === 'object' ? address.port : 0,
    commands,
    close: async () => {
      await delivery.close(0)
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
