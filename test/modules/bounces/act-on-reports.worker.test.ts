import { beforeEach, describe, expect, it } from 'vitest'
import { Failure } from '../../../src/lib/failure.ts'
import { actOnReports } from '../../../src/modules/bounces/reports.worker.ts'
import { stateOf } from '../../support/builders/engine.ts'
import { storeInboundMessage } from '../../support/builders/received-emails.ts'
import { automaticReply, deliveryReport } from '../../support/builders/returned-mail.ts'
import { startReportService } from '../../support/servers/bounce-services.ts'
import { shared } from '../../support/servers/service.ts'

const service = shared(() => startReportService())

beforeEach(() => service.forget())

const contextOf = () => service.service.context

const DELAY = deliveryReport([{ address: 'to@example.org', action: 'delayed', status: '4.4.1', diagnostic: 'smtp; 451 4.4.1 Try later' }])

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

describe('a message', () => {
  it('is acted upon once by workers that read it at the same time, and after it was read without an end', async () => {
    const one = await service.sentToOne()
    await service.returned(one, DELAY)
    const { waitingMessages } = contextOf().repositories
    const [taken] = await waitingMessages.takeAcrossTeams(10, service.clock.now())
    if (!taken) throw new Error('Nothing was taken')
    expect(await service.act()).toBe(0)
    service.clock.advance(3 * 60_000)

    expect(await service.act()).toBe(1)
    const late = { messageId: taken.id, verdict: 'bounce' as const, detail: {}, recipient: null, consequences: [], answer: null }
    expect(await waitingMessages.settleAcrossTeams([late], service.clock.now())).toEqual({ settled: new Set(), suppressed: [] })

    await service.verdictsAre('delay')
    expect((await service.timeline(one.emailId)).map(({ type }) => type)).toEqual(['email.answered', 'email.delivered', 'email.sent'])
  })

  it('is given up after it has ended its worker five times', async () => {
    const one = await service.sentToOne()
    await service.returned(one, deliveryReport([{ address: one.address }]))
    for (let count = 0; count < 5; count++) {
      await contextOf().repositories.waitingMessages.takeAcrossTeams(10, service.clock.now())
      service.clock.advance(3 * 60_000)
    }

    await service.act()

    await service.verdictsAre('unreadable')
    expect((await stateOf(service, one.emailId)).recipients).toEqual(['delivered'])
  })

  it('whose content is lost is said to be so, and does not hold up others', async () => {
    const one = await service.sentToOne()
    const lost = await service.returned(one, DELAY)
    await contextOf().gateways.blobs.remove(lost.blobKey)
    await service.returned(one, deliveryReport([{ address: one.address }]))

    await service.act()

    await service.verdictsAre('unreadable', 'bounce')
  })

  it('that cannot be read now is read later', async () => {
    const one = await service.sentToOne()
    await service.returned(one, deliveryReport([{ address: one.address }]))
    const { blobs } = contextOf().gateways
    const broken = {
      ...contextOf(),
      gateways: { ...contextOf().gateways, blobs: { ...blobs, open: () => Promise.reject(new Error('EIO')) } },
    }
    for (let count = 0; count < 7; count++) {
      await actOnReports(broken)
      service.clock.advance(3 * 60_000)
    }

    await service.act()

    await service.verdictsAre('bounce')
  })

  it('that takes too long to read is tried three times, then given up with its content kept, and does not hold up others', async () => {
    const one = await service.sentToOne()
    const slow = await service.returned(one, 'Subject: slow\r\n\r\n')
    await service.returned(one, deliveryReport([{ address: one.address }]))
    const { reports, blobs } = contextOf().gateways
    const read = async (bytes: Uint8Array) => (textOf(bytes).includes('slow') ? 'overdue' : reports.read(bytes))

    const states: string[] = []
    for (let count = 0; count < 3; count++) {
      await actOnReports({ ...contextOf(), gateways: { ...contextOf().gateways, reports: { ...reports, read } } })
      states.push((await service.verdicts()).map(({ state, verdict }) => `${state} ${verdict}`).join(', '))
      service.clock.advance(60_000)
    }

    expect(states).toEqual(['waiting null, done bounce', 'waiting null, done bounce', 'done unreadable, done bounce'])
    expect(await blobs.size(slow.blobKey)).toBe(slow.bytes)
  })

  it('that our own code fails to read is tried three times, and then given up', async () => {
    const one = await service.sentToOne()
    await service.returned(one, 'Subject: faulty\r\n\r\n')
    await service.returned(one, deliveryReport([{ address: one.address }]))
    const { reports } = contextOf().gateways
    const read = (bytes: Uint8Array) => (textOf(bytes).includes('faulty') ? Promise.reject(new TypeError('a fault')) : reports.read(bytes))
    const failing = { ...contextOf(), gateways: { ...contextOf().gateways, reports: { ...reports, read } } }

    const states: string[] = []
    for (let count = 0; count < 3; count++) {
      await actOnReports(failing)
      states.push((await service.verdicts()).map(({ state, verdict }) => `${state} ${verdict}`).join(', '))
      service.clock.advance(60_000)
    }

    expect(states).toEqual(['waiting null, done bounce', 'waiting null, done bounce', 'done unreadable, done bounce'])
  })

  it('for which no thread is there is read later, however often that was tried', async () => {
    const one = await service.sentToOne()
    await service.returned(one, deliveryReport([{ address: one.address }]))
    const { reports } = contextOf().gateways
    const read = () => Promise.reject(new Failure('unavailable', 'The thread that reads reports has been ended'))
    for (let count = 0; count < 7; count++) {
      await actOnReports({ ...contextOf(), gateways: { ...contextOf().gateways, reports: { ...reports, read } } })
      service.clock.advance(3 * 60_000)
    }

    await service.act()

    await service.verdictsAre('bounce')
  })

  it('that was read is left to the next worker if one that was not cannot be put off', async () => {
    const one = await service.sentToOne()
    await service.returned(one, 'Subject: faulty\r\n\r\n')
    await service.returned(one, deliveryReport([{ address: one.address }]))
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
    const one = await service.sentToOne()
    await service.returned(one, deliveryReport([{ address: one.address }]))
    const { repositories } = contextOf()
    const settleAcrossTeams = () => Promise.reject(new Error('Connection terminated'))
    const waitingMessages = { ...repositories.waitingMessages, settleAcrossTeams }
    for (let count = 0; count < 7; count++) {
      await expect(actOnReports({ ...contextOf(), repositories: { ...repositories, waitingMessages } })).rejects.toThrow('terminated')
      service.clock.advance(3 * 60_000)
    }

    await service.act()

    await service.verdictsAre('bounce')
  })

  it('is taken with as many others as fit into memory, or alone', async () => {
    for (const megabytes of [10, 5, 5, 40, 1])
      await storeInboundMessage(service, { content: automaticReply(), bytes: megabytes * 1024 * 1024 })

    const taken: number[] = []
    for (let count = -1; count !== 0; taken.push(count)) count = await service.act()

    expect(taken).toEqual([2, 1, 1, 1, 0])
  })

  it('is taken alone when a worker has died with it', async () => {
    for (let count = 0; count < 3; count++) await storeInboundMessage(service, { content: automaticReply() })
    const died = await contextOf().repositories.waitingMessages.takeAcrossTeams(3, service.clock.now())
    await storeInboundMessage(service, { content: automaticReply() })
    service.clock.advance(3 * 60_000)

    const taken: number[] = []
    for (let count = -1; count !== 0; taken.push(count)) count = await service.act()

    expect(died).toHaveLength(3)
    expect(taken).toEqual([1, 1, 1, 1, 0])
  })

  it('that a worker has no time for when it stops is left to the next one at once', async () => {
    const one = await service.sentToOne()
    for (let count = 0; count < 9; count++) await service.returned(one, automaticReply())
    await actOnReports(contextOf(), { signal: AbortSignal.abort() })

    expect(await service.act()).toBe(5)

    await service.verdictsAre(...Array.from({ length: 9 }, () => 'auto_reply'))
  })

  it('whose report holds what no database stores is acted upon', async () => {
    const one = await service.sentToOne()
    await service.returned(one, deliveryReport([{ address: one.address, diagnostic: 'smtp; 550 5.1.1 No\0body \ud800' }]))

    await service.act()

    await service.verdictsAre('bounce')
  })

  it('that our own code fails on is set aside, and the others of its batch are acted upon', async () => {
    const one = await service.sentToOne()
    const bad = await service.returned(one, DELAY)
    await service.returned(one, deliveryReport([{ address: one.address }]))
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

    await service.verdictsAre('unreadable', 'bounce')
  })

  it('that the database refuses is set aside, and the others of its batch are acted upon', async () => {
    const one = await service.sentToOne()
    const bad = await service.returned(one, DELAY)
    await service.returned(one, deliveryReport([{ address: one.address }]))
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

    await service.verdictsAre('unreadable', 'bounce')
  })
})
