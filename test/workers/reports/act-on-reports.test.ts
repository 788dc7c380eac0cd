import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Failure } from '../../../src/lib/failure.ts'
import { createId } from '../../../src/lib/ids.ts'
import { actOnReports } from '../../../src/workers/reports/act-on-reports.ts'
import { REPORTS_TAKEN_DAYS } from '../../../src/workers/reports/recipients-of-reports.ts'
import { TIMESTAMP, UUID } from '../../support/builders/answers.ts'
import { deliveriesOf, stateOf } from '../../support/builders/engine.ts'
import { storeInboundMessage } from '../../support/builders/inbound-messages.ts'
import { automaticReply, deliveryReport } from '../../support/builders/returned-mail.ts'
import { type SentMail, sentToOne as sentMail } from '../../support/builders/sent-mail.ts'
import { createMovingClock, type MovingClock } from '../../support/clocks/moving-clock.ts'
import { startTestService, type TestService } from '../../support/servers/service.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

let service: TestService
let clock: MovingClock

beforeAll(async () => {
  clock = createMovingClock()
  service = await startTestService({ clock })
})
afterAll(() => service.close())
beforeEach(() => service.database.execute('truncate inbound_messages, suppressions, deliveries'))

const contextOf = () => service.service.context
const act = () => actOnReports(contextOf())

const sentToOne = (fields: Record<string, unknown> = {}, kind: 'delivered' | 'delayed' = 'delivered', token?: string) =>
  sentMail(service, fields, { kind, ...(token !== undefined && { token }) })

const returned = ({ recipientId }: Pick<SentMail, 'recipientId'>, content: string) => storeInboundMessage(service, { recipientId, content })

const verdicts = () =>
  service.database.execute<{ state: string; verdict: string | null; reason: string | null }>(
    `select state, verdict, detail->>'reason' as reason from inbound_messages order by id`,
  )
const verdictsAre = async (...expected: string[]) =>
  expect((await verdicts()).map(({ state, verdict }) => `${state} ${verdict}`)).toEqual(expected.map((verdict) => `done ${verdict}`))

const suppressions = (token = service.token) => suppressionsOf(token === service.token ? service.teamId : service.other.teamId)
const suppressionsOf = (teamId: string) =>
  service.database.execute('select email, origin, source_id as "sourceId" from suppressions where team_id = $1 order by email', [teamId])

type Event = { type: string; to: string[]; detail: unknown }
async function timeline(emailId: string, token = service.token): Promise<Event[]> {
  const { body } = await service.call('GET', `/emails/${emailId}/events`, { token })
  return (body as { data: Event[] }).data
}
const newest = async (emailId: string) => (await timeline(emailId))[0]
const event = (type: string, to: string, detail: unknown) => ({ id: UUID, type, to: [to], detail, created_at: TIMESTAMP })

const UNKNOWN_USER = {
  type: 'Permanent',
  subType: 'General',
  message: '550 5.1.1 User unknown',
  diagnosticCode: ['smtp; 550 5.1.1 User unknown'],
}

const POLICY = { status: '5.7.1', diagnostic: 'smtp; 550 5.7.1 Message rejected as spam' }
const FULL = { status: '4.2.2', diagnostic: 'smtp; 452 4.2.2 Mailbox full' }

const DELAY = deliveryReport([{ address: 'to@example.org', action: 'delayed', status: '4.4.1', diagnostic: 'smtp; 451 4.4.1 Try later' }])

