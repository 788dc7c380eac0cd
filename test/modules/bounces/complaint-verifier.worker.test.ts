import { beforeEach, describe, expect, it } from 'vitest'
import { actOnReports } from '../../../src/modules/bounces/reports.worker.ts'
import { type SentMail, sentToAll, sentToOne } from '../../support/builders/engine.ts'
import { storeInboundMessage } from '../../support/builders/received-emails.ts'
import { complaintReport, keyNameOf, signed, testKeyRecord } from '../../support/builders/returned-mail.ts'
import { acted, complaintOf, FBL, refused, startComplaintService } from '../../support/servers/bounce-services.ts'
import { shared } from '../../support/servers/service.ts'

const MINUTE_MS = 60_000

const service = shared(() => startComplaintService())

beforeEach(() => service.forget())

const NOT_PERMITTED = (from: string) =>
  `${from} is neither the recipient, nor abuse@ or the like at the recipient's provider, nor in COMPLAINT_REPORTERS`
const NOT_VALID = `no DKIM signature of example.org is valid and covers From, To (${FBL}), Content-Type and the whole body`

describe('a complaint that names sender and recipient of the mail', () => {
  it.each([
    ['the provider of the recipient', 'Example abuse desk <abuse@example.org>', 'example.org'],
    ['the recipient', '"Annoyed" <annoyed@example.org>', 'example.org'],
    ['a domain of COMPLAINT_REPORTERS', 'feedback@arf.reporter.example', 'arf.reporter.example'],
    ['a subdomain of one', 'feedback@eu.arf.reporter.example', 'arf.reporter.example'],
    ['a domain of COMPLAINT_REPORTERS with the name of a subdomain', 'feedback@arf.reporter.example', 'eu.arf.reporter.example'],
    ['an address of COMPLAINT_REPORTERS', 'Loop@webmail.example', 'webmail.example'],
  ])('counts if it is signed by %s', async (_who, sender, domain) => {
    const one = await sentToOne(service, { to: 'annoyed@example.org' })
    await service.reported(await signed(complaintOf(one, sender), { domain }))

    await service.act()

    expect(await service.outcome(one)).toEqual(acted(one))
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
      'another user of the same provider signed with a name of its feedback loop',
      (one) => signed(complaintOf(one, 'fbl@example.org'), { domain: 'example.org' }),
      NOT_PERMITTED('fbl@example.org'),
    ],
    [
      'a server signed that returns what anyone sends to it',
      (one) => signed(complaintOf(one, 'mailer-daemon@example.org'), { domain: 'example.org' }),
      NOT_PERMITTED('mailer-daemon@example.org'),
    ],
    [
      'a host of the same provider signed',
      (one) => signed(complaintOf(one, 'abuse@mx.example.org'), { domain: 'mx.example.org' }),
      NOT_PERMITTED('abuse@mx.example.org'),
    ],
    [
      'a host of the same provider signed in the name of the provider',
      (one) => signed(complaintOf(one, 'abuse@example.org'), { domain: 'mx.example.org' }),
      'it has no DKIM signature of example.org',
    ],
    [
      'the provider of a reporter signed',
      (one) => signed(complaintOf(one, 'feedback@arf.reporter.example'), { domain: 'reporter.example' }),
      'it has no DKIM signature of arf.reporter.example',
    ],
    [
      'was sent to someone of that name',
      (one) => signed(complaintOf(one, 'abuse@example.org', `"${FBL}" <eve@elsewhere.example>`), { domain: 'example.org' }),
      NOT_VALID,
    ],
    [
      'was sent to others too',
      (one) => signed(complaintOf(one, 'abuse@example.org', `${FBL}, eve@elsewhere.example`), { domain: 'example.org' }),
      NOT_VALID,
    ],
    [
      'was sent to no one with such a name',
      (one) => signed(complaintOf(one, 'abuse@example.org', `"${FBL}" <>`), { domain: 'example.org' }),
      NOT_VALID,
    ],
    ...['from:to:mime-version:content-type', 'from:to:subject:content-type', 'from:to:subject:mime-version'].map(
      (fields): [string, (one: SentMail) => Promise<string>, string] => [
        `is signed only in ${fields}`,
        (one) => signed(complaintOf(one, 'abuse@example.org'), { domain: 'example.org', fields }),
        NOT_VALID,
      ],
    ),
    ...['Content-Type: multipart/report; boundary=frontier', 'Subject: x', 'MIME-Version: 1.0', 'Content-Transfer-Encoding: base64'].map(
      (field): [string, (one: SentMail) => Promise<string>, string] => [
        `got another ${field}`,
        async (one) => `${field}\r\n${await signed(complaintOf(one, 'abuse@example.org'), { domain: 'example.org' })}`,
        NOT_VALID,
      ],
    ),
    [
      'was signed in the future',
      (one) =>
        signed(complaintOf(one, 'abuse@example.org'), {
          domain: 'example.org',
          at: new Date(service.clock.now().getTime() + 10 * MINUTE_MS),
        }),
      NOT_VALID,
    ],
    [
      'is signed with a key that is only tried',
      (one) => {
        service.dns.zone[keyNameOf('example.org')] = testKeyRecord
        return signed(complaintOf(one, 'abuse@example.org'), { domain: 'example.org' })
      },
      NOT_VALID,
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
      (one) => signed(complaintOf(one, 'abuse@example.org'), { domain: 'example.org', fields: 'from:subject:mime-version:content-type' }),
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
    await service.reported(await report(one))

    await service.act()

    expect(await service.outcome(one)).toEqual(refused(reason))
  })

  it('is kept with that reason if it is large', async () => {
    const one = await sentToOne(service, { to: 'annoyed@example.org' })
    const content = await signed(complaintOf(one, 'abuse@example.org'), { domain: 'example.org' })
    await storeInboundMessage(service, { purpose: 'feedback', rcptTo: FBL, content, bytes: 5 * 1024 * 1024 })

    await service.act()

    expect(await service.outcome(one)).toEqual(refused('it is larger than 4 MB'))
  })

  it('asks the DNS for nothing unless its sender may report the recipient', async () => {
    const one = await sentToOne(service, { to: 'annoyed@example.org' })
    await service.reported(await signed(complaintOf(one, 'abuse@elsewhere.example'), { domain: 'elsewhere.example' }))

    await service.act()

    expect(service.dns.queries).toEqual([])
  })

  it('is looked for once though many reports of a batch name the same mail', async () => {
    const one = await sentToOne(service, { to: 'annoyed@example.org' })
    for (let count = 0; count < 3; count += 1) await service.reported(complaintOf(one, 'abuse@example.org'))
    const { context } = service.service
    const { reportedRecipients } = context.repositories
    const asked: unknown[] = []
    const ofSendingsAcrossTeams: typeof reportedRecipients.ofSendingsAcrossTeams = (sendings, since) => {
      asked.push(sendings)
      return reportedRecipients.ofSendingsAcrossTeams(sendings, since)
    }
    const repositories = { ...context.repositories, reportedRecipients: { ...reportedRecipients, ofSendingsAcrossTeams } }

    await actOnReports({ ...context, repositories })

    expect(asked).toEqual([[{ sender: 'hello@example.com', address: 'annoyed@example.org' }]])
  })
})

