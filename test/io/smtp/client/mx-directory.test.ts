import { afterEach, describe, expect, it } from 'vitest'
import { createMxDirectory, type MxDirectory, type MxLookup } from '../../../../src/io/smtp/client/mx-directory.ts'
import { createMailDns } from '../../../../src/io/smtp/client/mx-dns.ts'
import { createMovingClock, type MovingClock } from '../../../support/clocks/clocks.ts'
import { type DnsRecords, type DnsServer, startDnsServer } from '../../../support/servers/dns-server.ts'

let server: DnsServer
let directory: MxDirectory
let clock: MovingClock

/** Costs no time where all servers answer. The first try cannot take longer: the resolver has a limit of its own. */
const PATIENTLY = { timeoutMs: 5_000, tries: 2 }
/** Where one is silent. What is late on a busy machine comes to the second try. */
const BRIEFLY = { timeoutMs: 500, tries: 2 }

async function start(zone: Record<string, DnsRecords>): Promise<void> {
  server = await startDnsServer(zone)
  clock = createMovingClock()
  const isAnySilent = Object.values(zone).some(({ fault }) => fault === 'silence')
  const dns = createMailDns({ dnsServers: [server.address], clock, ...(isAnySilent ? BRIEFLY : PATIENTLY) })
  directory = createMxDirectory({ dnsServers: [], clock, dns })
}

const hostsOf = (lookup: MxLookup) => ('set' in lookup ? lookup.set.hosts : null)
const keyOf = (lookup: MxLookup) => ('set' in lookup ? lookup.set.key : null)

const failure = (parts: object) => ({
  failure: { kind: 'bounced', code: null, enhancedCode: null, text: expect.any(String), stage: 'connect', unknown: false, ...parts },
})

afterEach(() => server.close())

describe('the hosts of a domain', () => {
  it.each(['SERVFAIL', 'REFUSED', 'silence'] as const)('are asked of the next resolver after %s', async (fault) => {
    await start({ 'example.test': { MX: [[10, 'a.mx.test']] }, 'a.mx.test': { A: ['192.0.2.1'] } })
    const first = await startDnsServer({ 'example.test': { fault }, 'a.mx.test': { fault } })
    const dns = createMailDns({ dnsServers: [first.address, server.address], clock, ...BRIEFLY })
    expect(hostsOf(await createMxDirectory({ dnsServers: [], clock, dns }).lookUp('example.test'))).toEqual([
      { name: 'a.mx.test', preference: 10, addresses: ['192.0.2.1'] },
    ])
    await first.close()
  })

  it('are those of its MX records by preference, each once, with all addresses, IPv4 first', async () => {
    await start({
      'example.test': {
        MX: [
          [20, 'b.mx.test'],
          [10, 'C.MX.test'],
          [10, 'a.mx.test'],
          [30, 'a.mx.test'],
        ],
      },
      'a.mx.test': { A: ['192.0.2.1'], AAAA: ['2001:db8::1'] },
      'b.mx.test': { A: ['192.0.2.2', '192.0.2.3'] },
      'c.mx.test': { AAAA: ['2001:db8::3'] },
    })
    expect(await directory.lookUp('Example.TEST.')).toEqual({
      set: {
        key: 'a.mx.test b.mx.test c.mx.test',
        hosts: [
          { name: 'a.mx.test', preference: 10, addresses: ['192.0.2.1', '2001:db8::1'] },
          { name: 'c.mx.test', preference: 10, addresses: ['2001:db8::3'] },
          { name: 'b.mx.test', preference: 20, addresses: ['192.0.2.2', '192.0.2.3'] },
        ],
      },
    })
  })

  it.each<[string, DnsRecords, string[]]>([
    ['its IPv4 address', { A: ['192.0.2.1'] }, ['192.0.2.1']],
    ['its IPv6 address', { AAAA: ['2001:db8::1'] }, ['2001:db8::1']],
  ])('are itself at %s when it has no MX records', async (_, records, addresses) => {
    await start({ 'example.test': records })
    expect(await directory.lookUp('example.test')).toEqual({
      set: { key: 'example.test', hosts: [{ name: 'example.test', preference: 0, addresses }] },
    })
  })

  it('leave out a host without an address, and the key does not change by it', async () => {
    await start({
      'example.test': {
        MX: [
          [1, 'gone.mx.test'],
          [2, 'broken.mx.test'],
          [3, 'good.mx.test'],
        ],
      },
      'broken.mx.test': { fault: 'SERVFAIL' },
      'good.mx.test': { A: ['192.0.2.1'] },
    })
    expect(await directory.lookUp('example.test')).toEqual({
      set: {
        key: 'broken.mx.test gone.mx.test good.mx.test',
        hosts: [{ name: 'good.mx.test', preference: 3, addresses: ['192.0.2.1'] }],
      },
    })
  })

  it('are fifty at most, with four addresses of a family each', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `mx${String(index).padStart(2, '0')}.test`)
    const addresses = Array.from({ length: 9 }, (_, index) => `192.0.2.${index + 1}`)
    await start({
      'example.test': { MX: names.map((name, index) => [index, name]) },
      ...Object.fromEntries(names.map((name) => [name, { A: addresses }])),
    })
    const hosts = hostsOf(await directory.lookUp('example.test'))
    expect(hosts?.map(({ name }) => name)).toEqual(names.slice(0, 50))
    expect(hosts?.map((host) => host.addresses.length)).toEqual(Array.from({ length: 50 }, () => 4))
  })

  it('are found after eleven names that have no address', async () => {
    await start({ 'example.test': { MX: [...dangling(11), [99, 'good.mx.test']] }, 'good.mx.test': { A: ['192.0.2.1'] } })
    expect(hostsOf(await directory.lookUp('example.test'))).toEqual([{ name: 'good.mx.test', preference: 99, addresses: ['192.0.2.1'] }])
  })

  it('are found after names that could not be looked up', async () => {
    const broken = dangling(10)
    await start({
      'example.test': { MX: [...broken, [99, 'good.mx.test']] },
      ...Object.fromEntries(broken.map(([, name]) => [name, { fault: 'SERVFAIL' as const }])),
      'good.mx.test': { A: ['192.0.2.1'] },
    })
    expect(hostsOf(await directory.lookUp('example.test'))?.map(({ name }) => name)).toEqual(['good.mx.test'])
  })
})

