// A broadcast to a bought list, through the engine and a real mail server that knows a fifth of its addresses not: the guard pauses it in the middle, and no recipient is
// lost or gets it twice.
import { expect, it } from 'vitest'
import { DAY_MS } from '../../../../src/lib/clock.ts'
import { EVALUATED_SENT_MIN } from '../../../../src/modules/limits/reputation-evaluation.ts'
import { addManyMembers, createBroadcast, readBroadcast } from '../../../support/builders/broadcasts.ts'
import { addSegment } from '../../../support/builders/contacts.ts'
import { untilEvent } from '../../../support/builders/engine.ts'
import { createShiftingClock } from '../../../support/clocks/clocks.ts'
import { until } from '../../../support/clocks/until.ts'
import { startRelayService } from '../../../support/servers/mail-services.ts'
import { shared } from '../../../support/servers/service.ts'

const KEY = 'the-operator-key-of-these-tests-which-is-long'
/** After the pause, fewer are left than the guard evaluates, so that it does not pause them again. */
const RECIPIENTS = 2 * EVALUATED_SENT_MIN - 1
/** From here on the mail server holds its answers to the list, until the guard has paused it. */
const HELD_FROM = EVALUATED_SENT_MIN + 50
const isUnknown = (address: string) => /^m\d*[05]\./.test(address)

const clock = createShiftingClock()
const service = shared(() => startRelayService({ clock, environment: { OPERATOR_KEY: KEY, GUARD: 'bulk' } }))

type States = Record<string, number>

async function statesOf(broadcastId: string): Promise<States> {
  const rows = await service.database.execute<{ state: string; count: number }>(
    `select r.state, count(*)::int as count from recipients r join emails e on e.id = r.email_id where e.broadcast_id = $1 group by 1`,
    [broadcastId],
  )
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

/** The work that is left of a broadcast: `waiting` is set aside, `taken` is being sent. */
async function deliveriesOf(broadcastId: string): Promise<{ waiting: number; taken: number; all: number }> {
  const [row] = await service.database.execute<{ waiting: number; taken: number; all: number }>(
    `select count(*) filter (where d.due_at = 'infinity')::int as waiting, count(*) filter (where d.leased_by is not null)::int as taken,
       count(*)::int as all from deliveries d join emails e on e.id = d.email_id where e.broadcast_id = $1`,
    [broadcastId],
  )
  return row ?? { waiting: 0, taken: 0, all: 0 }
}

const total = (states: States): number => Object.values(states).reduce((sum, count) => sum + count, 0)
const operator = (method: string, path: string) => service.call(method, path, { token: KEY })

it('a broadcast is paused in the middle for its bounces, and after the release each recipient gets it or bounces, once', {
  timeout: 240_000,
}, async () => {
  const { teamId, sink, sinkOptions } = service
  const asked = new Map<string, number>()
  const hold = Promise.withResolvers<void>()
  const ofList = () => [...asked.values()].reduce((sum, count) => sum + count, 0)
  sinkOptions.onRecipient = (to) => {
    if (to.startsWith('m')) asked.set(to, (asked.get(to) ?? 0) + 1)
    return isUnknown(to) ? { code: 550, text: '5.1.1 No such user here' } : undefined
  }
  sinkOptions.beforeReply = ({ to }) => (to[0]?.startsWith('m') && ofList() > HELD_FROM ? hold.promise : Promise.resolve())

  const segmentId = await addSegment(service)
  const addresses = await addManyMembers(service, segmentId, RECIPIENTS)
  const broadcast = await createBroadcast(service, { segment_id: segmentId, send: true })
  service.startWorker()
  const reputation = async () => ((await operator('GET', `/teams/${teamId}`)).body as { reputation: string }).reputation
  await until(async () => expect(await reputation()).toBe('bulk_paused'))
  // What is being sent at that moment ends; nothing is begun any longer.
  await until(async () => expect((await deliveriesOf(broadcast)).waiting).toBeGreaterThan(100))
  hold.resolve()
  await until(async () => {
    const { waiting, all } = await deliveriesOf(broadcast)
    expect(waiting).toBe(all)
  })

  const paused = await statesOf(broadcast)
  const left = await deliveriesOf(broadcast)
  expect(left).toEqual({ waiting: paused.queued, taken: 0, all: paused.queued })
  expect(Object.keys(paused).sort()).toEqual(['bounced', 'delivered', 'queued'])
  expect(total(paused)).toBe(RECIPIENTS)
  expect((paused.delivered ?? 0) + (paused.bounced ?? 0)).toBe(asked.size)
  expect(paused.delivered).toBe(sink.messages.length)

  // Other mail of the team is still sent.
  const { body } = await service.call('POST', '/emails', {
    body: { from: 'a@example.com', to: 'receipt@example.org', subject: 'Your receipt', text: 'Thank you' },
  })
  await untilEvent(service, (body as { id: string }).id, 'delivered')
  expect(await statesOf(broadcast)).toEqual(paused)
  expect((await readBroadcast(service, broadcast)).status).toBe('queued')

  expect((await operator('POST', `/teams/${teamId}/release`)).status).toBe(200)
  // The day of a tenth of the pace is over.
  clock.shift(DAY_MS + 1)
  await until(async () => expect((await readBroadcast(service, broadcast)).status).toBe('sent'))
  await until(async () => expect((await deliveriesOf(broadcast)).all).toBe(0))
  const unknown = addresses.filter(isUnknown)
  expect(await statesOf(broadcast)).toEqual({ bounced: unknown.length, delivered: RECIPIENTS - unknown.length })
  const reached = sink.messages.flatMap(({ to }) => to).filter((to) => to.startsWith('m'))
  expect(reached.toSorted()).toEqual(addresses.filter((address) => !isUnknown(address)).toSorted())
  expect([...asked.entries()].filter(([, count]) => count !== 1)).toEqual([])
  const told = await service.database.execute<{ type: string }>(
    `select type from notifications where team_id = $1 and type like 'reputation.%' order by id`,
    [teamId],
  )
  expect(told.map(({ type }) => type)).toEqual(['reputation.paused', 'reputation.released'])
})
