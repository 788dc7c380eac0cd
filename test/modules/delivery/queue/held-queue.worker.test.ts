// A service that was restored sends nothing before its queue is resumed: no mail, no webhooks, nothing of broadcasts and automations.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createId, LOWEST_ID } from '../../../../src/lib/ids.ts'
import { WHOLE_QUEUE } from '../../../../src/modules/delivery/lanes.ts'
import { addAutomation, graphOf, runsOf, sendEvent } from '../../../support/builders/automations.ts'
import { createBroadcast, emailsOf, readBroadcast, stepDue } from '../../../support/builders/broadcasts.ts'
import { addSegment, createContact } from '../../../support/builders/contacts.ts'
import { deliveriesOf, sendEmail, untilEvent } from '../../../support/builders/engine.ts'
import { createWebhook, waitingOf } from '../../../support/builders/webhooks.ts'
import { until } from '../../../support/clocks/until.ts'
import { type RelayService, startRelayService } from '../../../support/servers/mail-services.ts'
import { startWebhookSink, type WebhookSink } from '../../../support/servers/webhook-sink.ts'

let service: RelayService
let hooks: WebhookSink
beforeEach(async () => {
  hooks = await startWebhookSink()
  service = await startRelayService()
})
afterEach(async () => {
  await service.close()
  await hooks.close()
})

const repositories = () => service.service.context.repositories
const now = () => service.service.context.clock.now()
/** Pauses the queue as the restore of a backup does. */
const hold = () =>
  service.database.execute('insert into queue_pauses (id, created_at, backup_at) values (gen_random_uuid(), $1, $1)', [now()])

it('does nothing of all that is due until it is resumed, and then all of it', async () => {
  await hold()
  const { id: webhookId } = await createWebhook(service, { endpoint: `${hooks.url}/hook`, events: ['email.sent', 'contact.created'] })
  const segmentId = await addSegment(service)
  await createContact(service, { email: 'reader@example.org', segments: [{ id: segmentId }] })
  const broadcastId = await createBroadcast(service, { segment_id: segmentId, send: true })
  const automationId = await addAutomation(service, graphOf([{ key: 'wait', type: 'delay', config: { duration: '1 hour' } }]))
  await sendEvent(service, 'signed.up', { email: 'reader@example.org' })
  const email = await sendEmail(service)
  expect(await repositories().queuePauses.heldSinceBackupAcrossTeams()).toEqual(expect.any(Date))

  service.startWorker()
  await until(async () => expect((await deliveriesOf(service, email)).map(({ dueAt }) => dueAt)).toEqual([Number.POSITIVE_INFINITY]))
  expect(service.sink.messages).toEqual([])
  expect(hooks.hooks).toEqual([])
  expect(await waitingOf(service, webhookId)).toHaveLength(1)
  expect(await emailsOf(service, broadcastId)).toEqual([])
  expect(await readBroadcast(service, broadcastId)).toMatchObject({ status: 'queued' })
  // Runs start, because that is only noted. None of them does anything.
  await until(async () => expect(await runsOf(service, automationId)).toHaveLength(1))
  const { dueRuns, dueBroadcasts, webhookDeliveries } = repositories()
  expect(await dueRuns.claim(createId(), now(), 10)).toEqual([])
  expect(await dueRuns.claimSuspect(createId(), now())).toEqual([])
  expect(await dueRuns.teamsAcrossTeams(now(), LOWEST_ID)).toMatchObject({ teamIds: [] })
  expect(await dueRuns.claimByQuota(createId(), now(), [{ teamId: service.teamId, count: 10 }])).toEqual([])
  expect(await dueBroadcasts.list(service.teamId, now())).toEqual([])
  expect(await webhookDeliveries.lanesAcrossTeams(now())).toEqual([])
  expect((await runsOf(service, automationId)).map(({ state }) => state.at)).toEqual([null])

  await repositories().queuePauses.removeWithinAcrossTeams(WHOLE_QUEUE)
  await repositories().lanes.unparkAcrossTeams(WHOLE_QUEUE, now())
  await untilEvent(service, email, 'delivered')
  await until(() => expect(new Set(hooks.hooks.map(({ type }) => type))).toEqual(new Set(['contact.created', 'email.sent'])))
  await until(async () => expect(await readBroadcast(service, broadcastId)).toMatchObject({ status: 'sent', counts: { sent: 1 } }))
  await until(async () => expect((await runsOf(service, automationId)).map(({ state }) => state.at)).toEqual(['wait']))
  expect(await repositories().queuePauses.heldSinceBackupAcrossTeams()).toBeNull()
})

it.each([
  ['is held, whatever pauses a worker knows of', hold],
  ['is being restored', () => service.database.execute('create table unfinished_restore ()')],
])('gives no mail while the database %s', async (_what, make) => {
  const { deliveries } = repositories()
  const email = await sendEmail(service)
  await sendEmail(service)
  const lane = { class: 'transactional' as const, teamId: service.teamId, destination: 'relay', count: 1 }
  const claim = () => deliveries.claim(createId(), [lane])
  await service.database.execute(
    `update deliveries set is_ready = true, destination = 'relay', claims = case when email_id = $1 then 3 else 0 end`,
    [email],
  )
  await make()

  expect([...(await claim()), ...(await deliveries.claimSuspect(createId(), now()))]).toEqual([])

  await service.database.execute('delete from queue_pauses')
  await service.database.execute('drop table if exists unfinished_restore')
  expect(await claim()).toHaveLength(1)
  expect(await deliveries.claimSuspect(createId(), now())).toHaveLength(1)
})

it('gives no lease while the database is being restored, and ends those that there are', async () => {
  const { workerLeases } = repositories()
  const worker = createId()
  await workerLeases.register(worker)
  await service.database.execute('create table unfinished_restore ()')
  expect(await workerLeases.beat(worker)).toBe(false)
  await expect(workerLeases.register(createId())).rejects.toThrow('A backup is being restored into the database')
  await service.database.execute('drop table unfinished_restore')
  expect(await workerLeases.beat(worker)).toBe(true)
})

it('lets a broadcast be canceled before the queue is resumed', async () => {
  const segmentId = await addSegment(service)
  await createContact(service, { email: 'reader@example.org', segments: [{ id: segmentId }] })
  const broadcastId = await createBroadcast(service, { segment_id: segmentId, send: true })
  await stepDue(service)
  await stepDue(service)
  expect(await emailsOf(service, broadcastId)).toMatchObject([{ recipientState: 'queued' }])
  await hold()

  expect(await service.call('POST', `/broadcasts/${broadcastId}/cancel`)).toMatchObject({ status: 200 })
  service.startWorker()
  await until(async () => expect(await emailsOf(service, broadcastId)).toMatchObject([{ deliveries: [] }]))
  expect(service.sink.messages).toEqual([])
})
