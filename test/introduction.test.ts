import { describe, expect, it } from 'vitest'
import { readConfig } from '../src/config.ts'
import { deliveryOf, guessedHosts } from '../src/introduction.ts'

it.each([
  ['smtp://mail.example.com', 'mail.example.com:587, over TLS where it is offered'],
  ['smtps://mail.example.com', 'mail.example.com:465, over TLS only'],
  ['smtp://anna:hunter2@mail.example.com', 'mail.example.com:587, over TLS only'],
  [
    'smtp://anna:hunter2@mail.example.com?requireTLS=false',
    'mail.example.com:587, over TLS where it is offered, otherwise with the password in the clear (requireTLS=false)',
  ],
  ['smtps://anna:hunter2@mail.example.com?tls.rejectUnauthorized=false', 'mail.example.com:465, over TLS only, whatever its certificate'],
  ['smtp://anna:hunter2@[::1]:25', '[::1]:25, over TLS where it is offered (this machine; the password may go without TLS)'],
  ['smtp://127.0.0.1:2526', '127.0.0.1:2526, over TLS where it is offered (this machine)'],
])('says who can read what goes to %s', (url, expected) => {
  expect(deliveryOf(readConfig({ SMTP_RELAY_URL: url }))).toBe(`relay: mail goes to ${expected}`)
})

describe('the hosts that DNS records name', () => {
  const DIRECT = { DELIVERY: 'direct', MAIL_HOSTNAME: 'mail.example.net', PUBLIC_URL: 'https://api.example.net' }
  const IPS = 'SENDING_IPS is not set: SPF records permit a:mail.example.net'
  const TRACKING = 'TRACKING_HOST is not set: links of tracked emails lead to api.example.net'

  it.each([
    [{}, [IPS, TRACKING]],
    [{ SENDING_IPS: '192.0.2.25' }, [TRACKING]],
    [{ SPF_INCLUDE: 'spf.example.net', TRACKING_HOST: 'links.example.net' }, []],
    [{ TRACKING_HOST: 'links.example.net' }, [IPS]],
    [{ DELIVERY: 'capture', MAIL_HOSTNAME: 'localhost' }, []],
    [{ DELIVERY: 'relay', SMTP_RELAY_URL: 'smtp://127.0.0.1' }, []],
    [
      { DELIVERY: 'relay', SMTP_RELAY_URL: 'smtp://127.0.0.1', MAIL_HOSTNAME: 'localhost' },
      ['MAIL_HOSTNAME is not set: the records of domains lead to localhost'],
    ],
    [
      { DELIVERY: 'relay', SMTP_RELAY_URL: 'smtp://127.0.0.1', PUBLIC_URL: '' },
      ['PUBLIC_URL and TRACKING_HOST are not public names: links of tracked emails lead to localhost'],
    ],
    [{ DELIVERY: 'relay', SMTP_RELAY_URL: 'smtp://127.0.0.1', PUBLIC_URL: '', TRACKING_HOST: 'links.example.net' }, []],
  ])('are told where mail leaves this machine and they are guesses: %j', (more, lines) => {
    expect(guessedHosts(readConfig({ ...DIRECT, ...more }))).toEqual(lines)
  })
})
