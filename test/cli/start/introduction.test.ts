import { describe, expect, it } from 'vitest'
import { accountMailProblem, describeDelivery, guessedHosts } from '../../../src/cli/start/introduction.ts'
import { readConfig } from '../../../src/config/config.ts'

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
  expect(describeDelivery(readConfig({ SMTP_RELAY_URL: url }))).toBe(`relay: mail goes to ${expected}`)
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
      ['MAIL_HOSTNAME is not set: the records of domains point to localhost'],
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

describe('mail of the installation', () => {
  const DIRECT = { DELIVERY: 'direct', MAIL_HOSTNAME: 'mail.example.net', PUBLIC_URL: 'https://api.example.net' }
  const RELAY = { DELIVERY: 'relay', SMTP_RELAY_URL: 'smtp://127.0.0.1' }
  const problem = (environment: Record<string, string>, verified: string[] = []) =>
    accountMailProblem(readConfig(environment), {
      repositories: { sendingDomains: { ownerAcrossTeams: async (name) => (verified.includes(name) ? 'a team' : null) } },
    })

  it('is known not to leave directly unless a team has verified its domain', async () => {
    expect(await problem(DIRECT)).toBe(
      'links are not mailed, because no team has verified mail.example.net: verify it, or set ACCOUNT_FROM to an address of a verified domain',
    )
    expect(await problem({ ...DIRECT, ACCOUNT_FROM: 'Posthaste <sign-in@Example.com>' }, ['example.com'])).toBe(null)
  })

  it('is known to be from no name that others know', async () => {
    expect(await problem(RELAY)).toBe('links are from posthaste@localhost, which few servers take: set ACCOUNT_FROM to an address of yours')
    expect(await problem({ ...RELAY, MAIL_HOSTNAME: 'mail.example.net' })).toBe(null)
    expect(await problem({ DELIVERY: 'capture' })).toBe(null)
  })

  it('is from an address', () => {
    expect(() => readConfig({ ACCOUNT_FROM: 'posthaste' })).toThrow(
      'ACCOUNT_FROM must be an address such as posthaste@example.com or Posthaste <posthaste@example.com>; it is "posthaste".',
    )
  })
})
