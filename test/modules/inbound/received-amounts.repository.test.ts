import { beforeEach, describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { RECEIVED_AMOUNTS_KEPT_DAYS } from '../../../src/modules/metrics/metrics.schema.ts'
import { sweepReceivedAmounts } from '../../../src/server/sweeps.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const NOON = new Date('2026-11-20T12:00:00Z')

const clock = createMovingClock(NOON)
const service = shared(() => startTestService({ clock }))

beforeEach(() => service.database.execute('truncate received_amounts'))

const at = (minutes: number) => new Date(NOON.getTime() + minutes * MINUTE_MS)

const received = (teamId: string, createdAt: Date, bytes: number) => ({
  ...{ id: createId(), blobKey: createId(), teamId, bytes, createdAt },
  ...{ mailFrom: '', rcptTo: [], peer: '192.0.2.1', helo: 'x', tls: null, filter: null },
})

const rows = () => service.database.execute('select team_id, bucket, messages, bytes::int from received_amounts order by bytes')

describe('the amounts that teams receive', () => {
  it('are added up by team and quarter of an hour, also by statements that run at once', async () => {
    const { inboundMessages, receivedAmounts } = service.service.context.repositories
    const { teamId, other } = service
    const [early, late] = [at(0), at(14.9)]
    const batches = Array.from({ length: 20 }, (_, index) => {
      const pair = [received(teamId, early, 10), received(other.teamId, late, 1)]
      return index % 2 === 0 ? pair : pair.toReversed()
    })
    await Promise.all([...batches, [received(teamId, at(15), 1_000)]].map((batch) => inboundMessages.storeAcrossTeams([], batch)))

    expect(await rows()).toEqual([
      { team_id: other.teamId, bucket: at(0), messages: 20, bytes: 20 },
      { team_id: teamId, bucket: at(0), messages: 20, bytes: 200 },
      { team_id: teamId, bucket: at(15), messages: 1, bytes: 1_000 },
    ])
    expect(await receivedAmounts.since(teamId, at(0))).toEqual({ messages: 21, bytes: 1_200 })
    expect(await receivedAmounts.since(teamId, at(1))).toEqual({ messages: 1, bytes: 1_000 })
  })

  it('are removed once no one looks back so far', async () => {
    const { inboundMessages } = service.service.context.repositories
    const old = new Date(NOON.getTime() - RECEIVED_AMOUNTS_KEPT_DAYS * DAY_MS)
    const older = new Date(old.getTime() - 15 * MINUTE_MS)
    for (const [createdAt, bytes] of [
      [older, 1],
      [old, 2],
    ] as const)
      await inboundMessages.storeAcrossTeams([], [received(service.teamId, createdAt, bytes)])

    await sweepReceivedAmounts(service.service.context)

    expect(await rows()).toMatchObject([{ bytes: 2 }])
  })
})