describe('a complaint of Microsoft, which names the recipient in the head of the reported mail', () => {
  const complaint = (one: SentMail, sender: string) =>
    [
      `From: ${sender}`,
      `To: ${FBL}`,
      'Subject: complaint about message from 192.0.2.1',
      'MIME-Version: 1.0',
      'Content-Type: message/rfc822',
      '',
      `X-HmXmrOriginalRecipient: ${one.address}`,
      'Return-Path: hello@example.com',
      'From: Acme <hello@example.com>',
      '',
      'Hello.',
      '',
    ].join('\r\n')

  it('counts if Microsoft signed it', async () => {
    const one = await sentToOne(service, { to: 'annoyed@hotmail.com' })
    await service.reported(await signed(complaint(one, 'staff@hotmail.com'), { domain: 'hotmail.com' }))

    await service.act()

    expect(await service.outcome(one)).toEqual(acted(one))
  })

  it('is none if it is from anyone else', async () => {
    const one = await sentToOne(service, { to: 'annoyed@example.org' })
    await service.reported(await signed(complaint(one, 'abuse@example.org'), { domain: 'example.org' }))

    await service.act()

    expect(await service.outcome(one)).toEqual({ ...refused(''), messages: [{ state: 'done', verdict: 'other', reason: null }] })
  })
})

