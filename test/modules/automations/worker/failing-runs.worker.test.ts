import { beforeAll, describe, expect, it } from 'vitest'
import type { Step } from '../../../../src/modules/automations/graph/graph.ts'
import { addAutomation, createRunner, graphOf, leftRows, NOTHING_LEFT, runsOf, sendEvent } from '../../../support/builders/automations.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const clock = createMovingClock()
/** How often a worker looks for events that were set aside. */
const SET_ASIDE_LOOK_MS = 1_000
const pause: Step = { key: 'pause', type: 'delay', config: { duration: '1 hour' } }
let runAll: () => Promise<void>

const service = shared(() => startTestService({ clock }))
beforeAll(() => {
  ;({ runAll } = createRunner(service))
})

/** Until the end of `work`, each statement that writes such a row is ended as one that takes too long. */
async function whileTooLong(when: string, work: () => Promise<void>): Promise<void> {
  await service.database.execute(`
    create function take_too_long() returns trigger language plpgsql as $$
    begin
      raise exception 'canceling statement due to statement timeout' using errcode = 'query_canceled';
    end $$;
    create trigger take_too_long before ${when} execute function take_too_long()`)
  try {
    await work()
  } finally {
    await service.database.execute('drop function take_too_long cascade')
  }
}

const statusesOf = async (id: string) => (await runsOf(service, id)).map(({ status }) => status)

describe('a run whose statements take too long', () => {
  it('does not hold up the others, and is given up', async () => {
    const [slow, other] = [
      await addAutomation(service, graphOf([pause], 'slow.run')),
      await addAutomation(service, graphOf([pause], 'other.run')),
    ]
    await sendEvent(service, 'slow.run')
    await sendEvent(service, 'other.run')
    await runAll()
    const [run] = await runsOf(service, slow)
    clock.advance(3_600_000)
    await whileTooLong(
      `update of state on automation_runs for each row when (new.id = '${run?.id}' and new.status <> 'failed')`,
      async () => {
        await runAll()
        expect([await statusesOf(slow), await statusesOf(other)]).toEqual([['running'], ['completed']])
        for (let times = 0; times < 5; times += 1) {
          clock.advance(10_000)
          await runAll()
        }
      },
    )
    expect(await runsOf(service, slow)).toMatchObject([{ status: 'failed', reason: 'The run could not be processed.' }])
  })
})

describe('an event that takes too long to tell', () => {
  const send = async () => {
    const ids = [await addAutomation(service, graphOf([], 'slow.event')), await addAutomation(service, graphOf([], 'other.event'))]
    for (const name of ['other.event', 'slow.event', 'other.event']) await sendEvent(service, name)
    return ids
  }

  it('does not hold up the others, and is told once it can be', async () => {
    const [slow = '', other = ''] = await send()
    await whileTooLong(`insert on automation_runs for each row when (new.event_name = 'slow.event')`, async () => {
      await runAll()
      expect([await statusesOf(slow), await statusesOf(other)]).toEqual([[], ['completed', 'completed']])
    })
    await runAll()
    expect(await statusesOf(slow)).toEqual([])
    clock.advance(60_000)
    await runAll()
    expect(await statusesOf(slow)).toEqual(['completed'])
    expect(await leftRows(service)).toEqual(NOTHING_LEFT)
  })

  it('is kept after five tries, and told again on request', async () => {
    await service.database.execute('delete from automations')
    const [slow = ''] = await send()
    const { automationOccurrences } = service.service.context.repositories
    await whileTooLong(`insert on automation_runs for each row when (new.event_name = 'slow.event')`, async () => {
      for (const minutes of [0, 1, 2, 4, 8]) {
        clock.advance(minutes * 60_000)
        await runAll()
        expect((await leftRows(service)).occurrences).toBe(1)
      }
      clock.advance(365 * 24 * 3_600_000)
      expect(await automationOccurrences.dispatchAgainAcrossTeams(service.other.teamId)).toBe(0)
      expect(await automationOccurrences.dispatchAgainAcrossTeams(service.teamId)).toBe(1)
      clock.advance(SET_ASIDE_LOOK_MS)
      await runAll()
      expect((await leftRows(service)).occurrences).toBe(1)
    })
    await runAll()
    expect(await statusesOf(slow)).toEqual([])
    expect(await automationOccurrences.dispatchAgainAcrossTeams(null)).toBe(1)
    clock.advance(SET_ASIDE_LOOK_MS)
    await runAll()
    expect(await statusesOf(slow)).toEqual(['completed'])
    expect(await leftRows(service)).toEqual(NOTHING_LEFT)
  })
})
