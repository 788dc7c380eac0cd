// The envelope's sender, as the recipients' servers see it, and TLS that a domain enforces.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createVerifiedDomain } from '../../../support/builders/domains.ts'
import { attemptsOf, sendEmail, stateOf, untilEvent } from '../../../support/builders/engine.ts'
import { createShiftingClock } from '../../../support/clocks/clocks.ts'
import { until } from '../../../support/clocks/until.ts'
import { freePort } from '../../../support/processes/processes.ts'
import { type DnsServer, startDnsServer } from '../../../support/servers/dns-server.ts'
import { type RelayService, startRelayService } from '../../../support/servers/mail-services.ts'
import { startTestService, type TestService } from '../../../support/servers/service.ts'
import { type SmtpSink, type SmtpSinkOptions, startSmtpSink } from '../../../support/servers/smtp-sink.ts'

const OWN = /^([0-9a-v]{56})@(.*)$/

/** The ids of recipients by their addresses. */
async function recipientsOf({ database }: Pick<TestService, 'database'>, emailId: string): Promise<Record<string, string>> {
  const rows = await database.execute<{ id: string; address: string }>('select id, address from recipients where email_id = $1', [emailId])
  return Object.fromEntries(rows.map(({ id, address }) => [address, id]))
}

describe('mail that goes straight to the servers of its recipients', () => {
  let dns: DnsServer
  let sink: SmtpSink
  let bare: SmtpSink
  let service: TestService
  const clock = createShiftingClock()
  /** Every MAIL FROM that reached a server without TLS. */
  const bareSenders: string[] = []

  beforeAll(async () => {
    sink = await startSmtpSink({ tls: 'starttls', address: '127.0.0.1', port: await freePort() })
    let tries = 0
    bare = await startSmtpSink({
      tls: 'none',
      address: '127.0.0.2',
      port: sink.port,
      onMail: (from) => void bareSenders.push(from),
      onRecipient: (to) => (to === 'greylisted@bare.test' && tries++ === 0 ? { code: 451, text: '4.7.1 Greylisted' } : undefined),
    })
    dns = await startDnsServer({
      'example.org': { MX: [[10, 'mx.example.org']] },
      'mx.example.org': { A: ['127.0.0.1'] },
      'bare.test': { MX: [[10, 'mx.bare.test']] },
      'mx.bare.test': { A: ['127.0.0.2'] },
    })
    service = await startTestService({
      clock,
      directPort: sink.port,
      environment: {
        ROLES: 'api,worker',
        DELIVERY: 'direct',
        MAIL_HOSTNAME: 'mail.posthaste.test',
        PUBLIC_URL: 'https://mail.posthaste.test',
        SENDER_POLICY: 'any',
        DNS_SERVERS: dns.address,
      },
    })
    await createVerifiedDomain(service, 'acme.example', {})
  })
  afterAll(async () => {
    await service.close()
    await Promise.all([sink.close(), bare.close(), dns.close()])
  })
  afterEach(() => {
    for (const messages of [sink.messages, bare.messages, bareSenders]) messages.length = 0
  })

  /** The senders of the envelopes, by recipient. */
  async function sendersOf(id: string): Promise<Record<string, string>> {
    await untilEvent(service, id, 'delivered')
    return Object.fromEntries([...sink.messages, ...bare.messages].map(({ from, to: [to = ''] }) => [to, from]))
  }
  const send = (fields: Record<string, unknown> = {}, token?: string) =>
    sendEmail(service, { from: 'hello@acme.example', ...fields }, token)
  const setDomain = (name: string, change: string) => service.database.execute(`update domains set ${change} where name = $1`, [name])

  it('returns to an address for each recipient, which leads to that recipient and to no other', async () => {
    const { returnPathTokens } = service.service.context
    const id = await send({ to: ['one@example.org', 'two@example.org'], bcc: 'three@example.org' })
    const ids = await recipientsOf(service, id)
    await until(async () => expect((await stateOf(service, id)).recipients).toEqual(['delivered', 'delivered', 'delivered']))

    const envelopes = sink.messages.map(({ from, to: [to = ''] }) => {
      const [, token = '', host] = OWN.exec(from) ?? []
      return { to, host, read: returnPathTokens.read(token), readFromUpperCase: returnPathTokens.read(token.toUpperCase()) }
    })
    expect(envelopes.toSorted((a, b) => (a.to < b.to ? -1 : 1))).toEqual(
      ['one@example.org', 'three@example.org', 'two@example.org'].map((to) => ({
        to,
        host: 'send.acme.example',
        read: ids[to],
        readFromUpperCase: ids[to],
      })),
    )
  })

  it('returns to the same address at every try', async () => {
    const id = await send({ to: 'greylisted@bare.test' })
    await untilEvent(service, id, 'delivery_delayed')
    clock.shift(10 * 60_000)
    await untilEvent(service, id, 'delivered')
    const { 'greylisted@bare.test': recipientId = '' } = await recipientsOf(service, id)
    const sender = `${service.service.context.returnPathTokens.create(recipientId)}@send.acme.example`
    expect(bareSenders).toEqual([sender, sender])
  })

  it.each([
    ['that the team does not have', 'hello@example.net'],
    ['under the domain of the team', 'hello@mail.acme.example'],
    ['of another team', 'hello@other.example'],
    ['whose records were not seen', 'hello@pending.example'],
    ['whose name another team has verified', 'hello@owned.example'],
    ['too long for an address of its own', `hello@${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(20)}.example`],
  ])('returns to the address that it is from, if that is in a domain %s', async (_which, from) => {
    const name = from.slice('hello@'.length)
    const other = { ...service, teamId: service.other.teamId }
    if (name === 'other.example') await createVerifiedDomain(other, name, {})
    if (name === 'pending.example') {
      const { id } = await createVerifiedDomain(service, name, {})
      await service.database.execute(`update domain_records set status = 'pending' where domain_id = $1 and kind = 'SPF'`, [id])
    }
    if (name === 'owned.example') {
      await createVerifiedDomain(service, name, {})
      await setDomain(name, 'owns_name = false')
      await createVerifiedDomain(other, name, {})
    }
    if (name.length > 200) await createVerifiedDomain(service, name, {})
    expect(await sendersOf(await send({ from }))).toEqual({ 'to@example.org': from })
  })

  it('waits while the database does not say where it returns', async () => {
    await createVerifiedDomain(service, 'unknown.example', {})
    const asked = vi.spyOn(service.service.context, 'senderIdentityOf')
    await service.database.execute('alter table domain_records rename to domain_records_elsewhere')
    const id = await send({ from: 'hello@unknown.example' })
    await until(() => expect(asked.mock.calls.length).toBeGreaterThan(1))
    expect([await stateOf(service, id), await attemptsOf(service, id)]).toMatchObject([{ recipients: ['queued'] }, []])
    await service.database.execute('alter table domain_records_elsewhere rename to domain_records')
    expect(await sendersOf(id)).toEqual({ 'to@example.org': expect.stringMatching(/^[0-9a-v]{56}@send\.unknown\.example$/) })
  })

  it('of a domain that enforces TLS is kept back from a server without it, and tried again until it bounces', async () => {
    await createVerifiedDomain(service, 'enforced.example', {})
    await setDomain('enforced.example', `tls = 'enforced'`)
    const from = 'hello@enforced.example'
    const id = await send({ from, to: ['one@example.org', 'two@bare.test'] })
    // Other mail to the same server travels without TLS, over connections of its own.
    const others = [await send({ to: 'before@bare.test' }), await send({ to: 'after@bare.test' })]
    for (const other of others) await untilEvent(service, other, 'delivered')
    await until(async () => expect((await stateOf(service, id)).recipients.toSorted()).toEqual(['delivered', 'delivery_delayed']))
    expect(sink.messages.map(({ to, isTls }) => [...to, isTls])).toEqual([['one@example.org', true]])

    const reason = 'TLS is required by the domain of the sender, but could not be established with mx.bare.test: '
    const { body } = await service.call('GET', `/emails/${id}/attempts`)
    expect(body).toMatchObject({
      data: expect.arrayContaining([
        expect.objectContaining({
          recipient: 'two@bare.test',
          outcome: 'delayed',
          host: 'mx.bare.test',
          enhanced_code: '4.7.4',
          text: expect.stringContaining(reason),
        }),
      ]),
    })

    await service.database.execute('update deliveries set delays = 100 where email_id = $1', [id])
    clock.shift(24 * 3_600_000)
    await until(async () => expect((await stateOf(service, id)).recipients.toSorted()).toEqual(['bounced', 'delivered']))
    expect(bareSenders.filter((sender) => sender.endsWith('enforced.example'))).toEqual([])
    expect(bare.messages.map(({ to }) => to[0]).toSorted()).toEqual(['after@bare.test', 'before@bare.test'])
  })
})

