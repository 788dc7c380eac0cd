import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseWebhooks, type RunningRequests, type WaitingWebhook } from '../../../../src/modules/webhooks/sending/retry-schedule.ts'

const places = { all: 40, reserved: 10 }
const placesOfTeam = { all: 20, reserved: 6 }

const webhook = (teamId: string, name: string, runningMax = 20): WaitingWebhook => ({ webhookId: `${teamId}${name}`, teamId, runningMax })

/** `counts`: by webhook, whose team is its first letter. */
function running(counts: Record<string, number> = {}): RunningRequests {
  const ofTeam = new Map<string, { requests: number; webhooks: number }>()
  for (const [id, count] of Object.entries(counts)) {
    const team = ofTeam.get(id.charAt(0)) ?? { requests: 0, webhooks: 0 }
    ofTeam.set(id.charAt(0), { requests: team.requests + count, webhooks: team.webhooks + 1 })
  }
  return { ofWebhook: new Map(Object.entries(counts)), ofTeam, total: Object.values(counts).reduce((sum, count) => sum + count, 0) }
}
const choose = (waiting: WaitingWebhook[], counts: Record<string, number> = {}, max = 100) =>
  Object.fromEntries(
    chooseWebhooks(waiting, running(counts), { max, places, placesOfTeam }).map(({ webhookId, count }) => [webhookId, count]),
  )

describe('places are given', () => {
  it('to each team alike, however many webhooks it has', () => {
    const many = Array.from({ length: 9 }, (_, index) => webhook('a', String(index)))
    const given = choose([...many, webhook('b', '0')], {}, 10)
    expect(given.b0).toBe(5)
  })

  it('to the webhooks of a team that have fewest requests running, first', () => {
    expect(choose([webhook('a', '0'), webhook('a', '1')], { a0: 5 }, 1)).toEqual({ a1: 1 })
  })

  it('up to what a webhook may have running', () => {
    expect(choose([webhook('a', '0', 3)], { a0: 1 })).toEqual({ a0: 2 })
  })

  it('to a webhook whose team has others that take all they can', () => {
    expect(choose([webhook('a', '0', 50), webhook('a', '1')], { a0: 14 })).toMatchObject({ a1: 2 })
    expect(choose([webhook('a', '0', 50)], { a0: 14 })).toEqual({})
  })

  it('to a team while others take all they can', () => {
    expect(choose([webhook('c', '0')], { a0: 10, a1: 5, b0: 10, b1: 5 })).toEqual({ c0: 2 })
    expect(choose([webhook('a', '0')], { a0: 10, a1: 5, b0: 10, b1: 5 })).toEqual({})
  })

  it('never beyond a bound', () => {
    const waiting = fc.array(
      fc.record({ team: fc.constantFrom('a', 'b', 'c', 'd'), name: fc.nat(5), runningMax: fc.integer({ min: 1, max: 50 }) }),
      { maxLength: 20 },
    )
    fc.assert(
      fc.property(
        waiting,
        fc.dictionary(fc.constantFrom('a0', 'a1', 'b0', 'c3'), fc.integer({ min: 1, max: 10 })),
        fc.nat(50),
        (some, counts, max) => {
          const webhooks = new Map(some.map(({ team, name, runningMax }) => [`${team}${name}`, webhook(team, String(name), runningMax)]))
          const given = choose([...webhooks.values()], counts, max)
          const sum = Object.values(given).reduce((total, count) => total + count, 0)
          expect(sum).toBeLessThanOrEqual(max)
          expect(sum + running(counts).total).toBeLessThanOrEqual(Math.max(places.all, running(counts).total))
          for (const [id, count] of Object.entries(given))
            expect(count + (counts[id] ?? 0)).toBeLessThanOrEqual(webhooks.get(id)?.runningMax ?? 0)
        },
      ),
    )
  })
})
