import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { emailInput } from '../support/builders/emails.ts'
import { createShiftingClock, type ShiftingClock } from '../support/clocks/clocks.ts'
import { until } from '../support/clocks/until.ts'
import { startTestService, type TestService } from '../support/servers/service.ts'

const DAY_MS = 86_400_000

let clock: ShiftingClock
let service: TestService
beforeEach(async () => {
  clock = createShiftingClock()
  service = await startTestService({ clock, environment: { ROLES: 'api,worker', EMAIL_RETENTION_DAYS: '3' } })
})
afterEach(() => service.close())

const KEY = { 'idempotency-key': 'sent before the clock moved' }

const idOf = ({ body }: { body: unknown }) => (body as { id: string }).id
const idsOf = ({ body }: { body: unknown }) => (body as { data: { id: string }[] }).data.map(({ id }) => id)

async function sendAndDeliver(headers: Record<string, string> = {}): Promise<string> {
  const accepted = await service.call('POST', '/emails', { body: emailInput(), headers })
  expect(accepted).toMatchObject({ status: 200 })
  const id = idOf(accepted)
  await until(async () => expect((await service.call('GET', `/emails/${id}`)).body).toMatchObject({ last_event: 'delivered' }))
  return id
}

/** Runs the jobs that remove what is old, as they run every hour. */
async function sweep(): Promise<void> {
  const tasks = [
    'maintain-partitions',
    'sweep-emails',
    'sweep-blobs',
    'sweep-import-reports',
    'bound-inbound-messages',
    'sweep-inbound-messages',
    'sweep-sessions',
    'sweep-oauth',
    'remove-expired-idempotency-keys',
  ]
  await service.database.execute('select graphile_worker.add_job(unnest($1::text[]))', [tasks])
  const left = () => service.database.execute('select 1 from graphile_worker.jobs where task_identifier = any($1)', [tasks])
  await until(async () => expect(await left()).toEqual([]))
}

describe.each([-10, 400])('a clock that is %i days off', (days) => {
  it('accepts, delivers, logs and is healthy, removes nothing for its age, and does the same when it is put right', async () => {
    const before = await sendAndDeliver(KEY)
    await sweep()

    clock.shift(days * DAY_MS)
    const meanwhile = await sendAndDeliver()
    await sweep()
    expect(await service.call('GET', '/health/ready', { token: null })).toMatchObject({ status: 200, body: { status: 'ok' } })
    expect((await service.call('GET', `/emails/${meanwhile}/events`)).body).toMatchObject({
      data: [{ type: 'email.delivered' }, { type: 'email.sent' }],
    })

    clock.shift(-days * DAY_MS)
    const afterwards = await sendAndDeliver()
    await sweep()
    expect(idOf(await service.call('POST', '/emails', { body: emailInput(), headers: KEY }))).toBe(before)
    expect(idsOf(await service.call('GET', '/emails')).toSorted()).toEqual([before, meanwhile, afterwards].toSorted())
    for (const id of [before, meanwhile, afterwards])
      expect((await service.call('GET', `/emails/${id}/attempts`)).body).toMatchObject({ data: [{ outcome: 'delivered' }] })
    await until(async () => {
      const { body } = await service.call('GET', '/logs?limit=100')
      const sent = (body as { data: { method: string; endpoint: string }[] }).data.filter(({ method }) => method === 'POST')
      expect(sent).toHaveLength(4)
    })
  })
})
