import { beforeEach, describe, expect, it } from 'vitest'
import { REPORTS_TAKEN_DAYS } from '../../../src/modules/bounces/recipients-of-reports.ts'
import { actOnReports } from '../../../src/modules/bounces/reports.worker.ts'
import { TIMESTAMP, UUID } from '../../support/builders/answers.ts'
import { type SentMail, sentToAll, sentToOne, stateOf } from '../../support/builders/engine.ts'
import { storeInboundMessage } from '../../support/builders/received-emails.ts'
import { complaintReport, deliveryReport } from '../../support/builders/returned-mail.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())
beforeEach(() => service.database.execute('truncate inbound_messages, suppressions, deliveries'))

const act = () => actOnReports(service.service.context)
const reported = (content: string) => storeInboundMessage(service, { purpose: 'feedback', rcptTo: 'fbl@mail.example.com', content })
const returned = ({ recipientId }: SentMail, content: string) => storeInboundMessage(service, { recipientId, content })

const verdicts = () => service.database.execute(`select state, verdict, detail->>'reason' as reason from inbound_messages order by id`)

const suppressions = () =>
  service.database.execute('select team_id as "teamId", email, origin, source_id as "sourceId" from suppressions order by email')
const suppressed = ({ emailId: sourceId }: SentMail, email: string) => ({ teamId: service.teamId, email, origin: 'complaint', sourceId })

const newest = async (emailId: string) => ((await service.call('GET', `/emails/${emailId}/events`)).body as { data: unknown[] }).data[0]

