import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { actOnReports } from '../../../src/workers/reports/act-on-reports.ts'
import { stateOf } from '../../support/builders/engine.ts'
import { storeInboundMessage } from '../../support/builders/inbound-messages.ts'
import { complaintReport } from '../../support/builders/returned-mail.ts'
import { type SentMail, sentToAll, sentToOne } from '../../support/builders/sent-mail.ts'
import { keyNameOf, keyRecord, signed } from '../../support/builders/signed-reports.ts'
import { createMovingClock, type MovingClock } from '../../support/clocks/moving-clock.ts'
import { type DnsServer, startDnsServer } from '../../support/servers/dns-server.ts'
import { startTestService, type TestService } from '../../support/servers/service.ts'

const FBL = 'fbl@mail.example.com'
const HOUR_MS = 60 * 60 * 1_000

let dns: DnsServer
let clock: MovingClock
let service: TestService

beforeAll(async () => {
  dns = await startDnsServer({})
  clock = createMovingClock()
  const environment = { DNS_SERVERS: dns.address, FEEDBACK_REPORTERS: 'arf.reporter.example, loop@webmail.example' }
  service = await startTestService({ clock, environment })
})
afterAll(async () => {
  await service.close()
  await dns.close()
})
beforeEach(async () => {
  dns.queries.length = 0
  for (const domain of ['example.org', 'reporter.example', 'webmail.example', 'elsewhere.example']) dns.zone[keyNameOf(domain)] = keyRecord
  await service.database.execute('truncate inbound_messages, suppressions, deliveries')
})

const act = () => actOnReports(service.service.context)
const reported = (content: string) => storeInboundMessage(service, { purpose: 'feedback', rcptTo: FBL, content })

/** By sender and recipient of the envelope, which others know too. */
const complaintOf = (one: SentMail, sender: string, sentTo = `Reports <${FBL}>`) =>
  complaintReport({ sender, sentTo, originalMailFrom: 'hello@example.com', originalRcptTo: [one.address] })

const outcome = async (one: SentMail) => ({
  states: (await stateOf(service, one.emailId)).recipients,
  suppressed: (await service.database.execute<{ email: string }>('select email from suppressions order by email')).map(
    ({ email }) => email,
  ),
  messages: await service.database.execute(`select state, verdict, detail->>'reason' as reason from inbound_messages order by id`),
})
const acted = (one: SentMail) => ({
  states: ['complained'],
  suppressed: [one.address],
  messages: [{ state: 'done', verdict: 'complaint', reason: null }],
})
const refused = (what: string) => ({
  states: ['delivered'],
  suppressed: [],
  messages: [{ state: 'done', verdict: 'unmatched', reason: `The report is not authenticated: ${what}.` }],
})
const NOT_PERMITTED = (from: string) =>
  `${from} is neither the recipient, nor abuse@ or the like at the recipient's provider, nor in FEEDBACK_REPORTERS`
const NOT_VALID = `no DKIM signature of example.org is valid and covers From, To (${FBL}) and the whole body`