describe('mail that goes to a relay', () => {
  let service: RelayService
  afterEach(() => service.close())

  async function start(environment: Record<string, string> = {}, sink: SmtpSinkOptions = {}): Promise<void> {
    service = await startRelayService({ environment, sink })
    await createVerifiedDomain(service, 'acme.example', {})
    service.startWorker()
  }
  const send = (from = 'hello@acme.example') => sendEmail(service, { from })

  it('returns to the address that it is from', async () => {
    await start()
    await untilEvent(service, await send(), 'delivered')
    expect(service.sink.messages.map(({ from }) => from)).toEqual(['hello@acme.example'])
  })

  it('returns to an address of its own with RETURN_PATH=own, if its domain is verified', async () => {
    await start({ RETURN_PATH: 'own' })
    const id = await send()
    await untilEvent(service, id, 'delivered')
    await untilEvent(service, await send('hello@example.net'), 'delivered')
    const { 'to@example.org': recipientId = '' } = await recipientsOf(service, id)
    const token = service.service.context.returnPathTokens.create(recipientId)
    expect(service.sink.messages.map(({ from }) => from)).toEqual([`${token}@send.acme.example`, 'hello@example.net'])
  })

  it('of a domain that enforces TLS waits while the relay has none', async () => {
    const senders: string[] = []
    await start({}, { onMail: (from) => void senders.push(from) })
    await service.database.execute(`update domains set tls = 'enforced'`)
    const id = await send()
    await untilEvent(service, id, 'delivery_delayed')
    expect(await attemptsOf(service, id)).toEqual([
      {
        number: 1,
        outcome: 'delayed',
        code: null,
        enhancedCode: '4.7.4',
        text: 'TLS is required by the domain of the sender, but 127.0.0.1 offers none',
      },
    ])
    expect(senders).toEqual([])
  })
})

it('mail that goes straight there with RETURN_PATH=from returns to the address that it is from', async () => {
  const sink = await startSmtpSink({ address: '127.0.0.1' })
  const dns = await startDnsServer({ 'example.org': { A: ['127.0.0.1'] } })
  const service = await startTestService({
    directPort: sink.port,
    environment: {
      ROLES: 'api,worker',
      DELIVERY: 'direct',
      RETURN_PATH: 'from',
      MAIL_HOSTNAME: 'mail.posthaste.test',
      PUBLIC_URL: 'https://mail.posthaste.test',
      SENDER_POLICY: 'any',
      DNS_SERVERS: dns.address,
    },
  })
  await createVerifiedDomain(service, 'acme.example', {})
  await untilEvent(service, await sendEmail(service, { from: 'hello@acme.example' }), 'delivered')
  expect(sink.messages.map(({ from }) => from)).toEqual(['hello@acme.example'])
  await service.close()
  await Promise.all([sink.close(), dns.close()])
})