describe('a bounce that returns after the delivery', () => {
  it('moves the recipient, is told with its reason, and suppresses an address that does not exist', async () => {
    const one = await sentToOne({ to: 'Gone@example.org' })
    await returned(one, deliveryReport([{ address: one.address }], one))

    await act()

    expect(await stateOf(service, one.emailId)).toEqual({ state: 'queued', lastEvent: 'bounced', recipients: ['bounced'] })
    expect(await newest(one.emailId)).toEqual(event('email.bounced', 'Gone@example.org', { bounce: UNKNOWN_USER }))
    expect(await suppressions()).toEqual([{ email: 'gone@example.org', origin: 'bounce', sourceId: one.emailId }])
    expect((await contextOf().metrics.suppressionsAdded.get()).values).toContainEqual({ labels: { origin: 'bounce' }, value: 1 })
    const told = await service.database.execute(`select data->>'email' as email from notifications where type = 'suppression.added'`)
    expect(told).toEqual([{ email: 'gone@example.org' }])
    await verdictsAre('bounce')
  })

  it('suppresses at the first permanent one, and not at three temporary ones', async () => {
    for (let count = 0; count < 3; count++) {
      const one = await sentToOne({ to: 'full@example.org' })
      await returned(one, deliveryReport([{ address: one.address, ...FULL }]))
      await act()
      expect((await newest(one.emailId))?.detail).toMatchObject({ bounce: { type: 'Transient', subType: 'MailboxFull' } })
    }
    expect(await suppressions()).toEqual([])

    const last = await sentToOne({ to: 'full@example.org' })
    await returned(last, deliveryReport([{ address: last.address }]))
    await act()

    expect(await suppressions()).toEqual([{ email: 'full@example.org', origin: 'bounce', sourceId: last.emailId }])
  })

  it('suppresses an address that turns out not to exist after the recipient has bounced for another reason', async () => {
    const one = await sentToOne()
    await returned(one, deliveryReport([{ address: one.address, ...FULL }]))
    await act()
    await returned(one, deliveryReport([{ address: one.address }]))

    await act()

    expect((await timeline(one.emailId)).map(({ type }) => type)).toEqual(['email.bounced', 'email.delivered', 'email.sent'])
    expect(await suppressions()).toEqual([{ email: 'to@example.org', origin: 'bounce', sourceId: one.emailId }])
  })

  it('never suppresses an address for what the mail holds or who sent it', async () => {
    const one = await sentToOne()
    await returned(one, deliveryReport([{ address: one.address, ...POLICY }]))

    await act()

    expect(await newest(one.emailId)).toMatchObject({ type: 'email.bounced', detail: { bounce: { type: 'Permanent' } } })
    expect(await suppressions()).toEqual([])
  })

  it('ends the retries of a recipient that is still being tried', async () => {
    const one = await sentToOne({}, 'delayed')
    await returned(one, deliveryReport([{ address: one.address }]))

    await act()

    expect(await stateOf(service, one.emailId)).toEqual({ state: 'queued', lastEvent: 'bounced', recipients: ['bounced'] })
    expect(await deliveriesOf(service, one.emailId)).toEqual([])
  })

  it('is about the recipient of its return path if it names another address, and suppresses neither', async () => {
    const one = await sentToOne({ to: 'list@example.org' })
    const other = await sentToOne({ to: 'member@example.org' })
    await returned(one, deliveryReport([{ address: other.address, originalAddress: one.address }], other))

    await act()

    expect((await stateOf(service, one.emailId)).recipients).toEqual(['bounced'])
    expect((await stateOf(service, other.emailId)).recipients).toEqual(['delivered'])
    expect(await suppressions()).toEqual([])
  })

  it('of two thousand recipients is about the one whose return path it came to', async () => {
    const one = await sentToOne({ to: 'r1500@example.org' })
    const others = Array.from({ length: 2_000 }, (_, index) => ({
      address: `r${index}@example.org`,
      ...(index === 1_500 ? {} : FULL),
    }))
    await returned(one, deliveryReport(others))

    await act()

    expect(await suppressions()).toEqual([{ email: 'r1500@example.org', origin: 'bounce', sourceId: one.emailId }])
  })

  it('does nothing to the mail of another team, whatever it says', async () => {
    const own = await sentToOne()
    const foreign = await sentToOne({ to: 'victim@example.org' }, 'delivered', service.other.token)
    await returned(own, deliveryReport([{ address: foreign.address }], { ...foreign, to: foreign.address }))

    await act()

    expect((await stateOf(service, foreign.emailId)).recipients).toEqual(['delivered'])
    expect(await timeline(foreign.emailId, service.other.token)).toHaveLength(2)
    expect(await suppressions(service.other.token)).toEqual([])
    expect(await suppressions()).toEqual([])
  })

  it('is acted upon by the return path of the returned mail, if it came to another address', async () => {
    const one = await sentToOne()
    await storeInboundMessage(service, { purpose: 'postmaster', content: deliveryReport([{ address: one.address }], one) })

    await act()

    expect((await stateOf(service, one.emailId)).recipients).toEqual(['bounced'])
  })

  it('after a person has followed a link suppresses the address, and is shown in the timeline once, with its reason', async () => {
    const one = await sentToOne({ to: 'scanned@example.org' })
    await follow(one, { isMachine: false })
    await returned(one, deliveryReport([{ address: one.address }]))
    await returned(one, deliveryReport([{ address: one.address }]))

    await act()

    expect((await stateOf(service, one.emailId)).recipients).toEqual(['clicked'])
    const types = (await timeline(one.emailId)).map(({ type }) => type)
    expect(types).toEqual(['email.answered', 'email.clicked', 'email.delivered', 'email.sent'])
    const answer = { kind: 'bounce', message: 'The mail was returned after it had been opened.' }
    expect(await newest(one.emailId)).toEqual(event('email.answered', one.address, { answer, bounce: UNKNOWN_USER }))
    expect(await suppressions()).toEqual([{ email: 'scanned@example.org', origin: 'bounce', sourceId: one.emailId }])
  })

  it('after only programs have followed a link moves the recipient, who stays so when they come again', async () => {
    const one = await sentToOne({ to: 'prefetched@example.org' })
    await follow(one, { isMachine: true })
    await returned(one, deliveryReport([{ address: one.address }]))
    await act()
    await follow(one, { isMachine: true })

    expect(await stateOf(service, one.emailId)).toEqual({ state: 'queued', lastEvent: 'bounced', recipients: ['bounced'] })
    const types = (await timeline(one.emailId)).map(({ type }) => type)
    expect(types).toEqual(['email.clicked', 'email.bounced', 'email.clicked', 'email.delivered', 'email.sent'])

    await follow(one, { isMachine: false })
    expect((await stateOf(service, one.emailId)).recipients).toEqual(['clicked'])
  })

  it('that comes again does not suppress an address that was taken from the list since, and another one does', async () => {
    const one = await sentToOne({ to: 'back@example.org' })
    const report = deliveryReport([{ address: one.address }], one)
    await returned(one, report)
    await act()
    expect((await service.call('DELETE', `/suppressions/${one.address}`)).status).toBe(200)
    await returned(one, report)
    await storeInboundMessage(service, { purpose: 'postmaster', content: report })
    await act()
    expect(await suppressions()).toEqual([])

    const next = await sentToOne({ to: 'back@example.org' })
    await returned(next, deliveryReport([{ address: next.address }]))
    await act()

    expect(await suppressions()).toEqual([{ email: 'back@example.org', origin: 'bounce', sourceId: next.emailId }])
  })
})

