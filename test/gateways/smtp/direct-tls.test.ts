import { createServer } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createDirectDelivery, type DirectDelivery, type PolicyFinding } from '../../../src/gateways/smtp/direct-delivery.ts'
import { createMtaSts, createMtaStsMemory, type MtaStsCache, type MtaStsPolicy } from '../../../src/gateways/smtp/mta-sts.ts'
import { createMailDns } from '../../../src/gateways/smtp/mx-dns.ts'
import type { SmtpOutcome } from '../../../src/gateways/smtp/smtp-outcome.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { type CertificateAuthority, createCertificateAuthority } from '../../support/builders/certificates.ts'
import { type DnsServer, startDnsServer } from '../../support/servers/dns-server.ts'
import { type SmtpSink, type SmtpSinkOptions, startSmtpSink } from '../../support/servers/smtp-sink.ts'

const systemAuthorities = getCACertificates('default')

let authority: CertificateAuthority
/** For mx1.test and mx2.test, by an authority that is trusted here. */
let trusted: SmtpSinkOptions
/** Signed by an authority that no client trusts: smtp-server's own. */
const UNTRUSTED: SmtpSinkOptions = { tls: 'starttls' }

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
    sinks.push(await startSmtpSink({ ...options, address: `127.0.0.${index + 1}`, port: sinks[0]?.port ?? 0 }))
  await startDelivery(sinks[0]?.port ?? 0)
}

async function startDelivery(port: number): Promise<void> {
  dns = await startDnsServer({ '_mta-sts.example.test': { TXT: ['v=STSv1; id=1;'] } })
  const guard = { allowPrivateNetworks: true }
  const mailDns = createMailDns({ dnsServers: [dns.address], clock: systemClock, timeoutMs: 200, tries: 1 })
  delivery = createDirectDelivery({
    helloName: 'mail.sender.test',
    guard,
    limitsOf: () => ({ connectionsMax: 5, messagesPerConnectionMax: 50 }),
    mtaSts: createMtaSts({ dns: mailDns, guard, cache }),
    onPolicyFinding: (finding) => findings.push(finding),
    timeouts: { replyMs: 2_000 },
    port,
  })
}

const HOSTS = ['mx1.test', 'mx2.test'].map((name, index) => ({ name, preference: index, addresses: [`127.0.0.${index + 1}`] }))

const send = ({ requireTls = false, hosts = HOSTS } = {}): Promise<SmtpOutcome> =>
  delivery.send({
    domain: 'example.test',
    set: { key: 'mx1.test mx2.test', hosts },
    envelope: { from: 'from@sender.test', to: 'to@example.test' },
    message: Buffer.from('Subject: Hello\r\n\r\nHello\r\n'),
    mayContinue: () => true,
    requireTls,
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

  it.each<[string, (command: string) => string]>([
    ['refused', () => '454 4.7.0 TLS not available\r\n'],
    ['broken off', () => '220 Ready\r\nthis is no TLS\r\n'],
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

describe('TLS that is required', () => {
  it('is had with a certificate that is valid for the host', async () => {
    await start(trusted)
    expect(await send({ requireTls: true })).toMatchObject({ kind: 'delivered', tls: 'TLSv1.3' })
  })

  it.each<[string, SmtpSinkOptions, object]>([
    ['is not offered', { tls: 'none' }, { enhancedCode: '4.7.4', code: 500 }],
    ['comes with a certificate of an unknown authority', UNTRUSTED, { enhancedCode: '4.7.5', code: null }],
  ])('keeps the message back when it %s', async (_, options, expected) => {
    await start(options)
    expect(await send({ requireTls: true, hosts: HOSTS.slice(0, 1) })).toMatchObject({
      kind: 'delayed',
      host: 'mx1.test',
      text: expect.stringMatching(/^TLS with a valid certificate is required, but could not be had from mx1\.test: ./),
      stage: 'greeting',
      ...expected,
    })
    expect(messageCounts()).toEqual([0])
  })

  it('keeps the message back when the certificate is that of another host', async () => {
    await start({ tls: 'starttls', server: authority.issue('other.test') })
    expect(await send({ requireTls: true, hosts: HOSTS.slice(0, 1) })).toMatchObject({ kind: 'delayed', enhancedCode: '4.7.5' })
    expect(messageCounts()).toEqual([0])
  })

  it('leads to the next host when the first has none', async () => {
    await start(UNTRUSTED, trusted)
    expect(await send({ requireTls: true })).toMatchObject({ kind: 'delivered', host: 'mx2.test', tls: 'TLSv1.3' })
    expect(messageCounts()).toEqual([0, 1])
  })

  it('does not take a connection that was opened without asking for the certificate', async () => {
    await start(UNTRUSTED)
    expect(await send({ hosts: HOSTS.slice(0, 1) })).toMatchObject({ kind: 'delivered' })
    expect(await send({ requireTls: true, hosts: HOSTS.slice(0, 1) })).toMatchObject({ kind: 'delayed', enhancedCode: '4.7.5' })
    expect(messageCounts()).toEqual([1])
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

  it('in the mode enforce wants valid certificates', async () => {
    await start(UNTRUSTED)
    await cache.set('example.test', policy({}))
    expect(await send()).toMatchObject({ kind: 'delayed', enhancedCode: '4.7.5' })
    expect(messageCounts()).toEqual([0])
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

/** A mail server that offers TLS and then does something else. Records the first word of each line it received, by connection. */
async function startBrokenTls(onStartTls: (command: string) => string) {
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
        if (command === 'EHLO') socket.write('250-mx1.test\r\n250 STARTTLS\r\n')
        else if (command === 'STARTTLS') socket.write(onStartTls(command))
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
