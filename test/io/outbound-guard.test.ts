import type { LookupAddress } from 'node:dns'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createGuardedLookup, isAllowedHost, isPublicAddress, type ResolvedAddress } from '../../src/io/outbound-guard.ts'
import { startHttpSink } from '../support/servers/http-sink.ts'

describe('isPublicAddress', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.32.0.1',
    '192.167.255.255',
    '100.128.0.1',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450:4001::5',
  ])('allows %s', (ip) => {
    expect(isPublicAddress(ip)).toBe(true)
  })

  it.each([
    ['this network', ['0.0.0.0', '0.1.2.3']],
    ['loopback', ['127.0.0.1', '127.255.255.254', '::1']],
    ['private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1']],
    ['link-local', ['169.254.169.254', 'fe80::1', 'fe80::1%eth0']],
    ['carrier-grade NAT', ['100.64.0.1', '100.127.255.255']],
    ['unique-local', ['fc00::1', 'fd12:3456::1']],
    ['site-local', ['fec0::1']],
    ['multicast', ['224.0.0.1', '239.255.255.255', 'ff02::1']],
    [
      'reserved, for tests or for documents',
      ['192.0.0.8', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '240.0.0.1', '2001:db8::1', '100::1', '3fff::1'],
    ],
    ['broadcast', ['255.255.255.255']],
    ['unspecified', ['::']],
    ['IPv4-mapped', ['::ffff:8.8.8.8', '::ffff:127.0.0.1', '::ffff:7f00:1']],
    ['IPv4-compatible', ['::127.0.0.1', '::8.8.8.8']],
    ['translated from IPv4', ['64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b:1::1', '::ffff:0:127.0.0.1']],
    ['6to4 and Teredo', ['2002:7f00:1::1', '2001::1']],
    ['not an address', ['', 'localhost', '1', '8.8.8', '0x8.8.8.8', '8.8.8.8.', '[::1]', ' 8.8.8.8', '8.8.8.8:80']],
  ])('refuses what is %s', (_, addresses) => {
    for (const ip of addresses) expect([ip, isPublicAddress(ip)]).toEqual([ip, false])
  })

  it('refuses every IPv6 address outside 2000::/3', () => {
    const group = fc.integer({ min: 0, max: 0xffff })
    fc.assert(
      fc.property(fc.tuple(group, group, group, group, group, group, group, group), (groups) => {
        const ip = groups.map((part) => part.toString(16)).join(':')
        expect(isPublicAddress(ip) && groups[0] >> 13 !== 1).toBe(false)
      }),
    )
  })
})

describe('isAllowedHost', () => {
  it.each(['localhost', 'LOCALHOST', 'localhost.', 'api.localhost', '127.0.0.1', '[::1]', '::1', '10.0.0.1'])('refuses %s', (host) => {
    expect(isAllowedHost(host, { allowPrivateNetworks: false })).toBe(false)
    expect(isAllowedHost(host, { allowPrivateNetworks: true })).toBe(true)
  })

  it.each(['example.com', 'localhost.example.com', '8.8.8.8', '[2606:4700::1111]'])('leaves %s to the lookup, or allows it', (host) => {
    expect(isAllowedHost(host, { allowPrivateNetworks: false })).toBe(true)
  })

  it.each([
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://[::ffff:127.0.0.1]/',
    'http://①②⑦.0.0.1/',
  ])('refuses the host of %s', (url) => {
    expect(isAllowedHost(new URL(url).hostname, { allowPrivateNetworks: false })).toBe(false)
  })

  it('refuses the addresses of this machine, public or not', () => {
    const own = Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? [])
    expect(own.length).toBeGreaterThan(0)
    for (const address of own) expect(isAllowedHost(address, { allowPrivateNetworks: false })).toBe(false)
  })
})

