import { afterEach, describe, expect, it } from 'vitest'
import { createId } from '../../../../src/lib/ids.ts'
import { CLAIMS_BEFORE_SUSPICION } from '../../../../src/lib/limits/claims.ts'
import { LANES_MAX, type Lane, ROWS_MOVED_MAX } from '../../../../src/modules/delivery/lanes.ts'
import { createLaneCache } from '../../../../src/modules/delivery/queue/lane-cache.ts'
import { LANE_CLASSES } from '../../../../src/modules/emails/new-delivery.ts'
import { newReputation, type Reputation } from '../../../../src/modules/limits/reputation-evaluation.ts'
import { saveReputationsAcrossTeams } from '../../../../src/modules/limits/reputations.repository.ts'
import { queueRows } from '../../../support/builders/engine.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService())
afterEach(() => service.database.execute('truncate deliveries, queue_pauses, team_reputations'))

const TEAM = createId()
const lane = (destination: string): Lane => ({ class: 'bulk', teamId: TEAM, destination })
const PART = { class: null, teamId: null, destination: 'a.test' }

/** A book and its clock. */
function open() {
  const clock = createMovingClock()
  const { repositories } = service.service.context
  return { clock, repositories, book: createLaneCache({ repositories, clock }) }
}
const destinations = async ({ book }: Pick<ReturnType<typeof open>, 'book'>) =>
  (await book.lanes()).lanes.map(({ destination }) => destination)
const ready = () => service.database.execute('select destination from deliveries where is_ready order by destination')

describe('the lanes of a worker', () => {
  it('are believed for a moment, then read again', async () => {
    const opened = open()
    await queueRows(service.database, [lane('a.test')])
    expect(await destinations(opened)).toEqual(['a.test'])
    await queueRows(service.database, [lane('b.test')])

    expect(await destinations(opened)).toEqual(['a.test'])
    opened.clock.advance(20)
    expect(await destinations(opened)).toEqual(['a.test', 'b.test'])
  })

  it('are passed through in rounds, each after the last one of the round before', async () => {
    const opened = open()
    const names = Array.from({ length: LANES_MAX + 3 }, (_, index) => `d${String(index).padStart(4, '0')}.test`)
    await queueRows(service.database, names.map(lane))

    expect(await destinations(opened)).toEqual(names.slice(0, LANES_MAX))
    opened.clock.advance(20)
    expect(await destinations(opened)).toEqual(names.slice(LANES_MAX))
    opened.clock.advance(20)
    expect(await destinations(opened)).toEqual(names.slice(0, LANES_MAX))
  })

  it('that gave less than was asked of them are empty until they are read again', async () => {
    const opened = open()
    await queueRows(service.database, [lane('a.test'), lane('b.test')])
    await opened.book.lanes()

    opened.book.note([{ ...lane('a.test'), count: 1 }], [])

    expect(await destinations(opened)).toEqual(['b.test'])
  })

  it('are all empty only if they were read in this turn, and each gave less than was asked of it', async () => {
    const { book, clock } = open()
    await queueRows(service.database, [lane('a.test')])
    const claimAll = (destination: string) => book.note([{ ...lane(destination), count: 1 }], [])

    await book.lanes()
    expect(book.isEmpty()).toBe(false)
    claimAll('a.test')
    expect(book.isEmpty()).toBe(true)

    // It came after they were read, and is not known in the turn that believes them.
    await book.lanes()
    await queueRows(service.database, [lane('b.test')])
    await book.lanes()
    claimAll('a.test')
    expect(book.isEmpty()).toBe(false)
    clock.advance(20)
    await book.lanes()
    claimAll('a.test')
    claimAll('b.test')
    expect(book.isEmpty()).toBe(true)
  })

  it('are not all empty before a round has come to the end', async () => {
    const opened = open()
    const names = Array.from({ length: LANES_MAX + 1 }, (_, index) => `d${String(index).padStart(4, '0')}.test`)
    await queueRows(service.database, names.map(lane))
    const claimAll = async () => {
      const { lanes } = await opened.book.lanes()
      opened.book.note(
        lanes.map((one) => ({ ...one, count: 1 })),
        [],
      )
    }

    await claimAll()
    expect(opened.book.isEmpty()).toBe(false)
    await claimAll()
    expect(opened.book.isEmpty()).toBe(true)
  })
})

