import { describe, expect, it } from 'vitest'
import { type InstallationSettings, installationRecords, mtaStsPolicy } from '../../../src/modules/deliverability/installation-records.ts'
import { zoneLines } from '../../../src/modules/domains/records/zone-lines.ts'

const WHOLE: InstallationSettings = {
  mailHostname: 'mail.example.com',
  sendingAddresses: ['192.0.2.25', '2001:db8::25'],
  spfInclude: '_spf.example.com',
  trackingHost: 'track.example.com',
  publicUrl: 'https://api.example.com',
}
const NOTHING_SET: InstallationSettings = {
  mailHostname: 'localhost',
  sendingAddresses: null,
  spfInclude: null,
  trackingHost: 'localhost',
  publicUrl: null,
}
const linesOf = (settings: InstallationSettings) =>
  installationRecords(settings).records.map(({ need, type, host, value }) => [need, type, host, value])

describe('the records of an installation', () => {
  it('are those of its hosts and addresses', () => {
    expect(linesOf(WHOLE)).toEqual([
      ['needed', 'A', 'mail.example.com', '192.0.2.25'],
      ['needed', 'AAAA', 'mail.example.com', '2001:db8::25'],
      ['needed', 'PTR', '25.2.0.192.in-addr.arpa', 'mail.example.com'],
      ['needed', 'PTR', '5.2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa', 'mail.example.com'],
      ['needed', 'TXT', '_spf.example.com', 'v=spf1 ip4:192.0.2.25 ip6:2001:db8::25 -all'],
      ['needed', 'A', 'api.example.com', null],
      ['needed', 'CNAME', 'track.example.com', 'api.example.com'],
      ['recommended', 'TXT', 'mail.example.com', 'v=spf1 a -all'],
      ['recommended', 'TXT', '_dmarc.mail.example.com', 'v=DMARC1; p=reject;'],
      ['optional', 'TXT', '_smtp._tls.mail.example.com', 'v=TLSRPTv1; rua=mailto:postmaster@example.com'],
      ['optional', 'TXT', '_mta-sts.mail.example.com', expect.stringMatching(/^v=STSv1; id=[\da-f]{16}$/)],
    ])
    expect(installationRecords(WHOLE).unset).toEqual([])
  })

  it('are none for what is not set, which is said', () => {
    expect(installationRecords(NOTHING_SET)).toEqual({
      records: [],
      unset: [
        'MAIL_HOSTNAME is not set: set it to the public name of this server, such as mail.example.com.',
        'SENDING_IPS is not set: set it to the public addresses from which mail leaves.',
        'PUBLIC_URL is not set: set it to the https address under which recipients reach this service.',
      ],
      notes: [
        'Each domain has records of its own, such as MX and SPF of its return path host: GET /domains/{id} shows them.',
        'SPF_INCLUDE is not set: the SPF record of every domain names the senders itself, and changes whenever they change.',
      ],
    })
  })

  it('names an address of this machine that no recipient reaches', () => {
    expect(installationRecords({ ...WHOLE, publicUrl: 'http://localhost:3000' }).unset).toEqual([
      'PUBLIC_URL is http://localhost:3000: set it to the https address under which recipients reach this service.',
    ])
  })

  it.each<[string, Partial<InstallationSettings>, unknown[]]>([
    ['an address that is not known', { sendingAddresses: null, spfInclude: null }, [['needed', 'A', 'mail.example.com', null]]],
    [
      'the SPF host without addresses',
      { sendingAddresses: null },
      [
        ['needed', 'A', 'mail.example.com', null],
        ['needed', 'TXT', '_spf.example.com', null],
      ],
    ],
    ['no SPF host of someone else', { sendingAddresses: [], spfInclude: 'spf.relay.example' }, []],
    ['no SPF host under the same public suffix', { sendingAddresses: [], mailHostname: 'mail.a.co.uk', spfInclude: 'spf.b.co.uk' }, []],
  ])('name %s', (_, settings, expected) => {
    const needed = linesOf({ ...WHOLE, publicUrl: null, trackingHost: 'localhost', ...settings }).filter(([need]) => need === 'needed')
    expect(needed).toEqual(expected)
  })

  it.each([
    ['the mail server', 'https://mail.example.com'],
    ['an address', 'https://192.0.2.25'],
    ['an IPv6 address', 'https://[2001:db8::25]:8443'],
    ['this machine', 'http://localhost:3000'],
  ])('name no web server where it is %s', (_, publicUrl) => {
    const { hostname } = new URL(publicUrl)
    expect(
      linesOf({ ...WHOLE, publicUrl, trackingHost: hostname }).filter(([, type, host]) => type === 'A' && host !== 'mail.example.com'),
    ).toEqual([])
  })

  it('say where bounces come in', () => {
    expect(installationRecords(WHOLE).notes).toContain(
      'Other servers deliver bounces to port 25 of mail.example.com: forward it to the SMTP server (INBOUND_HOST, INBOUND_PORT).',
    )
  })

  it('say that an SPF host belongs to someone else', () => {
    expect(installationRecords({ ...WHOLE, spfInclude: 'spf.relay.example' }).notes).toContain(
      'spf.relay.example (SPF_INCLUDE) belongs to someone else, who publishes its SPF record.',
    )
  })

  it('have another id for another MTA-STS policy', () => {
    const idOf = (mailHostname: string) => linesOf({ ...WHOLE, mailHostname }).at(-1)?.[3]
    expect(mtaStsPolicy('mail.example.com')).toBe('version: STSv1\nmode: testing\nmx: mail.example.com\nmax_age: 86400')
    expect(idOf('a.example.com')).not.toBe(idOf('b.example.com'))
  })
})

it('a zone file has a line for each record, and a comment for what is not known', () => {
  const { records } = installationRecords(WHOLE)
  expect(zoneLines(records).slice(0, 8)).toEqual([
    'mail.example.com. 3600 IN A 192.0.2.25',
    'mail.example.com. 3600 IN AAAA 2001:db8::25',
    '25.2.0.192.in-addr.arpa. 3600 IN PTR mail.example.com.',
    '5.2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa. 3600 IN PTR mail.example.com.',
    '_spf.example.com. 3600 IN TXT "v=spf1 ip4:192.0.2.25 ip6:2001:db8::25 -all"',
    '; api.example.com. 3600 IN A (not known: the web server of PUBLIC_URL, or the proxy in front of it)',
    'track.example.com. 3600 IN CNAME api.example.com.',
    'mail.example.com. 3600 IN TXT "v=spf1 a -all"',
  ])
})

it('a zone file cuts a long text into strings, and escapes quotes', () => {
  const text = { type: 'TXT', host: 'a.example', need: 'needed', purpose: '' } as const
  expect(
    zoneLines([
      { ...text, value: 'x'.repeat(300) },
      { ...text, value: 'a "b" \\' },
    ]),
  ).toEqual([`a.example. 3600 IN TXT "${'x'.repeat(255)}" "${'x'.repeat(45)}"`, 'a.example. 3600 IN TXT "a \\"b\\" \\\\"'])
})
