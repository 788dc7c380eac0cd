import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendEmail } from '../../../support/builders/engine.ts'
import { until } from '../../../support/clocks/until.ts'
import { freePort } from '../../../support/processes/processes.ts'
import { type DnsServer, startDnsServer } from '../../../support/servers/dns-server.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'
import { type SmtpSink, startSmtpSink } from '../../../support/servers/smtp-sink.ts'

let dns: DnsServer
let good: SmtpSink
let busy: SmtpSink

beforeAll(async () => {
  good = await startSmtpSink({ address: '127.0.0.1', port: await freePort() })
  // Greylisting: the first attempt for each recipient is delayed.
  busy = await startSmtpSink({ address: '127.0.0.2', port: good.port, onRecipient: () => ({ code: 450, text: '4.7.1 Try again later' }) })
  dns = await startDnsServer({
    'good.test': { MX: [[10, 'mx.good.test']] },
    'mx.good.test': { A: ['127.0.0.1'] },
    'busy.test': { MX: [[10, 'mx.busy.test']] },
    'mx.busy.test': { A: ['127.0.0.2'] },
    'null.test': { MX: [[0, '']] },
  })
})
afterAll(() => Promise.all([good.close(), busy.close(), dns.close()]))
const service = shared(() =>
  startTestService({
    directPort: good.port,
    environment: {
      ROLES: 'api,worker',
      DELIVERY: 'direct',
      MAIL_HOSTNAME: 'mail.posthaste.test',
      PUBLIC_URL: 'https://mail.posthaste.test',
      SENDER_POLICY: 'any',
      DNS_SERVERS: dns.address,
    },
  }),
)

async function settled(id: string, event: string) {
  return until(async () => {
    const { body } = await service.call('GET', `/emails/${id}`)
    expect(body).toMatchObject({ last_event: event })
  })
}

const attempts = async (id: string) => (await service.call('GET', `/emails/${id}/attempts`)).body

describe('direct delivery', () => {
  it('brings a message to the server that the MX record of its domain names', async () => {
    const id = await sendEmail(service, { to: ['ada@good.test', 'simulated+x@simulator.test'], bcc: 'grace@good.test' })
    await settled(id, 'delivered')
    await until(() => expect(good.messages.flatMap(({ to }) => to).sort()).toEqual(['ada@good.test', 'grace@good.test']))
    // The email is delivered once one recipient has it, and a message is there before its outcome is written.
    await until(async () => {
      const { data } = (await attempts(id)) as { data: { recipient: string; host: string; outcome: string }[] }
      expect(data.map(({ recipient, host, outcome }) => ({ recipient, host, outcome }))).toContainEqual({
        recipient: 'ada@good.test',
        host: 'mx.good.test',
        outcome: 'delivered',
      })
    })
  })

  it('brings mail that was accepted for a relay to the servers of its recipients', async () => {
    const id = await sendEmail(service, { to: 'ada@good.test', scheduled_at: 'in 1 hour' })
    await service.database.execute(`update emails set scheduled_at = now() where id = $1`, [id])
    await service.database.execute(`update deliveries set destination = 'relay', due_at = now() where email_id = $1`, [id])
    await settled(id, 'delivered')
    expect(await attempts(id)).toMatchObject({ data: [{ recipient: 'ada@good.test', outcome: 'delivered', host: 'mx.good.test' }] })
  })

  it('puts off what a busy server does not want yet, with its words', async () => {
    const id = await sendEmail(service, { to: 'ada@busy.test' })
    await settled(id, 'delivery_delayed')
    expect(await attempts(id)).toMatchObject({
      data: [{ recipient: 'ada@busy.test', number: 1, outcome: 'delayed', host: 'mx.busy.test', code: 450, enhanced_code: '4.7.1' }],
    })
  })

  it('bounces at once for a domain that takes no mail, and for one that does not exist', async () => {
    const refused = await sendEmail(service, { to: 'ada@null.test' })
    const unknown = await sendEmail(service, { to: 'ada@nowhere.test' })
    await settled(refused, 'bounced')
    await settled(unknown, 'bounced')
    expect(await attempts(refused)).toMatchObject({ data: [{ outcome: 'bounced', code: 556, enhanced_code: '5.1.10' }] })
    expect(await attempts(unknown)).toMatchObject({ data: [{ outcome: 'bounced', enhanced_code: '5.1.2' }] })
  })
})