describe('a complaint that names sender and recipient of the mail', () => {
  it.each([
    ['the provider of the recipient', 'Example abuse desk <abuse@example.org>', 'example.org'],
    ['a host of that provider', 'fbl@mx.example.org', 'example.org'],
    ['the recipient', '"Annoyed" <annoyed@example.org>', 'example.org'],
    ['a domain of FEEDBACK_REPORTERS', 'feedback@arf.reporter.example', 'reporter.example'],
    ['a subdomain of one', 'feedback@eu.arf.reporter.example', 'reporter.example'],
    ['an address of FEEDBACK_REPORTERS', 'Loop@webmail.example', 'webmail.example'],
  ])('counts if it is signed by %s', async (_who, sender, domain) => {
    const one = await sentToOne(service, { to: 'annoyed@example.org' })
    await reported(await signed(complaintOf(one, sender), { domain }))

    await act()

    expect(await outcome(one)).toEqual(acted(one))
  })

  it.each<[string, (one: SentMail) => Promise<string>, string]>([
    ['nothing proves', async (one) => complaintOf(one, 'abuse@example.org'), 'it has no DKIM signature of example.org'],
    [
      'another domain signed',
      (one) => signed(complaintOf(one, 'abuse@example.org'), { domain: 'elsewhere.example' }),
      'it has no DKIM signature of example.org',
    ],
    [
      'a stranger signed',
      (one) => signed(complaintOf(one, 'abuse@elsewhere.example'), { domain: 'elsewhere.example' }),
      NOT_PERMITTED('abuse@elsewhere.example'),
    ],
    [
      'another user of the same provider signed',
      (one) => signed(complaintOf(one, 'eve@example.org'), { domain: 'example.org' }),
      NOT_PERMITTED('eve@example.org'),
    ],
    [
      'a user of the provider of a reporter signed',
      (one) => signed(complaintOf(one, 'eve@reporter.example'), { domain: 'reporter.example' }),
      NOT_PERMITTED('eve@reporter.example'),
    ],
    [
      'was changed after it was signed',
      async (one) =>
        (await signed(complaintOf(one, 'abuse@example.org'), { domain: 'example.org' })).replace('Feedback-Type', 'X: y\r\nFeedback-Type'),
      NOT_VALID,
    ],
    [
      'is signed only in part',
      (one) => signed(complaintOf(one, 'abuse@example.org'), { domain: 'example.org', bodyLength: 20 }),
      NOT_VALID,
    ],
    [
      'is signed with a key that does not exist',
      (one) => signed(complaintOf(one, 'abuse@example.org'), { domain: 'example.org', selector: 'gone' }),
      NOT_VALID,
    ],
    [
      'was sent to someone else',
      (one) => signed(complaintOf(one, 'abuse@example.org', 'eve@elsewhere.example'), { domain: 'example.org' }),
      NOT_VALID,
    ],
    [
      'is signed without the addressee',
      (one) => signed(complaintOf(one, 'abuse@example.org'), { domain: 'example.org', fields: 'from:subject' }),
      NOT_VALID,
    ],
    [
      'got a second addressee',
      async (one) => `To: eve@elsewhere.example\r\n${await signed(complaintOf(one, 'abuse@example.org'), { domain: 'example.org' })}`,
      NOT_VALID,
    ],
    [
      'has two senders',
      async (one) => `From: eve@elsewhere.example\r\n${await signed(complaintOf(one, 'abuse@example.org'), { domain: 'example.org' })}`,
      'it does not have exactly one sender',
    ],
    [
      'shows a sender within a name',
      (one) => signed(complaintOf(one, '"abuse@example.org" <eve@example.org>'), { domain: 'example.org' }),
      NOT_VALID,
    ],
  ])('that %s is kept with the reason, and changes nothing', async (_name, report, reason) => {
    const one = await sentToOne(service, { to: 'annoyed@example.org' })
    await reported(await report(one))

    await act()

    expect(await outcome(one)).toEqual(refused(reason))
  })

  it('is kept with that reason if it is large', async () => {
    const one = await sentToOne(service, { to: 'annoyed@example.org' })
    const content = await signed(complaintOf(one, 'abuse@example.org'), { domain: 'example.org' })
    await storeInboundMessage(service, { purpose: 'feedback', rcptTo: FBL, content, bytes: 5 * 1024 * 1024 })

    await act()

    expect(await outcome(one)).toEqual(refused('it is larger than 4 MB'))
  })

  it('asks the DNS for nothing unless its sender may report the recipient', async () => {
    const one = await sentToOne(service, { to: 'annoyed@example.org' })
    await reported(await signed(complaintOf(one, 'abuse@elsewhere.example'), { domain: 'elsewhere.example' }))

    await act()

    expect(dns.queries).toEqual([])
  })

  it('waits for an hour while the DNS does not answer for its key', async () => {
    const one = await sentToOne(service, { to: 'annoyed@example.org' })
    dns.zone[keyNameOf('example.org')] = { fault: 'SERVFAIL' }
    await reported(await signed(complaintOf(one, 'abuse@example.org'), { domain: 'example.org' }))
    await act()
    expect((await outcome(one)).messages).toEqual([{ state: 'waiting', verdict: null, reason: null }])
    dns.zone[keyNameOf('example.org')] = keyRecord
    clock.advance(HOUR_MS)

    await act()

    expect(await outcome(one)).toEqual(acted(one))
  })

  it('is kept with that reason when it has waited for an hour', async () => {
    const one = await sentToOne(service, { to: 'annoyed@example.org' })
    dns.zone[keyNameOf('example.org')] = { fault: 'SERVFAIL' }
    await reported(await signed(complaintOf(one, 'abuse@example.org'), { domain: 'example.org' }))
    await act()
    clock.advance(HOUR_MS)

    await act()

    expect(await outcome(one)).toEqual(refused('the DNS did not answer for the DKIM key of example.org'))
  })

  it('waits for its turn when too many others ask the DNS', async () => {
    const one = await sentToOne(service, { to: 'annoyed@example.org' })
    await reported(await signed(complaintOf(one, 'abuse@example.org'), { domain: 'example.org' }))
    await actOnReports(service.service.context, { claimsMax: 0 })
    expect((await outcome(one)).messages).toEqual([{ state: 'waiting', verdict: null, reason: null }])
    clock.advance(60_000)

    await act()

    expect(await outcome(one)).toEqual(acted(one))
  })
})

describe('a complaint about an email to several', () => {
  const complaint = (one: SentMail, sender: string) =>
    complaintReport({ sender, sentTo: FBL, messageId: one.messageId, originalRcptTo: ['B@example.org'] })

  it('changes nothing if only the Message-ID proves it, because each recipient knows that', async () => {
    const [one] = await sentToAll(service, { to: ['a@example.org', 'b@example.org'] })
    if (!one) throw new Error('Nothing was sent')
    await reported(complaint(one, 'a@example.org'))

    await act()

    expect(await outcome(one)).toEqual({ ...refused(NOT_PERMITTED('a@example.org')), states: ['delivered', 'delivered'] })
  })

  it('counts for the one that it names if the provider of that one signed it', async () => {
    const [one] = await sentToAll(service, { to: ['a@example.org', 'b@example.org'] })
    if (!one) throw new Error('Nothing was sent')
    await reported(await signed(complaint(one, 'abuse@example.org'), { domain: 'example.org' }))

    await act()

    expect(await outcome(one)).toEqual({ ...acted({ ...one, address: 'b@example.org' }), states: ['delivered', 'complained'] })
  })

  it('is about whom the reporter names, whatever the head of the reported mail says', async () => {
    const [one] = await sentToAll(service, { to: ['a@example.org', 'b@example.org'] })
    if (!one) throw new Error('Nothing was sent')
    const hostile = complaint(one, 'abuse@example.org').replace('From: Acme', 'Delivered-To: a@example.org\r\nFrom: Acme')
    await reported(await signed(hostile, { domain: 'example.org' }))

    await act()

    expect((await outcome(one)).states).toEqual(['delivered', 'complained'])
  })
})