/** Names of mail servers that do not exist. */
const dangling = (count: number): [number, string][] =>
  Array.from({ length: count }, (_, index) => [index, `gone${String(index).padStart(2, '0')}.mx.test`])

describe('the key', () => {
  it('is the same for domains with the same hosts in another order', async () => {
    await start({
      'one.test': {
        MX: [
          [1, 'a.mx.test'],
          [2, 'b.mx.test'],
        ],
      },
      'two.test': {
        MX: [
          [5, 'b.mx.test'],
          [9, 'a.mx.test'],
        ],
      },
      'a.mx.test': { A: ['192.0.2.1'] },
      'b.mx.test': { A: ['192.0.2.2'] },
    })
    expect(keyOf(await directory.lookUp('one.test'))).toBe(keyOf(await directory.lookUp('two.test')))
  })

  it('is the name of a large provider, but not when a foreign host is among its own', async () => {
    await start({
      'customer.test': { MX: [[1, 'aspmx.l.google.com']] },
      'mixed.test': {
        MX: [
          [1, 'slow.mixed.test'],
          [2, 'aspmx.l.google.com'],
        ],
      },
      'aspmx.l.google.com': { A: ['192.0.2.1'] },
      'slow.mixed.test': { A: ['192.0.2.9'] },
    })
    expect(keyOf(await directory.lookUp('customer.test'))).toBe('google')
    expect(keyOf(await directory.lookUp('mixed.test'))).toBe('aspmx.l.google.com slow.mixed.test')
  })

  it('never has more than 200 characters', async () => {
    const names = ['a', 'b', 'c', 'd'].map((letter) => `${letter.repeat(60)}.mx.test`)
    await start({
      'example.test': { MX: names.map((name) => [1, name]) },
      ...Object.fromEntries(names.map((name) => [name, { A: ['192.0.2.1'] }])),
    })
    expect(keyOf(await directory.lookUp('example.test'))).toMatch(/^[0-9a-f]{64}$/)
  })
})

