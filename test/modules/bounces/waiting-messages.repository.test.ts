// The order in which messages are taken and put off. Workers do not hold up each other.
import { beforeEach, describe, expect, it } from 'vitest'
import { TAKE } from '../../../src/modules/bounces/pending-reports.repository.ts'
import { storeInboundMessage } from '../../support/builders/received-emails.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { WAITS_FOR_LOCK } from '../../support/servers/statements.ts'

const [FLOOD, OTHER, THIRD] = ['192.0.2.1', '192.0.2.2', '2001:db8::1']

const clock = createMovingClock()
const service = shared(() => startTestService({ clock }))

beforeEach(() => service.database.execute('truncate inbound_messages'))

const stored = async (peer: string, count = 1) => {
  const messages = []
  for (let each = 0; each < count; each += 1) messages.push(await storeInboundMessage(service, { peer }))
  return messages.map(({ id }) => id)
}
const take = async (limit: number) =>
  (await service.service.context.repositories.waitingMessages.takeAcrossTeams(limit, clock.now())).map(({ id }) => id)

const WAITING = `select from pg_stat_activity where ${WAITS_FOR_LOCK} and datname = current_database()`

describe('the messages that are taken next', () => {
  it('are of each peer that waits, however many another has sent before', async () => {
    const flood = await stored(FLOOD, 30)
    const [other] = await stored(OTHER)
    const third = await stored(THIRD, 2)

    expect([await take(6), await take(6)]).toEqual([[...flood.slice(0, 2), other, ...third], flood.slice(2, 8)])
  })

  it('are the oldest of as many peers as fit', async () => {
    const ids = [...(await stored(THIRD)), ...(await stored(FLOOD)), ...(await stored(OTHER))]
    expect([await take(2), await take(2)]).toEqual([ids.slice(0, 2), ids.slice(2)])
  })

  it('are those of others while all of a peer are put off', async () => {
    const flood = await stored(FLOOD, 3)
    await take(3)
    const [other] = await stored(OTHER)
    expect(await take(3)).toEqual([other])
    clock.advance(60_000)
    // A message that was taken before is taken alone.
    expect(await take(3)).toEqual(flood.slice(0, 1))
  })

  it('are found by the indexes of what waits', async () => {
    await service.database.execute(
      `insert into inbound_messages (id, purpose, mail_from, rcpt_to, bytes, peer, helo, received_at, state)
       select gen_random_uuid(), 'postmaster', '', '', 100, '192.0.2.' || n % 250, '', now(), case when n % 10 = 0 then 'waiting' else 'done' end
       from generate_series(1, 20000) n`,
    )
    await service.database.execute('analyze inbound_messages')
    const plan = JSON.stringify(
      await service.database.execute(`explain (format json) ${TAKE.text}`, [100, clock.now(), clock.now(), 1_000]),
    )
    expect(plan).toContain('inbound_messages_waiting_peer_idx')
    expect(plan).not.toContain('Seq Scan')
  })
})

describe('a message that is put off', () => {
  it('waits longer each time while its signature cannot be judged', async () => {
    const [id = ''] = await stored(FLOOD)
    const { waitingMessages } = service.service.context.repositories
    const waits: number[] = []
    for (let count = 0; count < 8; count += 1) {
      await take(1)
      await waitingMessages.postponeAcrossTeams([id], clock.now(), { counts: 'postponement' })
      let seconds = 0
      for (; (await take(1)).length === 0; seconds += 15) clock.advance(15_000)
      await waitingMessages.releaseAcrossTeams([id])
      waits.push(seconds)
    }
    // The first look after the time.
    expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900, 900].map((seconds) => seconds + 15))
  })

  it('is locked in the order of ids, as when messages are settled', async () => {
    const [first = ''] = await stored(FLOOD)
    const [last = ''] = await stored(FLOOD)
    // Written anew, the first is met after the last when the table is read.
    await service.database.execute('update inbound_messages set helo = helo where id = $1', [first])
    await service.database.execute('analyze inbound_messages')
    const { waitingMessages } = service.service.context.repositories
    const { releasing } = await service.database.transaction(async (inside) => {
      await inside('select from inbound_messages where id = $1 for update', [first])
      const releasing = waitingMessages.releaseAcrossTeams([last, first])
      await until(async () => expect(await service.database.execute(WAITING)).toHaveLength(1))
      await inside('select from inbound_messages where id = $1 for update nowait', [last])
      return { releasing }
    })
    await releasing
  })
})
