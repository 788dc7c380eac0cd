import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ProxyHeader, readProxyHeader } from '../../../../src/io/smtp/server/sockets.ts'

const SIGNATURE_2 = '0d0a0d0a000d0a515549540a'
const version2 = (hex: string) => Buffer.from(SIGNATURE_2 + hex.replaceAll(' ', ''), 'hex')

const complete = (bytes: number, client: { address: string; port: number } | null): ProxyHeader => ({ kind: 'complete', bytes, client })
const BROKEN = { kind: 'broken' }

const HEADERS: [string, Buffer, object][] = [
  [
    'a version 1 header',
    Buffer.from('PROXY TCP4 192.0.2.1 198.51.100.1 56324 25\r\n'),
    complete(44, { address: '192.0.2.1', port: 56324 }),
  ],
  [
    'a version 1 header of IPv6',
    Buffer.from('PROXY TCP6 2001:db8::1 2001:db8::2 56324 25\r\n'),
    complete(45, { address: '2001:db8::1', port: 56324 }),
  ],
  ['a version 1 header without an address', Buffer.from('PROXY UNKNOWN\r\n'), complete(15, null)],
  ['a version 1 header with an address that is none', Buffer.from('PROXY TCP4 mail 198.51.100.1 1 25\r\n'), BROKEN],
  ['a version 1 header with an address of another family', Buffer.from('PROXY TCP4 2001:db8::1 2001:db8::2 1 25\r\n'), BROKEN],
  ['a version 1 header that is cut', Buffer.from('PROXY TCP4 192.0.2.1\r\n'), BROKEN],
  ['a version 1 header that does not end', Buffer.from(`PROXY TCP4 ${'1'.repeat(120)}`), BROKEN],
  ['a version 2 header', version2('21 11 000c c0000201 c6336401 dc04 0019'), complete(28, { address: '192.0.2.1', port: 56324 })],
  [
    'a version 2 header of IPv6, with something added',
    version2('21 21 0028 20010db8000000000000000000000001 20010db8000000000000000000000002 dc04 0019 04 0001 00'),
    complete(56, { address: '2001:db8::1', port: 56324 }),
  ],
  ['a version 2 header of the proxy itself', version2('20 00 0000'), complete(16, null)],
  ['a version 2 header of a socket file', version2('21 31 0000'), BROKEN],
  ['a version 2 header that is too short for its addresses', version2('21 11 0004 c0000201'), BROKEN],
  ['a version 2 header that promises far more than one holds', version2('21 11 ffff'), BROKEN],
  ['a header of version 3', version2('31 11 000c c0000201 c6336401 dc04 0019'), BROKEN],
  ['a command', Buffer.from('EHLO mx.example.net\r\n'), BROKEN],
]

describe('the header of a proxy', () => {
  it.each(HEADERS)('reads %s', (_what, bytes, expected) => {
    expect(readProxyHeader(bytes)).toEqual(expected)
    if ('bytes' in expected) expect(readProxyHeader(Buffer.concat([bytes, Buffer.from('EHLO a\r\n')]))).toEqual(expected)
  })

  it.each(HEADERS.filter(([, , expected]) => 'bytes' in expected))('waits for the rest of %s', (_what, bytes) => {
    for (let end = 0; end < bytes.length; end += 1) expect(readProxyHeader(bytes.subarray(0, end))).toEqual({ kind: 'incomplete' })
  })

  it('never fails, and never names what is no address', () => {
    const beginnings = fc.constantFrom(Buffer.from('PROXY '), Buffer.from('PROXY TCP4 '), version2(''), version2('21 11'), Buffer.alloc(0))
    fc.assert(
      fc.property(beginnings, fc.uint8Array({ maxLength: 200 }), (beginning, rest) => {
        const header = readProxyHeader(Buffer.concat([beginning, rest]))
        if (header.kind === 'complete' && header.client) expect(header.client.address).toMatch(/^[\d.]+$|^[\da-f:.]+$/i)
      }),
    )
  })
})
