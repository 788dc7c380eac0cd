import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createVerifiedDomain } from '../support/builders/domains.ts'
import { until } from '../support/clocks/until.ts'
import { type DnsServer, startDnsServer } from '../support/servers/dns-server.ts'
import { useCommandsBesideService } from './use-commands.ts'

const { service, commandWith, errorsWith } = useCommandsBesideService()
let dns: DnsServer

beforeAll(async () => {
  await createVerifiedDomain(service(), 'example.com', {})
  await service().database.execute('update domains set can_send = true')
})
beforeEach(async () => {
  dns = await startDnsServer({
    'mail.example.test': { A: ['127.0.0.25'], TXT: ['v=spf1 a -all'] },
    'web.example.test': { A: ['127.0.0.1'] },
    '25.0.0.127.in-addr.arpa': { PTR: ['mail.example.test'] },
    '_dmarc.example.com': { TXT: ['v=DMARC1; p=none; rua=mailto:a\u001b[31m@example.com'] },
  })
})
afterEach(() => dns.close())

/** The provider has no mail servers. */
const environment = (): Record<string, string> => ({
  DNS_SERVERS: dns.address,
  DELIVERY: 'direct',
  MAIL_HOSTNAME: 'mail.example.test',
  // No one listens at this port.
  PUBLIC_URL: 'https://web.example.test:1',
  PROBE_DOMAIN: 'provider.test',
  ALLOW_PRIVATE_NETWORKS: 'true',
})
const doctor = (changes: Record<string, string> = {}, ...args: string[]) => commandWith({ ...environment(), ...changes }, 'doctor', ...args)

// Each is asked again when it differs: the DNS server of this process may answer later than the command waits.
describe('doctor', () => {
  it('prints the worst first, each with what to do, and ends with 0 without a problem', async () => {
    await until(async () => {
      const { status, out, errors } = await doctor()

      expect({ status, errors }).toEqual({ status: 0, errors: errorsWith() })
      expect(out.trimEnd().split('\n')).toEqual([
        'warning  certificate  web.example.test: It cannot be reached from this machine: ECONNREFUSED.',
        '                      Open a link from another network; if it fails, start the web server of PUBLIC_URL or open its port.',
        'warning  inbound      mail.example.test: Bounces may not come back: No connection to mail.example.test (127.0.0.25) port 25: ECONNREFUSED.',
        '                      Forward port 25 to the SMTP server of this service (INBOUND_HOST, INBOUND_PORT), and check it from another network: some networks do not reach their own public address.',
        'unknown  clock        this machine: There was no other clock to compare with.',
        '                      Check by hand that the clock is synchronized (`timedatectl`).',
        'unknown  port-25      provider.test: It has no mail server to connect to.',
        '                      Set PROBE_DOMAIN to a domain of a large provider.',
        `ok       resolver     ${dns.address}: It answers.`,
        'ok       reverse      127.0.0.25: Its name is mail.example.test, which points back to it.',
        'ok       dmarc        example.com: It has a DMARC policy at _dmarc.example.com.',
        'ok       hostname     mail.example.test: It points to 127.0.0.25.',
        'ok       hello-spf    mail.example.test: Its SPF record permits 127.0.0.25.',
        'skipped  tls-rpt      mail.example.test: It asks for no reports of TLS failures; that is optional.',
        'skipped  mta-sts      mail.example.test: It announces no MTA-STS policy; that is optional.',
        '',
        '2 warning, 2 unknown, 5 ok, 2 skipped.',
      ])
    })
  })

  it('ends with 1 when there is a problem, and prints the same as JSON', async () => {
    dns.zone['25.0.0.127.in-addr.arpa'] = { PTR: ['other.example.test'] }
    dns.zone['_dmarc.example.com'] = { TXT: ['v=DMARC1; p=\u001b[31m'] }
    await until(async () => {
      const { status, out } = await doctor({}, '--json')

      expect(status).toBe(1)
      expect(out).not.toContain('\u001b')
      expect(JSON.parse(out)).toMatchObject({
        object: 'deliverability',
        status: 'problem',
        note: null,
        checks: [
          {
            name: 'reverse',
            subject: '127.0.0.25',
            state: 'problem',
            found: 'It has the name other.example.test, which does not point back to it.',
            advice: 'Publish an address record of that name for 127.0.0.25, or have its reverse DNS set to mail.example.test.',
          },
          { name: 'certificate', state: 'warning' },
          { name: 'dmarc', state: 'warning', found: 'Its DMARC policy is not valid: "v=DMARC1; p= [31m"' },
          ...Array.from({ length: 8 }, () => expect.anything()),
        ],
      })
    })
  })

  it('says in one line that nothing applies where mail never leaves, without a database', async () => {
    const { status, out, errors } = await doctor({ DELIVERY: 'capture', DATABASE_URL: '' })
    expect({ status, out, errors }).toEqual({
      status: 0,
      out: 'DELIVERY is capture: mail never leaves this machine, so there is nothing to check.\n',
      errors: '',
    })
  })

  it('checks what needs no database before the first start', async () => {
    await until(async () => {
      const { status, out, errors } = await doctor({ DATABASE_URL: '' })
      expect({ status, errors }).toEqual({ status: 0, errors: expect.stringContaining('only `start` makes one') })
      expect(out).toContain('ok       hostname     mail.example.test')
      expect(out).toContain('unknown  dmarc        verified domains: They are not known without the database.\n')
    })
  })
})

