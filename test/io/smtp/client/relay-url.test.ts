import { describe, expect, it } from 'vitest'
import { needsTls, parseRelayUrl } from '../../../../src/io/smtp/client/relay-url.ts'
import { StartupProblem } from '../../../../src/lib/startup-problem.ts'

const PLAIN = { host: 'mail.example.com', port: 587, implicitTls: false, requireTls: false, verifyCertificate: true, credentials: null }
const CREDENTIALS = { user: 'u', password: 'p' }

describe('parseRelayUrl', () => {
  it.each([
    ['smtp://mail.example.com', PLAIN],
    ['smtp://mail.example.com:25', { ...PLAIN, port: 25 }],
    ['smtps://mail.example.com', { ...PLAIN, port: 465, implicitTls: true }],
    ['smtp://mail.example.com?requireTLS=true', { ...PLAIN, requireTls: true }],
    ['smtp://mail.example.com/?tls.rejectUnauthorized=false', { ...PLAIN, verifyCertificate: false }],
    [
      'smtp://me%40example.com:p%40ss%3A%25@mail.example.com',
      { ...PLAIN, requireTls: true, credentials: { user: 'me@example.com', password: 'p@ss:%' } },
    ],
    ['smtp://u:p@mail.example.com?requireTLS=false', { ...PLAIN, credentials: CREDENTIALS }],
    ['smtp://u:p@localhost', { ...PLAIN, host: 'localhost', requireTls: 'unlessHere', credentials: CREDENTIALS }],
    ['smtp://u:p@127.1.2.3', { ...PLAIN, host: '127.1.2.3', requireTls: 'unlessHere', credentials: CREDENTIALS }],
    ['smtp://u:p@[::1]', { ...PLAIN, host: '::1', requireTls: 'unlessHere', credentials: CREDENTIALS }],
    ['smtp://u:p@localhost?requireTLS=false', { ...PLAIN, host: 'localhost', credentials: CREDENTIALS }],
    ['smtp://u:p@localhost?requireTLS=true', { ...PLAIN, host: 'localhost', requireTls: true, credentials: CREDENTIALS }],
    ['smtp://u:p@localhost.example.com', { ...PLAIN, host: 'localhost.example.com', requireTls: true, credentials: CREDENTIALS }],
    ['smtp://u:p@mail.localhost', { ...PLAIN, host: 'mail.localhost', requireTls: true, credentials: CREDENTIALS }],
    ['smtp://u:p@10.0.0.1', { ...PLAIN, host: '10.0.0.1', requireTls: true, credentials: CREDENTIALS }],
    ['smtp://[::1]:2525', { ...PLAIN, host: '::1', port: 2525 }],
  ])('reads %s', (url, expected) => {
    expect(parseRelayUrl(url)).toEqual(expected)
  })

  it.each([
    'mail.example.com',
    'http://mail.example.com',
    'smtp://',
    'smtp://user@mail.example.com',
    'smtp://user:50%@mail.example.com',
    'smtp://user:secret@mail.example.com?requireTLS=yes',
    'smtp://user:secret@mail.example.com?pool=true',
    'smtp://user:secret@mail.example.com?requireTLS=true&requireTLS=false',
    'smtp://user:secret@mail.example.com?requireTLS=true&requireTLS=true',
  ])('refuses %s in one line, without the password', (url) => {
    expect(() => parseRelayUrl(url)).toThrow(StartupProblem)
    expect(() => parseRelayUrl(url)).toThrow(/^SMTP_RELAY_URL (?!.*(secret|50%)).+\.$/)
  })
})

describe('needsTls', () => {
  it.each([
    ['smtp://u:p@localhost', '127.0.0.1', false],
    ['smtp://u:p@localhost', '::1', false],
    ['smtp://u:p@localhost', '::ffff:127.0.0.1', false],
    ['smtp://u:p@localhost', '192.0.2.1', true],
    ['smtp://u:p@localhost', undefined, true],
    ['smtp://localhost', '192.0.2.1', false],
    ['smtp://u:p@localhost?requireTLS=false', '192.0.2.1', false],
    ['smtp://u:p@relay.example', '127.0.0.1', true],
  ])('%s, answered by %s: %s', (url, peerAddress, expected) => {
    expect(needsTls(parseRelayUrl(url), peerAddress)).toBe(expected)
  })
})
