import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createAddressRanges, peerOf } from '../../src/lib/inbound/peer-addresses.ts'
import { type InboundService, MAIL_HOSTNAME, startInboundService } from '../support/servers/inbound-service.ts'

let service: InboundService
beforeAll(async () => {
  service = await startInboundService({
    environment: { TRUST_PROXY: '127.0.1.0/24' },
    inboundLimits: { proxyHeaderMsMax: 100 },
  })
})
afterAll(() => service.close())
afterEach(() => service.forget())

const PROXY = { localAddress: '127.0.1.7' }
const VERSION_2 = Buffer.from('0d0a0d0a000d0a515549540a2111000cc0000209c6336401dc040019', 'hex')

describe('a connection from an address of TRUST_PROXY', () => {
  it.each([
    ['a header of version 1', 'PROXY TCP4 192.0.2.9 198.51.100.1 56324 25\r\n', '192.0.2.9'],
    ['a header of version 2', VERSION_2, '192.0.2.9'],
    ['a header that names no client', 'PROXY UNKNOWN\r\n', '127.0.1.7'],
  ])('with %s comes from whom it names', async (_what, header, peer) => {
    const client = await service.connect(PROXY)
    client.write(header)
    expect(await client.sendMessage(`postmaster@${MAIL_HOSTNAME}`, 'Subject: a\r\n\r\n')).toMatch(/^250 /)
    expect(await service.stored()).toMatchObject([{ peer }])
  })

  it.each([
    ['that begins with a command', 'EHLO mx.example.net\r\n'],
    ['that says nothing', ''],
  ])('%s is closed', async (_what, bytes) => {
    const client = await service.connect(PROXY)
    if (bytes !== '') client.write(bytes)
    expect(await client.ended()).toBe('')
  })
})

it('a header from any other address is an unknown command, and changes nothing', async () => {
  const client = await service.connect()
  await client.reply()
  expect(await client.say('PROXY TCP4 192.0.2.9 198.51.100.1 56324 25')).toBe('500 5.5.2 Error: command not recognized')
  expect(await client.sendMessage(`postmaster@${MAIL_HOSTNAME}`, 'Subject: a\r\n\r\n')).toMatch(/^250 /)
  expect(await service.stored()).toMatchObject([{ peer: '127.0.0.1' }])
})

it.each([
  ['192.0.2.1', true],
  ['::ffff:192.0.2.1', true],
  ['192.0.2.2', false],
  ['10.1.2.3', true],
  ['2001:db8::5', true],
  ['2001:db9::5', false],
  ['nothing', false],
])('%s is one of the addresses and ranges: %s', (address, expected) => {
  expect(createAddressRanges(['192.0.2.1', '10.0.0.0/8', '2001:db8::/32'])(address)).toBe(expected)
})

it('limits hold for an IPv4 address, however it is written, and for the /64 of an IPv6 address', () => {
  expect(peerOf('::ffff:192.0.2.1')).toBe(peerOf('192.0.2.1'))
  expect(peerOf('2001:db8:1:2::3')).toBe(peerOf('2001:db8:1:2:ffff::4'))
  expect(peerOf('2001:db8:1:3::3')).not.toBe(peerOf('2001:db8:1:2::3'))
})
