import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../../../src/config/config.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { checkDeliverability, type DeliverabilityDependencies } from '../../../src/modules/deliverability/deliverability.service.ts'
import type { DeliverabilityReport } from '../../../src/modules/deliverability/findings.ts'
import { createProbes, type Probes } from '../../../src/modules/deliverability/probes.client.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { type DnsRecords, type DnsServer, startDnsServer } from '../../support/servers/dns-server.ts'
import { type ScriptedServer, startScriptedServer } from '../../support/servers/smtp-sink.ts'

const HOST = 'mail.example.test'
const ADDRESS = '127.0.0.25'
const ENVIRONMENT = {
  DELIVERY: 'direct',
  MAIL_HOSTNAME: HOST,
  PUBLIC_URL: 'https://api.example.test',
  SENDING_IPS: `${ADDRESS},2001:db8::25`,
  SPF_INCLUDE: '_spf.example.test',
  DNSBL_ZONES: 'list.test',
  PROBE_DOMAIN: 'provider.test',
  ALLOW_PRIVATE_NETWORKS: 'true',
}
const REVERSE_V6 = '5.2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa'

/** Everything is as it should be. */
const wholeZone = (): Record<string, DnsRecords> => ({
  [HOST]: { A: [ADDRESS], AAAA: ['2001:db8::25'], TXT: ['v=spf1 a -all'] },
  '25.0.0.127.in-addr.arpa': { PTR: [HOST] },
  [REVERSE_V6]: { PTR: [HOST] },
  '_spf.example.test': { TXT: [`v=spf1 ip4:${ADDRESS} ip6:2001:db8::25 -all`] },
  'api.example.test': { A: ['127.0.0.1'] },
  'provider.test': { MX: [[5, 'mx.provider.test']] },
  'mx.provider.test': { A: ['127.0.0.1'] },
  'mta-sts.provider.test': { A: ['127.0.0.1'] },
  '_dmarc.example.com': { TXT: ['v=DMARC1; p=none;'] },
})

const clock = createMovingClock()
const IN_A_YEAR = new Date(clock.now().getTime() + 365 * 86_400_000)
const HTTPS: Probes['openHttps'] = async () => ({ kind: 'answered', fault: null, validTo: IN_A_YEAR, date: clock.now() })
const GREETED_BY_US: ReturnType<Probes['greet']> = Promise.resolve({ host: HOST, address: ADDRESS, kind: 'ready', tls: 'TLSv1.3' })
const DOMAINS = [{ name: 'news.example.com', root: 'example.com' }]

let dns: DnsServer
let smtp: ScriptedServer
beforeEach(async () => {
  dns = await startDnsServer(wholeZone())
  smtp = await startScriptedServer({ greeting: '220 mx.provider.test', reply: () => null })
})
afterEach(() => Promise.all([dns.close(), smtp.close()]))

type Changes = { environment?: Record<string, string | undefined>; probes?: Partial<Probes>; domains?: typeof DOMAINS } & Partial<
  Pick<DeliverabilityDependencies, 'repositories' | 'timeMsMax' | 'clock'> & { patience: number }
>

function check({ environment = {}, probes = {}, domains = DOMAINS, patience = 10, ...rest }: Changes = {}): Promise<DeliverabilityReport> {
  const config = readConfig({ ...ENVIRONMENT, DNS_SERVERS: dns.address, ...environment })
  const made = createProbes(config, { mailPort: smtp.port, patience })
  return checkDeliverability({
    config,
    probes: { ...made, greet: (server) => (server.host === HOST ? GREETED_BY_US : made.greet(server)), openHttps: HTTPS, ...probes },
    repositories: {
      health: { answers: async () => true, hasRoom: async () => true, schema: async () => null, now: async () => clock.now() },
      verifiedDomains: { listUnprovenAcrossTeams: async () => [], listAcrossTeams: async (limit) => domains.slice(0, limit) },
    },
    clock,
    ...rest,
  })
}

const linesOf = ({ findings }: DeliverabilityReport) => findings.map(({ state, check, subject }) => `${state} ${check} ${subject}`)

