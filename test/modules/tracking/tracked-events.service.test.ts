import { expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import type { TrackedEvent } from '../../../src/modules/tracking/machine-hold.ts'
import type { NewTrackedEvent } from '../../../src/modules/tracking/tracked-events.repository.ts'
import { createEventRecorder } from '../../../src/modules/tracking/tracked-events.service.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'

const GONE = createId()

/** What is recorded, lost and left out, while a database that knows every recipient but those of `GONE` fails as often as it is told. */
function create({ failures = 0, isJustDelivered = false } = {}) {
  const recorded: NewTrackedEvent[] = []
  const counts = { lost: 0, minute: 0, day: 0, gone: 0 }
  let failuresLeft = failures
  const clock = createMovingClock()
  const deliveredAt = isJustDelivered ? clock.now() : null
  const events = createEventRecorder({
    repository: {
      async factsAcrossTeams(named) {
        const known = named.filter(({ domainId }) => domainId !== GONE)
        return new Map(known.map(({ recipientId }) => [recipientId, { teamId: createId(), address: 'ann@example.org', deliveredAt }]))
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
  const open = (domainId: string, emailId = createId(), recipientId = createId()): TrackedEvent => ({
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
  return { events, open, recorded, counts, clock }
}

it('links of one domain that are flooded make the opens of others lost neither before nor after they are held', async () => {
  const { events, open, recorded, counts } = create({ failures: 1 })
  const [flooded, other] = [createId(), createId()]
  for (let count = 0; count < 110_000; count += 1) events.add(open(flooded))
  const emailIds = Array.from({ length: 500 }, () => createId())
  for (const emailId of emailIds) events.add(open(other, emailId))
  await events.flush()
  const written = new Set(recorded.map(({ emailId }) => emailId))
  expect(emailIds.filter((emailId) => !written.has(emailId))).toEqual([])
  expect(recorded.length + counts.lost).toBe(110_500)
  expect(counts.lost).toBeGreaterThan(30_000)
  events.add(open(flooded))
  await events.flush()
  expect(recorded.length + counts.lost).toBe(110_501)
})

it('what is left out is counted by its reason', async () => {
  const { events, open, recorded, counts } = create()
  const [emailId, recipientId] = [createId(), createId()]
  for (let count = 0; count < 70; count += 1) events.add(open('domain', emailId, recipientId))
  events.add(open(GONE))
  await events.flush()
  expect([recorded.length, counts]).toEqual([60, { lost: 0, minute: 10, day: 0, gone: 1 }])
})

it('an event is judged by when it was done, however much later it is recorded', async () => {
  const { events, open, recorded, clock } = create({ isJustDelivered: true })
  events.add({ ...open('domain'), userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' })
  clock.advance(60_000)
  await events.flush()
  expect(recorded).toMatchObject([{ machineRule: 'too-soon' }])
})
