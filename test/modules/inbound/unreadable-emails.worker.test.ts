import { afterEach, describe, expect, it } from 'vitest'
import { Failure } from '../../../src/lib/failure.ts'
import type { ReceivedReader, ReceivedTask } from '../../../src/modules/inbound/reading/received-reader.ts'
import { readReceived, startReadingReceived } from '../../../src/modules/inbound/received.worker.ts'
import { storeReceived } from '../../support/builders/received-emails.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

/** Longer than a worker keeps an email for itself. */
const LATER_MS = 61_000

const clock = createMovingClock()
const service = shared(() => startTestService({ clock, environment: { DNS_SERVERS: '127.0.0.1:9' } }))

afterEach(() => service.database.execute('truncate received_emails, received_recipients, received_attachments, notifications'))

/** The context with another reader of messages. */
function reading(read: ReceivedReader['read']) {
  const { context } = service.service
  return { ...context, gateways: { ...context.gateways, received: { read, close: async () => {} } } }
}

const listed = async () =>
  ((await service.call('GET', '/emails/receiving')).body as { data: { id: string; problem: string | null }[] }).data
const events = async () =>
  (await service.database.execute<{ id: string }>(`select subject_id as id from notifications where type = 'email.received'`)).map(
    ({ id }) => id,
  )

describe('an email that cannot be read', () => {
  it('is tried eight times, and then listed with its envelope, and told of once', async () => {
    const { id } = await storeReceived(service)
    const stuck = reading(async () => 'overdue')
    for (let tries = 1; tries <= 8; tries += 1) {
      expect(await readReceived(stuck)).toBe(1)
      expect([await listed(), await events()]).toEqual([[], []])
      clock.advance(LATER_MS)
    }
    expect(await readReceived(stuck)).toBe(1)

    const { body } = await service.call('GET', `/emails/receiving/${id}`)
    expect(body).toMatchObject({
      ...{
        id,
        from: 'ada@example.org',
        to: ['support@example.com'],
        received_for: ['support@example.com'],
        subject: null,
        html: null,
        text: null,
      },
      ...{ headers: {}, attachments: [], authentication: null, problem: 'The message could not be read. The raw message is whole.' },
    })
    expect(await events()).toEqual([id])
    expect(await readReceived(stuck)).toBe(0)
  })

  it('says that its content was lost', async () => {
    const { id, blobKey } = await storeReceived(service)
    await service.service.context.gateways.blobs.remove(blobKey)
    await readReceived(service.service.context)
    expect(await listed()).toMatchObject([{ id, problem: 'The message was lost from the storage of the service.' }])
  })

  it('waits while there is no thread, and is read once there is one', async () => {
    const { id } = await storeReceived(service)
    const failing = reading(async () => {
      throw new Failure('unavailable', 'There is no thread')
    })
    await readReceived(failing)
    expect(await listed()).toEqual([])
    clock.advance(LATER_MS)
    await readReceived(service.service.context)
    expect(await listed()).toMatchObject([{ id, problem: null }])
  })
})

it('reads what was taken before alone, and nothing beside it', async () => {
  const { id: suspect } = await storeReceived(service)
  await readReceived(reading(async () => 'overdue'))
  clock.advance(LATER_MS)
  for (let count = 0; count < 5; count += 1) await storeReceived(service)
  let running = 0
  const beside: number[] = []
  const { received } = service.service.context.gateways
  const watched = reading(async (task: ReceivedTask) => {
    running += 1
    beside.push(running)
    const read = await received.read(task)
    running -= 1
    return read
  })

  expect(await readReceived(watched)).toBe(6)

  expect(beside).toEqual([1, 1, 2, 3, 4, 5])
  expect((await listed()).map(({ id }) => id)).toContain(suspect)
})

it('gives the teams turns', async () => {
  const mine = [await storeReceived(service), await storeReceived(service), await storeReceived(service)]
  const theirs = await storeReceived(service, { teamId: service.other.teamId })
  const { waitingReceived } = service.service.context.repositories
  const taken = await waitingReceived.takeAcrossTeams({ limit: 2, bytesMax: 1_000_000, withSuspects: true }, clock.now())
  expect(taken.map(({ id }) => id)).toEqual([mine[0]?.id, theirs.id])
})

it('takes no more bytes at once than there is room for, but always one email', async () => {
  const first = await storeReceived(service)
  await storeReceived(service)
  const { waitingReceived } = service.service.context.repositories
  expect((await waitingReceived.takeAcrossTeams({ limit: 10, bytesMax: 1, withSuspects: true }, clock.now())).map(({ id }) => id)).toEqual([
    first.id,
  ])
})

it('settles an email once, in whichever order they come', async () => {
  await storeReceived(service)
  const { context } = service.service
  await Promise.all([readReceived(context), readReceived(context), readReceived(context)])
  expect([(await listed()).length, (await events()).length]).toEqual([1, 1])
})

it('reads what comes while it runs, and stops', async () => {
  const reader = startReadingReceived(service.service.context, { lookEveryMs: 5 })
  const { id } = await storeReceived(service)
  await until(async () => expect(await listed()).toMatchObject([{ id }]))
  await reader.stop()
  await storeReceived(service)
  expect(await listed()).toHaveLength(1)
})