describe('an installation', () => {
  it('whose records, addresses and ways are right has no problem', async () => {
    const report = await check()
    expect(report).toMatchObject({ status: 'ok', checkedAt: clock.now(), note: null })
    expect(linesOf(report)).toEqual([
      `ok resolver ${dns.address}`,
      `ok reverse ${ADDRESS}`,
      'ok reverse 2001:db8::25',
      'ok certificate api.example.test',
      'ok clock this machine',
      'ok dmarc news.example.com',
      'ok blocklist list.test',
      `ok hostname ${HOST}`,
      `ok hello-spf ${HOST}`,
      'ok port-25 provider.test',
      `ok inbound ${HOST}`,
      'ok spf-include _spf.example.test',
      `skipped tls-rpt ${HOST}`,
      `skipped mta-sts ${HOST}`,
    ])
  })

  it('of which everything is wrong is told so, the worst first, with what to do', async () => {
    Object.assign(dns.zone, {
      [HOST]: { TXT: ['v=spf1 -all'] },
      '25.0.0.127.in-addr.arpa': {},
      [REVERSE_V6]: { PTR: ['elsewhere.test'] },
      '_spf.example.test': { TXT: ['v=spf1 ip4:192.0.2.1 -all'] },
      'api.example.test': {},
      '_dmarc.example.com': {},
      '25.0.0.127.list.test': { A: ['127.0.0.2'], TXT: ['why'] },
      [`_smtp._tls.${HOST}`]: { TXT: ['v=TLSRPTv1; rua=nobody'] },
      [`_mta-sts.${HOST}`]: { TXT: ['v=STSv1; id=1'] },
    })
    await smtp.close()
    const probes: Partial<Probes> = {
      openHttps: async () => ({ kind: 'answered', fault: null, validTo: IN_A_YEAR, date: new Date(clock.now().getTime() + 3_600_000) }),
    }
    const report = await check({ probes })
    expect(report.status).toBe('problem')
    expect(linesOf(report)).toEqual([
      `problem reverse ${ADDRESS}`,
      'problem reverse 2001:db8::25',
      'problem certificate api.example.test',
      'problem clock this machine',
      'problem blocklist list.test',
      `problem hostname ${HOST}`,
      `problem mta-sts ${HOST}`,
      `problem hello-spf ${HOST}`,
      'problem port-25 provider.test',
      'problem spf-include _spf.example.test',
      'warning dmarc news.example.com',
      `warning tls-rpt ${HOST}`,
      `unknown inbound ${HOST}`,
      `ok resolver ${dns.address}`,
    ])
    expect(report.findings.filter(({ state, advice }) => state !== 'ok' && advice === null)).toEqual([])
    expect(report.findings.find(({ check }) => check === 'blocklist')?.found).toBe(`It lists ${ADDRESS}: "why"`)
  })

  it.each<[string, object, object]>([
    [
      'does not answer',
      { kind: 'unreached', text: 'No connection to mail.example.test port 25: ECONNREFUSED' },
      { state: 'warning', found: 'Bounces may not come back: No connection to mail.example.test port 25: ECONNREFUSED.' },
    ],
    ['refuses us', { kind: 'refused', code: 554, text: 'go away' }, { state: 'warning', found: 'Port 25 answers 554 go away' }],
  ])('whose port 25 %s is told that bounces may not come back', async (_how, greeting, expected) => {
    const greet = (async ({ host, address }) => ({ host, address, ...greeting })) as Probes['greet']
    const { findings } = await check({ probes: { greet } })
    expect(findings.find(({ check: name }) => name === 'inbound')).toMatchObject({
      ...expected,
      advice: expect.stringContaining('INBOUND_PORT'),
    })
  })

  it('does not look for its own port 25 when bounces return to the sender', async () => {
    const { findings } = await check({ environment: { RETURN_PATH: 'from' } })
    expect(findings.filter(({ check: name }) => name === 'inbound')).toEqual([])
  })

  it('whose resolver is silent has no problem that anyone knows of', async () => {
    await dns.close()
    const report = await check({ patience: 1 })
    dns = await startDnsServer({})
    expect(report.status).toBe('unknown')
    expect(new Set(report.findings.map(({ state }) => state))).toEqual(new Set(['unknown']))
  })

  it('without SENDING_IPS sends from the addresses of its name', async () => {
    expect(linesOf(await check({ environment: { SENDING_IPS: undefined } }))).toEqual(
      expect.arrayContaining([`ok reverse ${ADDRESS}`, 'ok reverse 2001:db8::25', 'ok spf-include _spf.example.test']),
    )
    dns.zone[HOST] = {}
    expect(linesOf(await check({ environment: { SENDING_IPS: undefined } }))).toEqual(
      expect.arrayContaining([
        'unknown reverse all',
        `unknown hello-spf ${HOST}`,
        'unknown spf-include _spf.example.test',
        'unknown blocklist list.test',
      ]),
    )
  })

  it('needs one way out: over IPv4 or IPv6, to one server or another', async () => {
    dns.zone['provider.test'] = {
      MX: [
        [5, 'mx.provider.test'],
        [10, 'mx2.provider.test'],
        [20, 'mx3.provider.test'],
      ],
    }
    dns.zone['mx.provider.test'] = { A: ['127.0.0.1', '127.0.0.9'] }
    dns.zone['mx2.provider.test'] = { A: ['127.0.0.2'], AAAA: ['::1'] }
    const asked: string[] = []
    const greet: Probes['greet'] = async (server) => {
      asked.push(`${server.host} ${server.address}`)
      return server.address === '::1' ? { ...server, kind: 'ready', tls: null } : { ...server, kind: 'unreached', text: 'no way' }
    }
    const report = await check({ environment: { RETURN_PATH: 'from' }, probes: { greet } })
    expect(linesOf(report)).toContain('ok port-25 provider.test')
    expect(asked).toEqual(['mx.provider.test 127.0.0.1', 'mx2.provider.test 127.0.0.2', 'mx2.provider.test ::1'])
  })

  it('asks each resolver', async () => {
    const report = await check({ environment: { DNS_SERVERS: `${dns.address},127.0.0.1:9` }, patience: 1 })
    expect(linesOf(report)).toEqual(expect.arrayContaining([`ok resolver ${dns.address}`, 'unknown resolver 127.0.0.1:9']))
  })
})

