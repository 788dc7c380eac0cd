import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  createMtaSts,
  createMtaStsMemory,
  type MtaSts,
  type MtaStsCache,
  type MtaStsPolicy,
} from '../../../../src/io/smtp/client/mta-sts.ts'
import { createMailDns } from '../../../../src/io/smtp/client/mx-dns.ts'
import { createMovingClock, type MovingClock } from '../../../support/clocks/clocks.ts'
import { type DnsRecords, type DnsServer, startDnsServer } from '../../../support/servers/dns-server.ts'

let dns: DnsServer
let mtaSts: MtaSts
let cache: MtaStsCache
let clock: MovingClock

async function start(zone: Record<string, DnsRecords>, guard = { allowPrivateNetworks: true }): Promise<void> {
  dns = await startDnsServer(zone)
  clock = createMovingClock()
  cache = createMtaStsMemory({ clock })
  mtaSts = createMtaSts({ dns: createMailDns({ dnsServers: [dns.address], clock, timeoutMs: 2_000, tries: 3 }), guard, cache, clock })
}

const policy = (parts: Partial<MtaStsPolicy> = {}): MtaStsPolicy => ({
  id: 'a1',
  mode: 'enforce',
  version: 'STSv1',
  mx: ['mx.example.test', '*.wild.test'],
  expires: new Date(Date.now() + 24 * 3_600_000).toISOString(),
  ...parts,
})

const RECORD: DnsRecords = { TXT: ['v=STSv1; id=a1;'] }

afterEach(() => dns.close())

describe('the policy of a domain', () => {
  it('names hosts exactly or with an asterisk for the first label', async () => {
    await start({ '_mta-sts.example.test': RECORD })
    await cache.set('example.test', policy())
    const { mode, allows } = await mtaSts.policyOf('example.test')
    expect(mode).toBe('enforce')
    const hosts = ['mx.example.test', 'MX.Example.Test.', 'a.wild.test', 'a.b.wild.test', 'wild.test', 'mx.example.test.evil.test']
    expect(hosts.filter(allows)).toEqual(['mx.example.test', 'MX.Example.Test.', 'a.wild.test'])
  })

  it('is none without a record', async () => {
    await start({})
    const { mode, allows } = await mtaSts.policyOf('example.test')
    expect([mode, allows('anything.test')]).toEqual(['none', true])
  })

  it.each<[string, Record<string, DnsRecords>]>([
    ['its record is gone', {}],
    ['the DNS fails', { '_mta-sts.example.test': { fault: 'SERVFAIL' } }],
    ['a new one cannot be fetched', { '_mta-sts.example.test': { TXT: ['v=STSv1; id=b2;'] } }],
  ])('is the one that was kept when %s', async (_, zone) => {
    await start(zone)
    await cache.set('example.test', policy())
    const writing = vi.spyOn(cache, 'set')
    expect((await mtaSts.policyOf('example.test')).mode).toBe('enforce')
    expect(writing).not.toHaveBeenCalled()
  })

  it('is asked for once in five minutes, and once by all who ask at the same time', async () => {
    await start({ '_mta-sts.example.test': RECORD })
    await cache.set('example.test', policy())
    await Promise.all(Array.from({ length: 20 }, () => mtaSts.policyOf('example.test')))
    clock.advance(5 * 60_000 - 1)
    await mtaSts.policyOf('example.test')
    expect(dns.queries).toEqual(['TXT _mta-sts.example.test'])
    clock.advance(1)
    await mtaSts.policyOf('example.test')
    expect(dns.queries).toHaveLength(2)
  })

  it('is not fetched from a private address', async () => {
    await start({ '_mta-sts.example.test': RECORD, 'mta-sts.example.test': { A: ['127.0.0.1'] } }, { allowPrivateNetworks: false })
    expect((await mtaSts.policyOf('example.test')).mode).toBe('none')
    // Nothing was tried, so there is no failure to remember.
    expect(await cache.get('example.test')).toBeUndefined()
  })

  it('that could not be fetched is not tried again at once', async () => {
    await start({ '_mta-sts.example.test': RECORD, 'mta-sts.example.test': { A: ['127.0.0.99'] } })
    expect((await mtaSts.policyOf('example.test')).mode).toBe('none')
    expect(await cache.get('example.test')).toEqual({ id: 'a1', mode: 'none', expires: expect.any(String) })
    clock.advance(6 * 60_000)
    expect((await mtaSts.policyOf('example.test')).mode).toBe('none')
    expect(dns.queries.filter((query) => query === 'A mta-sts.example.test')).toHaveLength(1)
  })

  it('is none, and mail continues, when the cache fails', async () => {
    await start({})
    const failing: MtaStsCache = { get: () => Promise.reject(new Error('gone')), set: () => Promise.reject(new Error('gone')) }
    const dnsOfMail = createMailDns({ dnsServers: [dns.address], clock, timeoutMs: 2_000, tries: 3 })
    const service = createMtaSts({ dns: dnsOfMail, guard: { allowPrivateNetworks: true }, cache: failing, clock })
    expect((await service.policyOf('example.test')).mode).toBe('none')
  })
})

describe('the memory', () => {
  it('keeps a policy until it expires', async () => {
    await start({})
    const expiring = policy({ expires: new Date(clock.now().getTime() + 1_000).toISOString() })
    await cache.set('example.test', expiring)
    clock.advance(999)
    expect(await cache.get('example.test')).toEqual(expiring)
    clock.advance(1)
    expect(await cache.get('example.test')).toBeUndefined()
  })
})
