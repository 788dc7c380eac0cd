import { afterEach, describe, expect, it } from 'vitest'
import { WHOLE_QUEUE } from '../../../../src/modules/delivery/lanes.ts'
import { deliveriesOf, sendEmail, stateOf, untilEvent } from '../../../support/builders/engine.ts'
import { createShiftingClock } from '../../../support/clocks/clocks.ts'
import { until } from '../../../support/clocks/until.ts'
import { type RelayService, startRelayService } from '../../../support/servers/mail-services.ts'

let service: RelayService

afterEach(() => service.close())

const repositories = () => service.service.context.repositories
const pauseTeam = () => repositories().queuePauses.addAcrossTeams({ ...WHOLE_QUEUE, teamId: service.teamId }, new Date())
const resumeAll = async () => {
  await repositories().queuePauses.removeWithinAcrossTeams(WHOLE_QUEUE)
  await repositories().lanes.unparkAcrossTeams(WHOLE_QUEUE, service.service.context.clock.now())
}
const untilParked = (id: string) =>
  until(async () => expect((await deliveriesOf(service, id)).map(({ dueAt }) => dueAt)).toEqual([Number.POSITIVE_INFINITY]))

describe('a paused part of the queue', () => {
  it('stays stopped when workers are started anew, keeps what is accepted meanwhile, and delays no other', async () => {
    service = await startRelayService()
    await pauseTeam()
    const before = await sendEmail(service)
    const worker = service.startWorker()
    await untilParked(before)
    await worker.stop()
    service.startWorker()
    const meanwhile = await sendEmail(service)
    const another = await sendEmail(service, {}, service.other.token)

    await untilEvent(service, another, 'delivered')
    await untilParked(meanwhile)
    expect(service.sink.messages).toHaveLength(1)

    await resumeAll()
    await untilEvent(service, before, 'delivered')
    await untilEvent(service, meanwhile, 'delivered')
    expect(service.sink.messages).toHaveLength(3)
  })

  it('is put aside while a worker runs, and taken back when only its pause is removed', async () => {
    service = await startRelayService()
    service.startWorker()
    const first = await sendEmail(service)
    await untilEvent(service, first, 'delivered')

    await pauseTeam()
    // Noticed within a second. Until then a worker may claim new rows.
    await until(async () => untilParkedNow(await sendEmail(service)))
    await repositories().queuePauses.removeWithinAcrossTeams(WHOLE_QUEUE)

    await until(async () => expect(await service.database.execute('select from deliveries')).toEqual([]))
  })

  it('keeps scheduled emails whose time comes, and these can still be dated anew and canceled', async () => {
    const clock = createShiftingClock()
    service = await startRelayService({ clock })
    await pauseTeam()
    service.startWorker()
    const inMs = (ms: number) => new Date(clock.now().getTime() + ms)
    const ids = [
      await sendEmail(service, { scheduled_at: inMs(60_000).toISOString() }),
      await sendEmail(service, { scheduled_at: inMs(60_000).toISOString() }),
      await sendEmail(service, { scheduled_at: inMs(60_000).toISOString() }),
    ] as const
    clock.shift(61_000)
    for (const id of ids) await untilParked(id)
    const [canceled, moved, kept] = ids

    const later = inMs(3_600_000)
    expect((await service.call('POST', `/emails/${canceled}/cancel`)).status).toBe(200)
    expect((await service.call('PATCH', `/emails/${moved}`, { body: { scheduled_at: later.toISOString() } })).status).toBe(200)
    expect(await deliveriesOf(service, canceled)).toEqual([])
    expect(await deliveriesOf(service, moved)).toMatchObject([{ dueAt: later }])

    await resumeAll()
    await untilEvent(service, kept, 'delivered')
    expect((await stateOf(service, canceled)).lastEvent).toBe('canceled')
    expect((await stateOf(service, moved)).lastEvent).toBe('scheduled')
    expect(service.sink.messages).toHaveLength(1)
  })
})

async function untilParkedNow(id: string): Promise<void> {
  const { recipients } = await until(async () => {
    const state = await stateOf(service, id)
    const [row] = await deliveriesOf(service, id)
    if (state.lastEvent !== 'delivered' && row?.dueAt.valueOf() !== Number.POSITIVE_INFINITY)
      throw new Error('Neither delivered nor put aside')
    return state
  })
  expect(recipients).toEqual(['queued'])
}