const follow = ({ emailId, recipientId, address }: SentMail, { isMachine }: { isMachine: boolean }) =>
  contextOf().repositories.trackedActs.recordAcrossTeams(
    [
      {
        kind: 'click',
        teamId: service.teamId,
        emailId,
        recipientId,
        address,
        at: clock.now(),
        machineRule: isMachine ? 'too-soon' : null,
        target: 'https://example.com/',
        userAgent: '',
        ipAddress: null,
      },
    ],
    clock.now(),
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
        clock.advance((REPORTS_TAKEN_DAYS + 1) * DAY_MS)
        return { recipientId: one.recipientId, content: deliveryReport([{ address: one.address }]) }
      },
    ],
  ])('%s changes nothing, and is counted', async (_name, message) => {
    const one = await sentToOne()
    const before = await counted('backscatter')
    await storeInboundMessage(service, await message(one))

    await act()

    expect((await stateOf(service, one.emailId)).recipients).toEqual(['delivered'])
    expect(await suppressions()).toEqual([])
    expect(await verdicts()).toEqual([{ state: 'done', verdict: 'backscatter', reason: expect.any(String) }])
    expect(await counted('backscatter')).toBe(before + 1)
  })
})

async function counted(verdict: string): Promise<number> {
  const { values } = await contextOf().metrics.inboundMessages.get()
  return values.find(({ labels }) => labels.verdict === verdict)?.value ?? 0
}