describe('dns', () => {
  const records = (changes: Record<string, string>, ...args: string[]) =>
    commandWith({ ...environment(), PUBLIC_URL: 'https://api.example.test', ...changes }, 'dns', ...args)

  it('prints the records that the configuration asks for, without a database', async () => {
    const { status, out, errors } = await records({ SENDING_IPS: '192.0.2.25' })

    expect({ status, errors }).toEqual({ status: 0, errors: '' })
    expect(out.split('\n').map((line) => line.split(/ {2,}/).slice(0, 4))).toEqual(
      expect.arrayContaining([
        ['NEED', 'TYPE', 'NAME', 'VALUE'],
        ['needed', 'A', 'mail.example.test', '192.0.2.25'],
        ['needed', 'PTR', '192.0.2.25', 'mail.example.test'],
        ['needed', 'A', 'api.example.test', '(a public address)'],
        ['recommended', 'TXT', 'mail.example.test', 'v=spf1 a -all'],
        ['The MTA-STS policy of mail.example.test:'],
        ['', 'mx: mail.example.test'],
      ]),
    )
  })

  it('says what is not set, and prints a zone file that says what is not known', async () => {
    const { status, out, errors } = await records({}, '--zone')
    expect({ status, errors }).toEqual({
      status: 1,
      errors: 'SENDING_IPS is not set: set it to the public addresses from which mail leaves.\n',
    })
    expect(out.split('\n').slice(0, 3)).toEqual([
      '; mail.example.test. 3600 IN A (not known: the name in EHLO, and where bounces go)',
      '; api.example.test. 3600 IN A (not known: the web server of PUBLIC_URL, or the proxy in front of it)',
      'mail.example.test. 3600 IN TXT "v=spf1 a -all"',
    ])
  })

  it('prints the same as JSON', async () => {
    const { out } = await records({ SENDING_IPS: '192.0.2.25' }, '--json')
    expect(JSON.parse(out)).toEqual({
      records: expect.arrayContaining([
        { name: 'mail.example.test', type: 'A', value: '192.0.2.25', need: 'needed', purpose: 'the name in EHLO, and where bounces go' },
        {
          name: '25.2.0.192.in-addr.arpa',
          type: 'PTR',
          address: '192.0.2.25',
          value: 'mail.example.test',
          need: 'needed',
          purpose: 'the name of the address, which its provider sets',
        },
      ]),
      mta_sts_policy: 'version: STSv1\nmode: testing\nmx: mail.example.test\nmax_age: 86400',
      notes: expect.any(Array),
      unset: [],
    })
    expect(await records({}, '--json', '--zone')).toMatchObject({ status: 2, out: '' })
  })
})

describe('doctor --plan', () => {
  it('says which contacts, segments and automations an update changes', async () => {
    const { database, teamId, call } = service()
    await call('POST', '/contacts', { body: { email: 'blank@example.com', first_name: ' \u00a0' } })
    await call('POST', '/contacts', { body: { email: 'named@example.com', first_name: 'Ada' } })
    await call('POST', '/segments', { body: { name: 'Named', filter: { field: 'first_name', operator: 'is_set' } } })
    await call('POST', '/segments', { body: { name: 'Others', filter: { field: 'email', operator: 'contains', value: 'x' } } })
    const { status, out } = await commandWith({}, 'doctor', '--plan', '--json')
    expect({ status, teams: JSON.parse(out).teams }).toEqual({
      status: 0,
      teams: [{ team_id: teamId, contacts: 1, segments: ['Named'], automations: [] }],
    })
    expect((await database.execute('select from contacts')).length).toBe(2)
  })
})
