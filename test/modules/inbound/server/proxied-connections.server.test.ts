import { afterEach, describe, expect, it, vi } from 'vitest'
import { createAddressRanges, networkOf, peerOf } from '../../../../src/lib/peer-addresses.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { MAIL_HOSTNAME, startInboundService } from '../../../support/servers/mail-services.ts'
import { shared } from '../../../support/servers/service.ts'

const clock = createMovingClock()
const service = shared(() =>
  startInboundService({
    clock,
    environment: { INBOUND_TRUST_PROXY: '127.0.1.0/24', TRUST_PROXY: '127.0.2.0/24' },
    inboundLimits: { proxyHeaderMsMax: 60_000 },
  }),
)
const impatient = shared(() =>
  startInboundService({ clock, environment: { INBOUND_TRUST_PROXY: '127.0.1.0/24' }, inboundLimits: { proxyHeaderMsMax: 1_000 } }),
)

afterEach(async () => {
  vi.restoreAllMocks()
  await service.forget()
})

const PROXY = { localAddress: '127.0.1.7' }
const VERSION_2 = Buffer.from('0d0a0d0a000d0a515549540a2111000cc0000209c6336401dc040019', 'hex')

describe('a connection from an address of INBOUND_TRUST_PROXY', () => {
  it.each([
    ['a header of version 1', 'PROXY TCP4 192.0.2.9 198.51.100.1 56324 25\r\n', '192.0.2.9'],
    ['a header of version 2', VERSION_2, '192.0.2.9'],
    ['a header that names no client', 'PROXY UNKNOWN\r\n', '127.0.1.7'],
  ])('with %s comes from the peer that it names', async (_what, header, peer) => {
    const client = await service.connect(PROXY)
    client.write(header)
    expect(await client.sendMessage(`postmaster@${MAIL_HOSTNAME}`, 'Subject: a\r\n\r\n')).toMatch(/^250 /)
    expect(await service.stored()).toMatchObject([{ peer }])
  })

  it.each([
    ['that begins with a command', 'EHLO mx.example.net\r\n', service],
    ['that says nothing', '', impatient],
  ])('%s is refused, and the log names the variable, once a minute', async (_what, bytes, server) => {
    clock.advance(60_001)
    const warn = vi.spyOn(server.service.context.log, 'warn')
    for (let count = 0; count < 2; count += 1) {
      const client = await server.connect(PROXY)
      if (bytes !== '') client.write(bytes)
      expect(await client.ended()).toBe('421 4.3.0 A connection from this address must begin with a PROXY header (INBOUND_TRUST_PROXY)\r\n')
    }
    expect(warn.mock.calls).toEqual([
      [{ peer: '127.0.1.7' }, 'SMTP connection without a PROXY header refused: INBOUND_TRUST_PROXY names its address'],
    ])
  })

  it('that ends at once, as a health check does, is no mistake', async () => {
    const warn = vi.spyOn(service.service.context.log, 'warn')
    const client = await service.connect(PROXY)
    client.socket.end()
    expect(await client.ended()).toBe('')
    expect(warn).not.toHaveBeenCalled()
  })
})

it('TRUST_PROXY is about HTTP alone: its addresses send mail without a header', async () => {
  const client = await service.connect({ localAddress: '127.0.2.7' })
  expect(await client.sendMessage(`postmaster@${MAIL_HOSTNAME}`, 'Subject: a\r\n\r\n')).toMatch(/^250 /)
  expect(await service.stored()).toMatchObject([{ peer: '127.0.2.7' }])
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

it('a network is the /24 of an IPv4 address, and the /48 of an IPv6 address', () => {
  expect(networkOf('::ffff:192.0.2.1')).toBe(networkOf('192.0.2.254'))
  expect(networkOf('192.0.3.1')).not.toBe(networkOf('192.0.2.1'))
  expect(networkOf('2001:db8:1:2::3')).toBe(networkOf('2001:db8:1:ffff::4'))
  expect(networkOf('2001:db8:2::3')).not.toBe(networkOf('2001:db8:1::3'))
})