describe('a complaint', () => {
  it.each([
    ['by the return path that it came to', (one: SentMail) => returned(one, complaintReport())],
    ['by the return path of the reported mail', (one: SentMail) => reported(complaintReport({ returnPath: one.returnPath }))],
    ['by its Original-Mail-From', (one: SentMail) => reported(complaintReport({ originalMailFrom: one.returnPath }))],
  ])('finds its recipient %s, who is suppressed', async (_name, report) => {
    const one = await sentToOne(service, { to: 'annoyed@example.org' })
    await report(one)

    await act()

    expect(await stateOf(service, one.emailId)).toEqual({ state: 'queued', lastEvent: 'complained', recipients: ['complained'] })
    const detail = { complaint: { type: 'abuse', userAgent: 'ExampleFBL/1.0' } }
    expect(await newest(one.emailId)).toMatchObject({
      id: UUID,
      type: 'email.complained',
      to: [one.address],
      detail,
      created_at: TIMESTAMP,
    })
    expect(await suppressions()).toEqual([suppressed(one, 'annoyed@example.org')])
    expect(await verdicts()).toEqual([{ state: 'done', verdict: 'complaint', reason: null }])
  })

  it.each([
    [
      'names no email of ours',
      async () => complaintReport({ messageId: '<unknown@example.com>', originalRcptTo: ['to@example.org'] }),
      'The report names no email of this installation.',
    ],
    [
      'does not say which of several recipients complained',
      async () => {
        const [a] = await sentToAll(service, { to: ['a@example.org'], bcc: ['b@example.org'] })
        return complaintReport({ messageId: a?.messageId ?? '', to: 'a@example.org' })
      },
      'The email has several recipients, and the report names none of them.',
    ],
    [
      'names its email only as what it answers',
      async () => {
        const { messageId } = await sentToOne(service, { to: 'annoyed@example.org' })
        return `In-Reply-To: ${messageId}\r\nReferences: ${messageId}\r\n${complaintReport()}`
      },
      'The report names no email of this installation.',
    ],
    [
      'names the Message-ID of its email in words of its own',
      async () => {
        const { messageId } = await sentToOne(service, { to: 'annoyed@example.org' })
        return complaintReport().replace('Version: 1', `Version: 1\r\nOriginal-Message-ID: ${messageId}`)
      },
      'The report names no email of this installation.',
    ],
    [
      'names mail that two teams sent',
      async () => {
        await sentToOne(service, { to: 'both@example.org' })
        await sentToOne(service, { to: 'both@example.org' }, { token: service.other.token })
        return complaintReport({ originalMailFrom: 'hello@example.com', originalRcptTo: ['both@example.org'] })
      },
      'Several teams sent mail from this sender to this recipient.',
    ],
    [
      'names another sender of mail to the recipient',
      async () => {
        await sentToOne(service, { to: 'one@example.org', from: 'Acme <not-hello@example.com>' })
        return complaintReport({ originalMailFrom: 'hello@example.com', originalRcptTo: ['one@example.org'] })
      },
      'The report names no email of this installation.',
    ],
  ])('that %s is kept, and changes nothing', async (_name, report, reason) => {
    await reported(await report())

    await act()

    expect(await verdicts()).toEqual([{ state: 'done', verdict: 'unmatched', reason }])
    expect(await suppressions()).toEqual([])
  })

  it('that is repeated does not suppress an address again that was taken from the list', async () => {
    const one = await sentToOne(service)
    await returned(one, complaintReport())
    await act()
    expect((await service.call('DELETE', `/suppressions/${one.address}`)).status).toBe(200)
    await returned(one, complaintReport())

    await act()

    expect(await suppressions()).toEqual([])
  })

  it('suppresses an address that was taken from the list after it had bounced', async () => {
    const one = await sentToOne(service)
    await returned(one, deliveryReport([{ address: one.address }]))
    await act()
    expect((await service.call('DELETE', `/suppressions/${one.address}`)).status).toBe(200)
    await returned(one, complaintReport())

    await act()

    expect(await suppressions()).toEqual([suppressed(one, one.address)])
  })

  it('that comes often, and in several reports at once, counts once for the guard', async () => {
    const one = await sentToOne(service, { to: 'often@example.org' })
    for (let index = 0; index < 3; index += 1) {
      await returned(one, complaintReport())
      await reported(complaintReport({ returnPath: one.returnPath }))
      await act()
    }
    const counted = await service.database.execute(
      `select data from notifications where subject_id = $1 and email_count_metrics(type, data) && '{complained}'`,
      [one.emailId],
    )
    expect(counted).toHaveLength(1)
  })

  it('about mail that is too old is kept, and changes nothing', async () => {
    const one = await sentToOne(service)
    await service.database.execute(`update emails set created_at = created_at - make_interval(days => $2::int) where id = $1`, [
      one.emailId,
      REPORTS_TAKEN_DAYS + 1,
    ])
    await returned(one, complaintReport())
    await reported(complaintReport({ messageId: one.messageId }))

    await act()

    expect((await stateOf(service, one.emailId)).recipients).toEqual(['delivered'])
    const unmatched = { state: 'done', verdict: 'unmatched', reason: 'The mail was due more than 90 days ago.' }
    expect(await verdicts()).toEqual([unmatched, unmatched])
  })

  it('that is none changes nothing', async () => {
    const one = await sentToOne(service)
    await returned(one, complaintReport({ feedbackType: 'not-spam' }))

    await act()

    expect((await stateOf(service, one.emailId)).recipients).toEqual(['delivered'])
    expect(await newest(one.emailId)).toMatchObject({ type: 'email.answered', detail: { answer: { kind: 'other' } } })
    expect(await suppressions()).toEqual([])
    expect(await verdicts()).toEqual([{ state: 'done', verdict: 'other', reason: null }])
  })

  it('that holds what no database stores is acted upon', async () => {
    const one = await sentToOne(service)
    const hostile = { originalMailFrom: 'he\0llo@example.com', originalRcptTo: ['t\0o@example.org'], messageId: '<a\0b@example.com>' }
    await reported(complaintReport(hostile))
    await returned(one, complaintReport({ feedbackType: 'ab\0use' }))

    await act()

    expect((await stateOf(service, one.emailId)).recipients).toEqual(['complained'])
    expect((await verdicts()).map(({ verdict }) => verdict)).toEqual(['unmatched', 'complaint'])
  })
})
