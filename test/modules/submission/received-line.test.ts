import { expect, it } from 'vitest'
import { receivedLine } from '../../../src/modules/submission/submission-headers.ts'

const ABOUT = { id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c76', date: new Date('2024-01-02T03:04:05Z') }
const of = (helo: string) => receivedLine({ helo, protocol: 'ESMTPSA', host: 'mail.example.com' }, ABOUT)

it('says who took the message, from whom, how, as which email and when', () => {
  expect(of('app.example.net')).toBe(
    'Received: from app.example.net by mail.example.com\r\n with ESMTPSA id 0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c76;\r\n Tue, 02 Jan 2024 03:04:05 +0000',
  )
})

it.each([
  '[192.0.2.1]',
  '192.0.2.1',
  '[IPv6:2001:db8::1]',
  'a b',
  'x\r\nBcc: y@z',
  'ü.example',
  `${'a'.repeat(300)}.example`,
  '',
  '-a.example',
])('names no address of the client, and nothing that is no name: %j', (helo) =>
  expect(of(helo)).toContain('Received: from unknown by mail.example.com\r\n'),
)