describe('what does not apply', () => {
  it('is everything where mail never leaves', async () => {
    const report = await check({ environment: { DELIVERY: 'capture' } })
    expect(report).toEqual({
      status: 'ok',
      checkedAt: clock.now(),
      note: 'DELIVERY is capture: mail never leaves this machine, so there is nothing to check.',
      findings: [],
    })
    expect(dns.queries).toEqual([])
  })

  it('is most where a relay sends and the names are local', async () => {
    const environment = {
      DELIVERY: 'relay',
      SMTP_RELAY_URL: `smtp://127.0.0.1:${smtp.port}`,
      MAIL_HOSTNAME: undefined,
      PUBLIC_URL: undefined,
      SENDING_IPS: undefined,
    }
    const report = await check({ environment, domains: [] })
    expect(report).toMatchObject({
      status: 'warning',
      note: 'MAIL_HOSTNAME is localhost, so nothing was checked that concerns the name of this server.',
    })
    expect(linesOf(report)).toEqual([
      'warning tracking localhost',
      `ok resolver ${dns.address}`,
      'ok clock this machine',
      'ok relay SMTP_RELAY_URL',
      'skipped reverse all',
      'skipped certificate localhost',
      'skipped dmarc verified domains',
      'skipped blocklist list.test',
      'skipped spf-include _spf.example.test',
    ])
    const tracked = await check({ environment: { ...environment, TRACKING_DEFAULT: 'clicks' }, domains: [] })
    expect(linesOf(tracked)[0]).toBe('problem tracking localhost')
    const named = await check({ environment: { ...environment, TRACKING_HOST: 'links.example.test' }, domains: [] })
    expect(linesOf(named).filter((line) => line.includes('tracking'))).toEqual([])
  })

  it('is the name in EHLO where a relay of ours sends from known addresses', async () => {
    Object.assign(dns.zone, { '25.0.0.127.in-addr.arpa': { PTR: ['out.test'] }, 'out.test': { A: [ADDRESS] } })
    const environment = { DELIVERY: 'relay', SMTP_RELAY_URL: 'smtp://127.0.0.1:9', SENDING_IPS: ADDRESS }
    const report = await check({ environment })
    expect(linesOf(report)).toEqual(expect.arrayContaining(['problem relay SMTP_RELAY_URL', `ok reverse ${ADDRESS}`]))
    expect(linesOf(report).filter((line) => /hello-spf|port-25/.test(line))).toEqual([])
  })

  it('are domains before there is a database', async () => {
    expect(linesOf(await check({ repositories: null }))).toContain('unknown dmarc verified domains')
  })
})