describe('a complaint that names its email only by the Message-ID', () => {
  const complaint = (one: SentMail, sender: string) => complaintReport({ sender, sentTo: FBL, messageId: one.messageId, to: 'redacted' })

  it('changes nothing if nothing proves who sent it, because a reply discloses the Message-ID', async () => {
    const one = await sentToOne(service, { to: 'annoyed@example.org' })
    await service.reported(complaint(one, 'abuse@example.org'))

    await service.act()

    expect(await service.outcome(one)).toEqual(refused('it has no DKIM signature of example.org'))
  })

  it('counts if the provider of the recipient signed it, though the address is redacted', async () => {
    const one = await sentToOne(service, { to: 'annoyed@example.org' })
    await service.reported(await signed(complaint(one, 'abuse@example.org'), { domain: 'example.org' }))

    await service.act()

    expect(await service.outcome(one)).toEqual(acted(one))
  })
})

describe('a complaint about an email to several', () => {
  const complaint = (one: SentMail, sender: string) =>
    complaintReport({ sender, sentTo: FBL, messageId: one.messageId, originalRcptTo: ['B@example.org'] })

  it('changes nothing if only the Message-ID proves it, because each recipient knows that', async () => {
    const [one] = await sentToAll(service, { to: ['a@example.org', 'b@example.org'] })
    if (!one) throw new Error('Nothing was sent')
    await service.reported(complaint(one, 'a@example.org'))

    await service.act()

    expect(await service.outcome(one)).toEqual({ ...refused(NOT_PERMITTED('a@example.org')), states: ['delivered', 'delivered'] })
  })

  it('counts for the one that it names if the provider of that one signed it', async () => {
    const [one] = await sentToAll(service, { to: ['a@example.org', 'b@example.org'] })
    if (!one) throw new Error('Nothing was sent')
    await service.reported(await signed(complaint(one, 'abuse@example.org'), { domain: 'example.org' }))

    await service.act()

    expect(await service.outcome(one)).toEqual({ ...acted({ ...one, address: 'b@example.org' }), states: ['delivered', 'complained'] })
  })

  it('does not count for one that only the head of the reported mail names, because its sender wrote that', async () => {
    const [one] = await sentToAll(service, { to: ['a@example.org', 'b@example.org'] })
    if (!one) throw new Error('Nothing was sent')
    const report = complaintReport({ sender: 'abuse@example.org', sentTo: FBL, messageId: one.messageId })
    const hostile = report.replace('From: Acme', 'X-HmXmrOriginalRecipient: a@example.org\r\nDelivered-To: a@example.org\r\nFrom: Acme')
    await service.reported(await signed(hostile, { domain: 'example.org' }))

    await service.act()

    const reason = 'The email has several recipients, and the report names none of them.'
    expect(await service.outcome(one)).toEqual({
      states: ['delivered', 'delivered'],
      suppressed: [],
      messages: [{ state: 'done', verdict: 'unmatched', reason }],
    })
  })

  it('is about whom the reporter names, whatever the head of the reported mail says', async () => {
    const [one] = await sentToAll(service, { to: ['a@example.org', 'b@example.org'] })
    if (!one) throw new Error('Nothing was sent')
    const hostile = complaint(one, 'abuse@example.org').replace('From: Acme', 'Delivered-To: a@example.org\r\nFrom: Acme')
    await service.reported(await signed(hostile, { domain: 'example.org' }))

    await service.act()

    expect((await service.outcome(one)).states).toEqual(['delivered', 'complained'])
  })
})
