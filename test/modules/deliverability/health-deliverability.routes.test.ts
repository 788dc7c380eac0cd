import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toTimestamp } from '../../../src/lib/clock.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { type DnsServer, startDnsServer } from '../../support/servers/dns-server.ts'
import { startTestService, type TestService, type TestServiceOptions } from '../../support/servers/service.ts'
import { type ScriptedServer, startScriptedServer } from '../../support/servers/smtp-sink.ts'

const HOST = 'mail.example.test'
const TOKEN = 'a-token-of-the-monitoring'
const BEARER = { authorization: `Bearer ${TOKEN}` }
const QUESTION = `A ${HOST}`

let dns: DnsServer
let smtp: ScriptedServer
let service: TestService
beforeEach(async () => {
  dns = await startDnsServer({
    [HOST]: { A: ['127.0.0.25'], TXT: ['v=spf1 a -all'] },
    '25.0.0.127.in-addr.arpa': { PTR: [HOST] },
    'provider.test': { MX: [[5, 'mx.provider.test']] },
    'mx.provider.test': { A: ['127.0.0.1'] },
  })
  smtp = await startScriptedServer({ greeting: '220 mx.provider.test', reply: () => null })
})
afterEach(() => Promise.all([service.close(), dns.close(), smtp.close()]))

async function start({ environment = {}, ...options }: TestServiceOptions = {}): Promise<void> {
  service = await startTestService({
    environment: {
      DELIVERY: 'direct',
      MAIL_HOSTNAME: HOST,
      PUBLIC_URL: 'http://api.example.test',
      DNS_SERVERS: dns.address,
      PROBE_DOMAIN: 'provider.test',
      METRICS_TOKEN: TOKEN,
      ...environment,
    },
    directPort: smtp.port,
    ...options,
  })
}
const get = (headers: Record<string, string> = BEARER) => service.call('GET', '/health/deliverability', { token: null, headers })
const askedTimes = () => dns.queries.filter((query) => query === QUESTION).length

describe('/health/deliverability', () => {
  it('answers 200 with every check while there is no problem', async () => {
    const clock = createMovingClock()
    await start({ clock })
    const { status, headers, body } = await get()
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toEqual({
      object: 'deliverability',
      status: 'warning',
      checked_at: toTimestamp(clock.now()),
      note: null,
      checks: expect.arrayContaining([
        { name: 'reverse', subject: '127.0.0.25', state: 'ok', found: `Its name is ${HOST}, which points back to it.`, advice: null },
        { name: 'port-25', subject: 'provider.test', state: 'ok', found: 'mx.provider.test answers, without TLS.', advice: null },
        {
          name: 'certificate',
          subject: 'api.example.test',
          state: 'warning',
          found: 'PUBLIC_URL is http, so links in emails open without TLS, and one-click unsubscribing does not work (RFC 8058).',
          advice: 'Put a proxy with a certificate in front of the service, and set PUBLIC_URL to its https address.',
        },
      ]),
    })
  })

  it('answers 503 while there is one', async () => {
    delete dns.zone['25.0.0.127.in-addr.arpa']
    await start()
    expect(await get()).toMatchObject({
      status: 503,
      body: { status: 'problem', checks: expect.arrayContaining([expect.objectContaining({ name: 'reverse', state: 'problem' })]) },
    })
  })

  it('answers 200 with a note where mail never leaves', async () => {
    await start({ environment: { DELIVERY: 'capture' } })
    expect(await get()).toMatchObject({ status: 200, body: { status: 'ok', note: expect.stringContaining('capture'), checks: [] } })
  })

  it('checks once for everyone who asks at the same time, and again when the result is a minute old', async () => {
    const clock = createMovingClock()
    await start({ clock })
    const answers = await Promise.all(Array.from({ length: 5 }, () => get()))
    const once = askedTimes()
    expect(once).toBeGreaterThan(0)
    clock.advance(59_000)
    answers.push(await get())
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(askedTimes()).toBe(once)

    clock.advance(1_000)
    expect((await get()).body).toMatchObject({ checked_at: toTimestamp(clock.now()) })
    expect(askedTimes()).toBe(2 * once)
  })

  it('is not there without the token, and asks nothing', async () => {
    await start()
    const others: Record<string, string>[] = [{}, { authorization: `Bearer ${TOKEN}s` }, { authorization: `Bearer ${service.token}` }]
    for (const headers of others) expect((await get(headers)).status).toBe(404)
    expect(askedTimes()).toBe(0)
  })

  it('is there for this machine alone when no token is set', async () => {
    await start({ environment: { METRICS_TOKEN: '', PUBLIC_URL: 'http://localhost:3000', DELIVERY: 'capture' } })
    expect((await get({})).status).toBe(200)
    expect((await get({ via: '1.1 proxy' })).status).toBe(404)
  })
})