describe('what is no bounce', () => {
  it('changes nothing, and is shown in the timeline, each kind once', async () => {
    const one = await sentToOne()
    const delayed = deliveryReport([{ address: one.address, action: 'delayed', status: '4.4.1', diagnostic: 'smtp; 451 4.4.1 Try later' }])
    const relayed = deliveryReport([{ address: one.address, action: 'relayed', status: '2.0.0', diagnostic: 'smtp; 250 2.0.0 Ok' }])
    for (const content of [automaticReply(), delayed, automaticReply(), relayed]) await returned(one, content)
    await act()
    await returned(one, automaticReply())
    await act()

    expect(await stateOf(service, one.emailId)).toEqual({ state: 'queued', lastEvent: 'delivered', recipients: ['delivered'] })
    const kinds = (await timeline(one.emailId)).map(({ type, detail }) =>
      type === 'email.answered' ? (detail as Answered).answer.kind : type,
    )
    expect(kinds.toSorted()).toEqual(['auto_reply', 'delay', 'email.delivered', 'email.sent', 'success'])
    expect(await suppressions()).toEqual([])
    await verdictsAre('auto_reply', 'delay', 'auto_reply', 'success', 'auto_reply')
  })
})
type Answered = { answer: { kind: string; message: string } }

/** With another last character. */
const forged = (address: string): string => address.replace(/.@/, (end) => (end === '0@' ? '1@' : '0@'))

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