describe('a paused part', () => {
  it('is put aside instead of claimed, and nothing of it is left in the way', async () => {
    const { repositories, book } = open()
    await queueRows(service.database, [lane('a.test'), lane('b.test')])
    await repositories.queuePauses.addAcrossTeams(PART, new Date())

    await book.promote()
    expect(await destinations({ book })).toEqual(['b.test'])
    expect(await ready()).toEqual([{ destination: 'b.test' }])
  })

  it('is heard of within a second, and back within a second after its end, without a restart', async () => {
    const { clock, repositories, book } = open()
    await queueRows(service.database, [lane('a.test')])
    await book.promote()
    await repositories.queuePauses.addAcrossTeams(PART, new Date())
    clock.advance(1_000)
    await book.promote()
    expect(await destinations({ book })).toEqual([])

    // Only the pause is removed: the command that did so was stopped before anything was taken back.
    await repositories.queuePauses.removeWithinAcrossTeams(PART)
    clock.advance(1_000)
    await book.promote()

    expect(await destinations({ book })).toEqual(['a.test'])
  })

  it('is taken back by a worker that starts, when it was resumed while none was running', async () => {
    const { repositories } = open()
    await queueRows(service.database, [lane('a.test')])
    await repositories.queuePauses.addAcrossTeams(PART, new Date())
    await repositories.lanes.parkAcrossTeams([lane('a.test')])
    await repositories.queuePauses.removeWithinAcrossTeams(PART)

    const started = open()
    await started.book.promote()

    expect(await destinations(started)).toEqual(['a.test'])
  })

  it('of many rows is put aside batch by batch, and the lanes beside it are served meanwhile', async () => {
    const { repositories, book } = open()
    await queueRows(service.database, [...Array.from({ length: ROWS_MOVED_MAX + 1 }, () => lane('a.test')), lane('b.test')])
    await repositories.queuePauses.addAcrossTeams(PART, new Date())
    await book.promote()

    expect(await book.lanes()).toEqual({ lanes: [lane('b.test')], mayHaveMore: true })
    expect(await book.lanes()).toEqual({ lanes: [lane('b.test')], mayHaveMore: false })
    expect(await ready()).toEqual([{ destination: 'b.test' }])
  })

  it('is not claimed the other way either, as one that may be what kills workers', async () => {
    const { repositories } = open()
    await queueRows(service.database, [{ ...lane('a.test'), claims: 3 }])
    await repositories.queuePauses.addAcrossTeams(PART, new Date())

    expect(await repositories.deliveries.claimSuspect(createId(), new Date(Date.now() + 1_000))).toEqual([])
    expect(await service.database.execute('select from deliveries where leased_by is null')).toHaveLength(1)
  })
})

describe('mail of a team that the guard has paused', () => {
  const reputation = async (changes: Partial<Reputation>) => {
    const { id } = await service.service.context.repositories.teams.create('Acme')
    await change(id, changes)
    return id
  }
  const change = (teamId: string, changes: Partial<Reputation>) =>
    saveReputationsAcrossTeams(service.database.execute, [{ teamId, ...newReputation(new Date()), reason: 'Bounces.', ...changes }])
  const queueBoth = (teamId: string) =>
    queueRows(
      service.database,
      LANE_CLASSES.map((kind) => ({ class: kind, teamId, destination: `${kind}.test` })),
    )
  const PROMOTED_MS = 1_000

  it.each([
    ['warning', ['bulk.test', 'transactional.test']],
    ['bulk_paused', ['transactional.test']],
    ['paused', []],
  ] as const)('is put aside as far as it is paused: %s', async (status, left) => {
    const opened = open()
    await queueBoth(await reputation({ status }))
    await opened.book.promote()
    expect((await destinations(opened)).toSorted()).toEqual(left)
    expect((await ready()).map(({ destination }) => destination)).toEqual(left)
  })

  it('is all taken back within a second after its release, also where all mail of it becomes bulk mail alone', async () => {
    const opened = open()
    const teamId = await reputation({ status: 'paused' })
    await queueBoth(teamId)
    await opened.book.promote()
    expect(await destinations(opened)).toEqual([])
    await change(teamId, { status: 'bulk_paused' })
    opened.clock.advance(PROMOTED_MS)
    await opened.book.promote()
    expect((await ready()).map(({ destination }) => destination)).toEqual(['transactional.test'])
    await change(teamId, { status: 'good', reason: null })
    opened.clock.advance(PROMOTED_MS)
    await opened.book.promote()
    expect((await ready()).map(({ destination }) => destination)).toEqual(['bulk.test', 'transactional.test'])
  })

  it('is not claimed as one that may be what kills workers', async () => {
    const teamId = await reputation({ status: 'bulk_paused' })
    await queueRows(service.database, [{ class: 'bulk', teamId, destination: 'a.test', claims: CLAIMS_BEFORE_SUSPICION }])
    const { deliveries } = service.service.context.repositories
    const unclaimed = async () => {
      await deliveries.claimSuspect(createId(), new Date(Date.now() + 60_000))
      return service.database.execute('select from deliveries where leased_by is null')
    }
    expect(await unclaimed()).toHaveLength(1)
    await change(teamId, { status: 'good', reason: null })
    expect(await unclaimed()).toHaveLength(0)
  })

  it.each([
    ['bulk', ['bulk.test'], 100],
    ['all', ['bulk.test', 'transactional.test'], 100],
  ] as const)('has its turn in a tenth of the time for a day after its release: %s', async (throttled, names, looks) => {
    const opened = open()
    const teamId = await reputation({
      status: 'good',
      reason: null,
      throttled,
      throttledUntil: new Date(opened.clock.now().getTime() + 86_400_000),
    })
    await queueBoth(teamId)
    const seen = { 'bulk.test': 0, 'transactional.test': 0 }
    for (let index = 0; index < looks; index += 1) {
      opened.clock.advance(3_000)
      await opened.book.promote()
      for (const name of await destinations(opened)) seen[name as keyof typeof seen] += 1
    }
    for (const [name, count] of Object.entries(seen))
      expect([name, count]).toEqual([name, (names as readonly string[]).includes(name) ? looks / 10 : looks])
    opened.clock.advance(86_400_000 + 3_000)
    await opened.book.promote()
    expect((await destinations(opened)).toSorted()).toEqual(['bulk.test', 'transactional.test'])
  })
})