describe('a domain without hosts', () => {
  it.each<[string, Record<string, DnsRecords>, object]>([
    ['bounces when it publishes a null MX', { 'example.test': { MX: [[0, '']], A: ['192.0.2.1'] } }, { code: 556, enhancedCode: '5.1.10' }],
    ['bounces when it does not exist', {}, { enhancedCode: '5.1.2' }],
    ['bounces when it has neither MX nor address', { 'example.test': { TXT: ['hello'] } }, { enhancedCode: '5.1.2' }],
    [
      'is tried again when eleven names have no address',
      { 'example.test': { MX: dangling(11) } },
      { kind: 'delayed', enhancedCode: '4.4.4' },
    ],
    ['bounces when ten names have no address', { 'example.test': { MX: dangling(10) } }, { enhancedCode: '5.4.4' }],
    [
      'is tried again when the eleventh name cannot be looked up',
      { 'example.test': { MX: [...dangling(10), [99, 'broken.test']] }, 'broken.test': { fault: 'SERVFAIL' } },
      { kind: 'delayed', enhancedCode: '4.4.3' },
    ],
    ['bounces when no MX host has an address', { 'example.test': { MX: [[1, 'gone.test']] } }, { enhancedCode: '5.4.4' }],
    [
      'bounces when its only address can never be one',
      { 'example.test': { MX: [[1, 'mx.test']] }, 'mx.test': { A: ['0.0.0.0'] } },
      { enhancedCode: '5.4.4' },
    ],
    ['is tried again after SERVFAIL', { 'example.test': { fault: 'SERVFAIL' } }, { kind: 'delayed', enhancedCode: '4.4.3' }],
    ['is tried again when the DNS is silent', { 'example.test': { fault: 'silence' } }, { kind: 'delayed', enhancedCode: '4.4.3' }],
    [
      'is tried again when the addresses of its hosts cannot be looked up',
      { 'example.test': { MX: [[1, 'mx.test']] }, 'mx.test': { fault: 'SERVFAIL' } },
      { kind: 'delayed', enhancedCode: '4.4.3' },
    ],
    [
      'is tried again, not sent to its own address, when the MX records cannot be looked up',
      { 'example.test': { A: ['192.0.2.1'], fault: 'SERVFAIL', faultOf: 'MX' } },
      { kind: 'delayed', enhancedCode: '4.4.3' },
    ],
  ])('%s', async (_, zone, expected) => {
    await start(zone)
    expect(await directory.lookUp('example.test')).toEqual(failure(expected))
  })

  it.each(['', '.', 'a..test', `${'a'.repeat(64)}.test`, `${'a.'.repeat(130)}test`])(
    'bounces when its name cannot be one: %j',
    async (domain) => {
      await start({})
      expect(await directory.lookUp(domain)).toEqual(failure({ enhancedCode: '5.1.2' }))
    },
  )
})

describe('what was found', () => {
  const zoneWithTtl = (ttl: number): Record<string, DnsRecords> => ({
    'example.test': { MX: [[1, 'mx.test']] },
    'mx.test': { A: ['192.0.2.1'], ttl },
  })

  it.each([
    ['for as long as its addresses say', 300, 300],
    ['for half a minute at least', 0, 30],
    ['for an hour at most', 86_400, 3_600],
  ])('is kept %s', async (_, ttl, seconds) => {
    await start(zoneWithTtl(ttl))
    await directory.lookUp('example.test')
    server.zone['mx.test'] = { A: ['192.0.2.2'] }
    clock.advance(seconds * 1_000 - 1)
    expect(hostsOf(await directory.lookUp('example.test'))?.[0]?.addresses).toEqual(['192.0.2.1'])
    clock.advance(1)
    expect(hostsOf(await directory.lookUp('example.test'))?.[0]?.addresses).toEqual(['192.0.2.2'])
  })

  it.each<[string, DnsRecords | undefined]>([
    ['that it does not exist', undefined],
    ['that it could not be looked up', { fault: 'SERVFAIL' }],
  ])('is kept for a minute when it was %s', async (_, records) => {
    await start(records === undefined ? {} : { 'example.test': records })
    await directory.lookUp('example.test')
    server.zone['example.test'] = { A: ['192.0.2.1'] }
    clock.advance(59_999)
    expect(await directory.lookUp('example.test')).toHaveProperty('failure')
    clock.advance(1)
    expect(await directory.lookUp('example.test')).toHaveProperty('set')
  })

  it('is asked for once by all who ask at the same time', async () => {
    await start(zoneWithTtl(300))
    await Promise.all(Array.from({ length: 50 }, () => directory.lookUp('example.test')))
    expect(server.queries.sort()).toEqual(['A mx.test', 'AAAA mx.test', 'MX example.test'])
  })

  it('shares the addresses of hosts between domains', async () => {
    await start({ ...zoneWithTtl(300), 'other.test': { MX: [[1, 'mx.test']] } })
    await directory.lookUp('example.test')
    await directory.lookUp('other.test')
    expect(server.queries.filter((query) => query === 'A mx.test')).toHaveLength(1)
  })
})