describe('a message', () => {
  it('is acted upon once by workers that read it at the same time, and after it was read without an end', async () => {
    const one = await sentToOne()
    await returned(one, DELAY)
    const { waitingMessages } = contextOf().repositories
    const [taken] = await waitingMessages.takeAcrossTeams(10, clock.now())
    if (!taken) throw new Error('Nothing was taken')
    expect(await act()).toBe(0)
    clock.advance(3 * 60_000)

    expect(await act()).toBe(1)
    const late = { messageId: taken.id, verdict: 'bounce' as const, detail: {}, recipient: null, consequences: [], answer: null }
    expect(await waitingMessages.settleAcrossTeams([late], clock.now())).toEqual({ settled: new Set(), suppressed: [] })

    await verdictsAre('delay')
    expect((await timeline(one.emailId)).map(({ type }) => type)).toEqual(['email.answered', 'email.delivered', 'email.sent'])
  })

  it('is given up after it has ended its worker five times', async () => {
    const one = await sentToOne()
    await returned(one, deliveryReport([{ address: one.address }]))
    for (let count = 0; count < 5; count++) {
      await contextOf().repositories.waitingMessages.takeAcrossTeams(10, clock.now())
      clock.advance(3 * 60_000)
    }

    await act()

    await verdictsAre('unreadable')
    expect((await stateOf(service, one.emailId)).recipients).toEqual(['delivered'])
  })

  it('whose content is lost is said to be so, and does not hold up others', async () => {
    const one = await sentToOne()
    const lost = await returned(one, DELAY)
    await contextOf().gateways.blobs.remove(lost.blobKey)
    await returned(one, deliveryReport([{ address: one.address }]))

    await act()

    await verdictsAre('unreadable', 'bounce')
  })

  it('that cannot be read now is read later', async () => {
    const one = await sentToOne()
    await returned(one, deliveryReport([{ address: one.address }]))
    const { blobs } = contextOf().gateways
    const broken = {
      ...contextOf(),
      gateways: { ...contextOf().gateways, blobs: { ...blobs, open: () => Promise.reject(new Error('EIO')) } },
    }
    for (let count = 0; count < 7; count++) {
      await actOnReports(broken)
      clock.advance(3 * 60_000)
    }

    await act()

    await verdictsAre('bounce')
  })

  it('that takes too long to read is tried three times, then given up with its content kept, and does not hold up others', async () => {
    const one = await sentToOne()
    const slow = await returned(one, 'Subject: slow\r\n\r\n')
    await returned(one, deliveryReport([{ address: one.address }]))
    const { reports, blobs } = contextOf().gateways
    const read = async (bytes: Uint8Array) => (textOf(bytes).includes('slow') ? 'overdue' : reports.read(bytes))

    const states: string[] = []
    for (let count = 0; count < 3; count++) {
      await actOnReports({ ...contextOf(), gateways: { ...contextOf().gateways, reports: { ...reports, read } } })
      states.push((await verdicts()).map(({ state, verdict }) => `${state} ${verdict}`).join(', '))
      clock.advance(60_000)
    }

    expect(states).toEqual(['waiting null, done bounce', 'waiting null, done bounce', 'done unreadable, done bounce'])
    expect(await blobs.size(slow.blobKey)).toBe(slow.bytes)
  })

  it('that our own code fails to read is tried three times, and then given up', async () => {
    const one = await sentToOne()
    await returned(one, 'Subject: faulty\r\n\r\n')
    await returned(one, deliveryReport([{ address: one.address }]))
    const { reports } = contextOf().gateways
    const read = (bytes: Uint8Array) => (textOf(bytes).includes('faulty') ? Promise.reject(new TypeError('a fault')) : reports.read(bytes))
    const failing = { ...contextOf(), gateways: { ...contextOf().gateways, reports: { ...reports, read } } }

    const states: string[] = []
    for (let count = 0; count < 3; count++) {
      await actOnReports(failing)
      states.push((await verdicts()).map(({ state, verdict }) => `${state} ${verdict}`).join(', '))
      clock.advance(60_000)
    }

    expect(states).toEqual(['waiting null, done bounce', 'waiting null, done bounce', 'done unreadable, done bounce'])
  })

  it('for which no thread is there is read later, however often that was tried', async () => {
    const one = await sentToOne()
    await returned(one, deliveryReport([{ address: one.address }]))
    const { reports } = contextOf().gateways
    const read = () => Promise.reject(new Failure('unavailable', 'The thread that reads reports has been ended'))
    for (let count = 0; count < 7; count++) {
      await actOnReports({ ...contextOf(), gateways: { ...contextOf().gateways, reports: { ...reports, read } } })
      clock.advance(3 * 60_000)
    }

    await act()

    await verdictsAre('bounce')
  })

  it('that was read is left to the next worker if one that was not cannot be put off', async () => {
    const one = await sentToOne()
    await returned(one, 'Subject: faulty\r\n\r\n')
    await returned(one, deliveryReport([{ address: one.address }]))
    const { gateways, repositories } = contextOf()
    const read = (bytes: Uint8Array) =>
      textOf(bytes).includes('faulty') ? Promise.reject(new TypeError('a fault')) : gateways.reports.read(bytes)
    let calls = 0
    const postponeAcrossTeams: typeof repositories.waitingMessages.postponeAcrossTeams = async (...values) => {
      calls += 1
      if (calls === 1) throw new Error('Connection terminated')
      await repositories.waitingMessages.postponeAcrossTeams(...values)
    }
    const waitingMessages = { ...repositories.waitingMessages, postponeAcrossTeams }
    const broken = {
      ...contextOf(),
      gateways: { ...gateways, reports: { ...gateways.reports, read } },
      repositories: { ...repositories, waitingMessages },
    }

    await expect(actOnReports(broken)).rejects.toThrow('terminated')

    const tries = await service.database.execute('select tries from inbound_messages order by id')
    expect(tries).toEqual([{ tries: 0 }, { tries: 0 }])
  })

  it('that cannot be acted upon now is acted upon later, however often that was tried', async () => {
    const one = await sentToOne()
    await returned(one, deliveryReport([{ address: one.address }]))
    const { repositories } = contextOf()
    const settleAcrossTeams = () => Promise.reject(new Error('Connection terminated'))
    const waitingMessages = { ...repositories.waitingMessages, settleAcrossTeams }
    for (let count = 0; count < 7; count++) {
      await expect(actOnReports({ ...contextOf(), repositories: { ...repositories, waitingMessages } })).rejects.toThrow('terminated')
      clock.advance(3 * 60_000)
    }

    await act()

    await verdictsAre('bounce')
  })

  it('is taken with as many others as fit into memory, or alone', async () => {
    for (const megabytes of [10, 5, 5, 40, 1])
      await storeInboundMessage(service, { content: automaticReply(), bytes: megabytes * 1024 * 1024 })

    const taken: number[] = []
    for (let count = -1; count !== 0; taken.push(count)) count = await act()

    expect(taken).toEqual([2, 1, 1, 1, 0])
  })

  it('is taken alone when a worker has died with it', async () => {
    for (let count = 0; count < 3; count++) await storeInboundMessage(service, { content: automaticReply() })
    const died = await contextOf().repositories.waitingMessages.takeAcrossTeams(3, clock.now())
    await storeInboundMessage(service, { content: automaticReply() })
    clock.advance(3 * 60_000)

    const taken: number[] = []
    for (let count = -1; count !== 0; taken.push(count)) count = await act()

    expect(died).toHaveLength(3)
    expect(taken).toEqual([1, 1, 1, 1, 0])
  })

  it('that a worker has no time for when it stops is left to the next one at once', async () => {
    const one = await sentToOne()
    for (let count = 0; count < 9; count++) await returned(one, automaticReply())
    await actOnReports(contextOf(), { signal: AbortSignal.abort() })

    expect(await act()).toBe(5)

    await verdictsAre(...Array.from({ length: 9 }, () => 'auto_reply'))
  })

  it('whose report holds what no database stores is acted upon', async () => {
    const one = await sentToOne()
    await returned(one, deliveryReport([{ address: one.address, diagnostic: 'smtp; 550 5.1.1 No\0body \ud800' }]))

    await act()

    await verdictsAre('bounce')
  })

  it('that our own code fails on is set aside, and the others of its batch are acted upon', async () => {
    const one = await sentToOne()
    const bad = await returned(one, DELAY)
    await returned(one, deliveryReport([{ address: one.address }]))
    const { repositories } = contextOf()
    const { waitingMessages } = repositories
    const failing = {
      ...waitingMessages,
      settleAcrossTeams: (conclusions: Parameters<typeof waitingMessages.settleAcrossTeams>[0], now: Date) =>
        conclusions.some((each) => each.messageId === bad.id && each.verdict === 'delay')
          ? Promise.reject(new TypeError('a fault'))
          : waitingMessages.settleAcrossTeams(conclusions, now),
    }

    await actOnReports({ ...contextOf(), repositories: { ...repositories, waitingMessages: failing } })

    await verdictsAre('unreadable', 'bounce')
  })

  it('that the database refuses is set aside, and the others of its batch are acted upon', async () => {
    const one = await sentToOne()
    const bad = await returned(one, DELAY)
    await returned(one, deliveryReport([{ address: one.address }]))
    const { repositories } = contextOf()
    const { waitingMessages } = repositories
    const refusing = {
      ...waitingMessages,
      settleAcrossTeams: (conclusions: Parameters<typeof waitingMessages.settleAcrossTeams>[0], now: Date) =>
        waitingMessages.settleAcrossTeams(
          conclusions.map((each) => (each.messageId === bad.id && each.verdict === 'delay' ? { ...each, detail: { text: '\0' } } : each)),
          now,
        ),
    }

    await actOnReports({ ...contextOf(), repositories: { ...repositories, waitingMessages: refusing } })

    await verdictsAre('unreadable', 'bounce')
  })
})