describe('a check', () => {
  it('that takes too long is given up alone', async () => {
    const { findings } = await check({ probes: { greet: () => new Promise(() => {}) }, timeMsMax: 10_000 })
    expect(findings.find(({ check }) => check === 'port-25')).toMatchObject({ state: 'unknown', found: 'It took longer than 10 s.' })
    expect(findings.filter(({ state }) => state === 'ok')).toHaveLength(10)
  })

  it('that fails says so', async () => {
    const broken = { listUnprovenAcrossTeams: async () => [], listAcrossTeams: () => Promise.reject(new Error('the database went away')) }
    const report = await check({
      repositories: {
        health: {
          answers: async () => false,
          hasRoom: async () => true,
          schema: async () => null,
          now: () => Promise.reject(new Error('gone')),
        },
        verifiedDomains: broken,
      },
    })
    expect(report.findings.find(({ check }) => check === 'dmarc')).toMatchObject({
      state: 'unknown',
      found: 'The check failed: the database went away.',
    })
  })

  it('names the domains that receive by their MX record alone', async () => {
    const until = clock.now()
    const { findings } = await check({
      repositories: {
        health: { answers: async () => true, hasRoom: async () => true, schema: async () => null, now: async () => clock.now() },
        verifiedDomains: {
          listUnprovenAcrossTeams: async () => [{ name: 'acme.example', teamId: 't1', until }],
          listAcrossTeams: async () => [],
        },
      },
    })
    expect(findings.find(({ check }) => check === 'receiving')).toEqual({
      ...{ check: 'receiving', subject: 'acme.example', state: 'warning' },
      found: `Team t1 receives its mail by the MX record alone, which is certain only until ${until.toISOString().slice(0, 10)}.`,
      advice: 'Ask the team to publish the DKIM record that GET /domains/{id} shows.',
    })
  })

  it('of domains is of a bounded number', async () => {
    const domains = Array.from({ length: 50 }, (_, index) => ({ name: `d${index}.test`, root: `d${index}.test` }))
    expect(linesOf(await check({ domains })).filter((line) => line.startsWith('warning dmarc'))).toHaveLength(20)
  })

  it('of the clock asks the database only where it has a clock of its own', async () => {
    const ofDatabase = (hours: number) => ({
      health: {
        answers: async () => true,
        hasRoom: async () => true,
        schema: async () => null,
        now: async () => new Date(systemClock.now().getTime() + hours * 3_600_000),
      },
      verifiedDomains: { listUnprovenAcrossTeams: async () => [], listAcrossTeams: async () => [] },
    })
    const stateOf = async (databaseUrl: string) => {
      const changes = { environment: { DATABASE_URL: databaseUrl }, repositories: ofDatabase(2), clock: systemClock }
      const silent: Probes['openHttps'] = async () => ({ kind: 'unreached', reason: 'ECONNREFUSED' })
      const { findings } = await check({ ...changes, probes: { openHttps: silent } })
      return findings.find(({ check }) => check === 'clock')
    }
    expect(await stateOf('postgres://127.0.0.1/posthaste')).toMatchObject({ state: 'unknown' })
    expect(await stateOf('postgres://db.example.test/posthaste')).toMatchObject({
      state: 'problem',
      found: 'It is 7,200 s behind the database.',
    })
  })
})
