import { beforeEach, describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { REPORTS_TAKEN_DAYS } from '../../../src/modules/bounces/recipients-of-reports.ts'
import { TIMESTAMP, UUID } from '../../support/builders/answers.ts'
import { deliveriesOf, type SentMail, stateOf } from '../../support/builders/engine.ts'
import { storeInboundMessage } from '../../support/builders/received-emails.ts'
import { automaticReply, deliveryReport } from '../../support/builders/returned-mail.ts'
import { startReportService } from '../../support/servers/bounce-services.ts'
import { shared } from '../../support/servers/service.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

const service = shared(() => startReportService())

beforeEach(() => service.forget())

const event = (type: string, to: string, detail: unknown) => ({ id: UUID, type, to: [to], detail, created_at: TIMESTAMP })

const UNKNOWN_USER = {
  type: 'Permanent',
  subType: 'General',
  message: '550 5.1.1 User unknown',
  diagnosticCode: ['smtp; 550 5.1.1 User unknown'],
}

const POLICY = { status: '5.7.1', diagnostic: 'smtp; 550 5.7.1 Message rejected as spam' }
const FULL = { status: '4.2.2', diagnostic: 'smtp; 452 4.2.2 Mailbox full' }

describe('a bounce that returns after the delivery', () => {
  it('moves the recipient, is told with its reason, and suppresses an address that does not exist', async () => {
    const one = await service.sentToOne({ to: 'Gone@example.org' })
    await service.returned(one, deliveryReport([{ address: one.address }], one))

    await service.act()

    expect(await stateOf(service, one.emailId)).toEqual({ state: 'queued', lastEvent: 'bounced', recipients: ['bounced'] })
    expect(await service.newest(one.emailId)).toEqual({
      ...event('email.bounced', 'Gone@example.org', { bounce: UNKNOWN_USER }),
      explanation: 'The address does not exist, or its domain does not accept mail.',
      advice: 'Correct the address, or remove it from your lists: more mail to it harms your reputation.',
    })
    expect(await service.suppressions()).toEqual([{ email: 'gone@example.org', origin: 'bounce', sourceId: one.emailId }])
    expect((await service.service.context.metrics.suppressionsAdded.get()).values).toContainEqual({
      labels: { origin: 'bounce' },
      value: 1,
    })
    const told = await service.database.execute(`select data->>'email' as email from notifications where type = 'suppression.added'`)
    expect(told).toEqual([{ email: 'gone@example.org' }])
    await service.verdictsAre('bounce')
  })

  it('suppresses at the first permanent one, and not at three temporary ones', async () => {
    for (let count = 0; count < 3; count++) {
      const one = await service.sentToOne({ to: 'full@example.org' })
      await service.returned(one, deliveryReport([{ address: one.address, ...FULL }]))
      await service.act()
      expect((await service.newest(one.emailId))?.detail).toMatchObject({ bounce: { type: 'Transient', subType: 'MailboxFull' } })
    }
    expect(await service.suppressions()).toEqual([])

    const last = await service.sentToOne({ to: 'full@example.org' })
    await service.returned(last, deliveryReport([{ address: last.address }]))
    await service.act()

    expect(await service.suppressions()).toEqual([{ email: 'full@example.org', origin: 'bounce', sourceId: last.emailId }])
  })

  it('suppresses an address that turns out not to exist after the recipient has bounced for another reason', async () => {
    const one = await service.sentToOne()
    await service.returned(one, deliveryReport([{ address: one.address, ...FULL }]))
    await service.act()
    await service.returned(one, deliveryReport([{ address: one.address }]))

    await service.act()

    expect((await service.timeline(one.emailId)).map(({ type }) => type)).toEqual(['email.bounced', 'email.delivered', 'email.sent'])
    expect(await service.suppressions()).toEqual([{ email: 'to@example.org', origin: 'bounce', sourceId: one.emailId }])
  })

  it('never suppresses an address for what the mail holds or who sent it', async () => {
    const one = await service.sentToOne()
    await service.returned(one, deliveryReport([{ address: one.address, ...POLICY }]))

    await service.act()

    expect(await service.newest(one.emailId)).toMatchObject({ type: 'email.bounced', detail: { bounce: { type: 'Permanent' } } })
    expect(await service.suppressions()).toEqual([])
  })

  it('ends the retries of a recipient that is still being tried', async () => {
    const one = await service.sentToOne({}, 'delayed')
    await service.returned(one, deliveryReport([{ address: one.address }]))

    await service.act()

    expect(await stateOf(service, one.emailId)).toEqual({ state: 'queued', lastEvent: 'bounced', recipients: ['bounced'] })
    expect(await deliveriesOf(service, one.emailId)).toEqual([])
  })

  it('is about its recipient in whatever case the server writes the address', async () => {
    const one = await service.sentToOne()
    await service.returned(one, deliveryReport([{ address: one.address.toUpperCase() }]))

    await service.act()

    expect(await service.suppressions()).toEqual([{ email: 'to@example.org', origin: 'bounce', sourceId: one.emailId }])
  })

  it('is about the recipient of its return path if it names another address, and suppresses neither', async () => {
    const one = await service.sentToOne({ to: 'list@example.org' })
    const other = await service.sentToOne({ to: 'member@example.org' })
    await service.returned(one, deliveryReport([{ address: other.address, originalAddress: one.address }], other))

    await service.act()

    expect((await stateOf(service, one.emailId)).recipients).toEqual(['bounced'])
    expect((await stateOf(service, other.emailId)).recipients).toEqual(['delivered'])
    expect(await service.suppressions()).toEqual([])
  })

  it('of two thousand recipients is about the one whose return path it came to', async () => {
    const one = await service.sentToOne({ to: 'r1500@example.org' })
    const others = Array.from({ length: 2_000 }, (_, index) => ({
      address: `r${index}@example.org`,
      ...(index === 1_500 ? {} : FULL),
    }))
    await service.returned(one, deliveryReport(others))

    await service.act()

    expect(await service.suppressions()).toEqual([{ email: 'r1500@example.org', origin: 'bounce', sourceId: one.emailId }])
  })

  it('does nothing to the mail of another team, whatever it says', async () => {
    const own = await service.sentToOne()
    const foreign = await service.sentToOne({ to: 'victim@example.org' }, 'delivered', service.other.token)
    await service.returned(own, deliveryReport([{ address: foreign.address }], { ...foreign, to: foreign.address }))

    await service.act()

    expect((await stateOf(service, foreign.emailId)).recipients).toEqual(['delivered'])
    expect(await service.timeline(foreign.emailId, service.other.token)).toHaveLength(2)
    expect(await service.suppressions(service.other.token)).toEqual([])
    expect(await service.suppressions()).toEqual([])
  })

  it('is acted upon by the return path of the returned mail, if it came to another address', async () => {
    const one = await service.sentToOne()
    await storeInboundMessage(service, { purpose: 'postmaster', content: deliveryReport([{ address: one.address }], one) })

    await service.act()

    expect((await stateOf(service, one.emailId)).recipients).toEqual(['bounced'])
  })

  it('after a person has followed a link suppresses the address, and is shown in the timeline once, with its reason', async () => {
    const one = await service.sentToOne({ to: 'scanned@example.org' })
    await follow(one, { isMachine: false })
    await service.returned(one, deliveryReport([{ address: one.address }]))
    await service.returned(one, deliveryReport([{ address: one.address }]))

    await service.act()

    expect((await stateOf(service, one.emailId)).recipients).toEqual(['clicked'])
    const types = (await service.timeline(one.emailId)).map(({ type }) => type)
    expect(types).toEqual(['email.answered', 'email.clicked', 'email.delivered', 'email.sent'])
    const answer = { kind: 'bounce', message: 'The mail was returned after it had been opened.' }
    expect(await service.newest(one.emailId)).toEqual({
      ...event('email.answered', one.address, { answer, bounce: UNKNOWN_USER }),
      ...{ explanation: null, advice: null },
    })
    expect(await service.suppressions()).toEqual([{ email: 'scanned@example.org', origin: 'bounce', sourceId: one.emailId }])
  })

  it('after only programs have followed a link moves the recipient, who stays moved when they come again', async () => {
    const one = await service.sentToOne({ to: 'prefetched@example.org' })
    await follow(one, { isMachine: true })
    await service.returned(one, deliveryReport([{ address: one.address }]))
    await service.act()
    await follow(one, { isMachine: true })

    expect(await stateOf(service, one.emailId)).toEqual({ state: 'queued', lastEvent: 'bounced', recipients: ['bounced'] })
    const types = (await service.timeline(one.emailId)).map(({ type }) => type)
    expect(types).toEqual(['email.clicked', 'email.bounced', 'email.clicked', 'email.delivered', 'email.sent'])

    await follow(one, { isMachine: false })
    expect((await stateOf(service, one.emailId)).recipients).toEqual(['clicked'])
  })

  it('that comes again does not suppress an address that was taken from the list since, and another one does', async () => {
    const one = await service.sentToOne({ to: 'back@example.org' })
    const report = deliveryReport([{ address: one.address }], one)
    await service.returned(one, report)
    await service.act()
    expect((await service.call('DELETE', `/suppressions/${one.address}`)).status).toBe(200)
    await service.returned(one, report)
    await storeInboundMessage(service, { purpose: 'postmaster', content: report })
    await service.act()
    expect(await service.suppressions()).toEqual([])

    const next = await service.sentToOne({ to: 'back@example.org' })
    await service.returned(next, deliveryReport([{ address: next.address }]))
    await service.act()

    expect(await service.suppressions()).toEqual([{ email: 'back@example.org', origin: 'bounce', sourceId: next.emailId }])
  })
})

const follow = ({ emailId, recipientId, address }: SentMail, { isMachine }: { isMachine: boolean }) =>
  service.service.context.repositories.trackedEvents.recordAcrossTeams(
    [
      {
        kind: 'click',
        teamId: service.teamId,
        emailId,
        recipientId,
        address,
        at: service.clock.now(),
        machineRule: isMachine ? 'too-soon' : null,
        target: 'https://example.com/',
        userAgent: '',
        ipAddress: null,
        writtenLink: null,
      },
    ],
    service.clock.now(),
  )

describe('backscatter', () => {
  it.each([
    [
      'without a return path of ours',
      async (one: SentMail) => ({ content: deliveryReport([{ address: one.address }], { messageId: one.messageId }) }),
    ],
    [
      'with a forged return path in the returned mail',
      async (one: SentMail) => ({
        content: deliveryReport([{ address: one.address }], { ...one, returnPath: forged(one.returnPath) }),
      }),
    ],
    [
      'of a recipient that does not exist',
      async () => ({ recipientId: createId(), content: deliveryReport([{ address: 'a@b.example' }]) }),
    ],
    [
      'that comes too late',
      async (one: SentMail) => {
        service.clock.advance((REPORTS_TAKEN_DAYS + 1) * DAY_MS)
        return { recipientId: one.recipientId, content: deliveryReport([{ address: one.address }]) }
      },
    ],
  ])('%s changes nothing, and is counted', async (_name, message) => {
    const one = await service.sentToOne()
    const before = await counted('backscatter')
    await storeInboundMessage(service, await message(one))

    await service.act()

    expect((await stateOf(service, one.emailId)).recipients).toEqual(['delivered'])
    expect(await service.suppressions()).toEqual([])
    expect(await service.verdicts()).toEqual([{ state: 'done', verdict: 'backscatter', reason: expect.any(String) }])
    expect(await counted('backscatter')).toBe(before + 1)
  })
})

async function counted(verdict: string): Promise<number> {
  const { values } = await service.service.context.metrics.inboundMessages.get()
  return values.find(({ labels }) => labels.verdict === verdict)?.value ?? 0
}

describe('what is no bounce', () => {
  it('changes nothing, and is shown in the timeline, each kind once', async () => {
    const one = await service.sentToOne()
    const delayed = deliveryReport([{ address: one.address, action: 'delayed', status: '4.4.1', diagnostic: 'smtp; 451 4.4.1 Try later' }])
    const relayed = deliveryReport([{ address: one.address, action: 'relayed', status: '2.0.0', diagnostic: 'smtp; 250 2.0.0 Ok' }])
    for (const content of [automaticReply(), delayed, automaticReply(), relayed]) await service.returned(one, content)
    await service.act()
    await service.returned(one, automaticReply())
    await service.act()

    expect(await stateOf(service, one.emailId)).toEqual({ state: 'queued', lastEvent: 'delivered', recipients: ['delivered'] })
    const kinds = (await service.timeline(one.emailId)).map(({ type, detail }) =>
      type === 'email.answered' ? (detail as Answered).answer.kind : type,
    )
    expect(kinds.toSorted()).toEqual(['auto_reply', 'delay', 'email.delivered', 'email.sent', 'success'])
    expect(await service.suppressions()).toEqual([])
    await service.verdictsAre('auto_reply', 'delay', 'auto_reply', 'success', 'auto_reply')
  })
})
type Answered = { answer: { kind: string; message: string } }

/** Changes the last character. */
const forged = (address: string): string => address.replace(/.@/, (end) => (end === '0@' ? '1@' : '0@'))