describe('cloud metadata', () => {
  it.each([
    ['any cloud', ['169.254.169.254', '169.254.170.2', '169.254.42.42', '169.254.0.23', 'fe80::a9fe:a9fe', 'fe80::a9fe:a9fe%eth0']],
    ['AWS', ['fd00:ec2::254', 'fd00:ec2::23', 'FD00:0EC2:0:0:0:0:0:0254']],
    ['Azure', ['168.63.129.16']],
    ['Alibaba', ['100.100.100.200', 'fd00:100::100:200']],
    ['Google', ['fd20:ce::254']],
    ['Oracle', ['192.0.0.192', 'fd00:c1::a9fe:a9fe']],
    ['Scaleway', ['fd00:42::42']],
    ['Linode', ['fd00:a9fe:a9fe::1']],
    ['IPv4-mapped', ['::ffff:169.254.169.254', '::ffff:a83f:8110', '::ffff:100.100.100.200']],
    ['IPv4-compatible and translated', ['::169.254.169.254', '::ffff:0:168.63.129.16']],
    [
      'NAT64',
      ['64:ff9b::a9fe:a9fe', '64:ff9b::169.254.0.23', '64:ff9b:1::168.63.129.16', '64:ff9b:1:a9fe:00a9:fe00::', '2001:db8:64::a83f:8110'],
    ],
    ['6to4 and Teredo', ['2002:a9fe:a9fe::1', '2002:a83f:8110::1', '2001:0:1:2:3:4:5601:5601', '2001:0:1:2:3:4:57c0:7eef']],
    ['ISATAP', ['2001:db8::5efe:169.254.169.254']],
  ])('is refused at %s, also where private networks are allowed', async (_, addresses) => {
    for (const allowPrivateNetworks of [false, true]) {
      for (const address of addresses) {
        const host = address.includes(':') ? `[${address}]` : address
        expect([host, isAllowedHost(host, { allowPrivateNetworks })]).toEqual([host, false])
        const resolve = async () => [{ address, family: address.includes(':') ? 6 : 4 }]
        const lookup = promisify(createGuardedLookup({ allowPrivateNetworks, resolve }))
        await expect(lookup('metadata.example', { all: true })).rejects.toMatchObject({ code: 'ERR_OUTBOUND_REFUSED' })
      }
    }
  })

  it.each(['http://2852039166/', 'http://0xa9.0xfe.43518/', 'http://0xa83f8110/', 'http://[::ffff:a9fe:a9fe]/', 'http://①⑥⑧.63.129.16/'])(
    'is refused when it is written as %s',
    (url) => expect(isAllowedHost(new URL(url).hostname, { allowPrivateNetworks: true })).toBe(false),
  )

  it.each(['168.63.129.15', '100.100.100.201', '169.253.255.255', '10.0.0.1', '127.0.0.1', 'fd00::1', '::1', '2606:4700::1111'])(
    'does not take %s with it, where private networks are allowed',
    (address) => expect(isAllowedHost(address, { allowPrivateNetworks: true })).toBe(true),
  )
})

describe('createGuardedLookup', () => {
  const lookup = (addresses: string[], { all, allowPrivateNetworks = false }: { all: boolean; allowPrivateNetworks?: boolean }) =>
    new Promise<string | LookupAddress[]>((resolve, reject) => {
      const resolveName = async (): Promise<ResolvedAddress[]> =>
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
      createGuardedLookup({ allowPrivateNetworks, resolve: resolveName })('name.example', { all }, (error, found) =>
        error ? reject(error) : resolve(found),
      )
    })

  it('hands on the public addresses only', async () => {
    expect(await lookup(['10.0.0.1', '8.8.8.8', '::1', '2606:4700::1111'], { all: true })).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ])
    expect(await lookup(['10.0.0.1', '8.8.8.8'], { all: false })).toBe('8.8.8.8')
  })

  it('refuses a name that has no public address, and says which', async () => {
    for (const all of [true, false]) {
      await expect(lookup(['127.0.0.1', 'fd00::1'], { all })).rejects.toMatchObject({
        code: 'ERR_OUTBOUND_REFUSED',
        message: 'name.example is not at a public address',
      })
      await expect(lookup([], { all })).rejects.toMatchObject({ code: 'ERR_OUTBOUND_REFUSED' })
    }
  })

  it('hands on private addresses where private networks are allowed', async () => {
    expect(await lookup(['127.0.0.1'], { all: false, allowPrivateNetworks: true })).toBe('127.0.0.1')
  })

  it('connects to the address that it checked, asking only once', async () => {
    const sink = await startHttpSink({})
    const asked: string[] = []
    // The second answer would be different.
    const resolve = async (name: string) => [{ address: asked.push(name) === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]
    const socket = connect({ host: 'name.example', port: sink.port, lookup: createGuardedLookup({ allowPrivateNetworks: true, resolve }) })
    await new Promise((done) => socket.once('connect', done))
    expect([socket.remoteAddress, asked]).toEqual(['127.0.0.1', ['name.example']])
    socket.destroy()
    await sink.close()
  })

  it("passes the resolver's failure on", async () => {
    const resolve = async () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }))
    await expect(
      new Promise((done, fail) =>
        createGuardedLookup({ allowPrivateNetworks: false, resolve })('x.example', {}, (error) => (error ? fail(error) : done(null))),
      ),
    ).rejects.toMatchObject({ code: 'ENOTFOUND' })
  })
})
