import { expect, it } from 'vitest'
import { createId } from '../../src/lib/ids.ts'
import type { TrackedAct } from '../../src/mail/tracking/act-window.ts'
import type { NewTrackedAct } from '../../src/repositories/tracking/tracked-acts.ts'
import { createTrackedActs } from '../../src/services/record-tracked-acts.ts'
import { createMovingClock } from '../support/clocks/moving-clock.ts'

const GONE = createId()

/** What is recorded, lost and left out, while a database that knows every recipient but those of `GONE` fails as often as it is told. */
function create({ failures = 0 } = {}) {
  const recorded: NewTrackedAct[] = []
  const counts = { lost: 0, minute: 0, day: 0, gone: 0 }
  let failuresLeft = failures
  const clock = createMovingClock()
  const acts = createTrackedActs({
    repository: {
      async factsAcrossTeams(named) {
        const known = named.filter(({ domainId }) => domainId !== GONE)
        return new Map(known.map(({ recipientId }) => [recipientId, { teamId: createId(), address: 'ann@example.org', deliveredAt: null }]))
      },
      async recordAcrossTeams(batch) {
        if (failuresLeft-- > 0) throw new Error('the database is away')
        recorded.push(...batch)
      },
    },
    storesAddresses: true,
    clock,
    linksAsWritten: async () => [],
    onRecorded: () => {},
    onLeftOut(count, reason) {
      counts[reason] += count
    },
    onLost(count) {
      counts.lost += count
    },
  })
  const open = (domainId: string, emailId = createId(), recipientId = createId()): TrackedAct => ({
    kind: 'open',
    emailId,
    recipientId,
    domainId,
    target: '',
    method: 'GET',
    userAgent: 'Mozilla/5.0 Firefox',
    address: '192.0.2.7',
    at: clock.now(),
  })
  return { acts, open, recorded, counts }
}

it('links of one domain that are flooded make the opens of others lost neither before nor after they are held', async () => {
  const { acts, open, recorded, counts } = create({ failures: 1 })
  const [flooded, other] = [createId(), createId()]
  for (let count = 0; count < 110_000; count += 1) acts.add(open(flooded))
  const emailIds = Array.from({ length: 500 }, () => createId())
  for (const emailId of emailIds) acts.add(open(other, emailId))
  await acts.flush()
  const written = new Set(recorded.map(({ emailId }) => emailId))
  expect(emailIds.filter((emailId) => !written.has(emailId))).toEqual([])
  expect(recorded.length + counts.lost).toBe(110_500)
  expect(counts.lost).toBeGreaterThan(30_000)
  acts.add(open(flooded))
  await acts.flush()
  expect(recorded.length + counts.lost).toBe(110_501)
})

it('what is left out is counted by its reason', async () => {
  const { acts, open, recorded, counts } = create()
  const [emailId, recipientId] = [createId(), createId()]
  for (let count = 0; count < 70; count += 1) acts.add(open('domain', emailId, recipientId))
  acts.add(open(GONE))
  await acts.flush()
  expect([recorded.length, counts]).toEqual([60, { lost: 0, minute: 10, day: 0, gone: 1 }])
})
