import { expect, it } from 'vitest'
import { startDueChecks } from '../../../../src/modules/domains/checks/domain-checks.worker.ts'
import { until } from '../../../support/clocks/until.ts'

type Due = { teamId: string; end: () => void; ending: Promise<void> }

/** What is due, in the order of its times, and the checks that run until the test ends them. */
function world(checkedAtOnce: number) {
  const due: Due[] = []
  const running: Due[] = []
  const checks = startDueChecks<Due>({
    async take(limit, exceptTeamIds) {
      const taken = due.filter(({ teamId }) => !exceptTeamIds.includes(teamId)).slice(0, limit)
      for (const one of taken) due.splice(due.indexOf(one), 1)
      return taken
    },
    async check(one) {
      running.push(one)
      await one.ending
      running.splice(running.indexOf(one), 1)
    },
    onFailure: (error) => expect(error).toBeNull(),
    checkedAtOnce,
    lookEveryMs: 1,
  })
  return {
    add(teamId: string, count: number) {
      for (let left = count; left > 0; left -= 1) {
        const { promise, resolve } = Promise.withResolvers<void>()
        due.push({ teamId, end: resolve, ending: promise })
      }
    },
    countOf: (teamId: string) => running.filter((one) => one.teamId === teamId).length,
    async stop() {
      for (const one of [...due.splice(0), ...running]) one.end()
      await checks.stop()
    },
  }
}

it('has a place for each team, however much of others was due before and does not end', async () => {
  const { add, countOf, stop } = world(20)
  for (const teamId of ['a', 'b', 'c', 'd']) {
    add(teamId, 1_000)
    await until(async () => expect(countOf(teamId)).toBeGreaterThan(0))
  }
  await stop()
})

it('gives one team four fifths of the places, and makes no more checks at once than there are places', async () => {
  const { add, countOf, stop } = world(10)
  add('a', 100)
  await until(async () => expect(countOf('a')).toBe(8))
  for (const teamId of ['b', 'c', 'd']) add(teamId, 100)
  await until(async () => expect(['a', 'b', 'c', 'd'].reduce((sum, teamId) => sum + countOf(teamId), 0)).toBe(10))
  expect(countOf('a')).toBe(8)
  await stop()
})
