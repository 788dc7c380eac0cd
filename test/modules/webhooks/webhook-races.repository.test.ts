// What waits for a webhook, while the webhook is disabled, enabled and deleted at the same moment.
import { describe, expect, it } from 'vitest'
import { DISABLED, waitingMessageOfWebhookRepository } from '../../../src/modules/webhooks/sending/pending-messages.repository.ts'
import { webhookRepository } from '../../../src/modules/webhooks/webhooks.repository.ts'
import { clearWebhook } from '../../../src/server/orphan-cleanup.ts'
import { createWebhook, failuresOf, happen, newSubjects, readWebhook, waitingOf } from '../../support/builders/webhooks.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { untilLockWait } from '../../support/servers/statements.ts'

const ROUNDS = 40
/** More than disabling gives up by itself. */
const MANY = 700

const service = shared(() => startTestService())

const clock = { now: () => new Date(), monotonicMs: () => performance.now() }
const newWebhook = async () => (await createWebhook(service, { endpoint: 'https://hooks.example.com' })).id
const patch = async (id: string, status: 'enabled' | 'disabled') =>
  (await service.call('PATCH', `/webhooks/${id}`, { body: { status } })).status
const clear = (id: string) => clearWebhook(service.service.context, { webhookId: id }, { signal: new AbortController().signal })
const messagesOf = async (id: string) => (await service.database.execute('select from webhook_messages where webhook_id = $1', [id])).length
const countsOf = async (id: string) => ({ waiting: (await waitingOf(service, id)).length, failed: (await failuresOf(service, id)).length })

/** Holds transactions that have done their work, until they are let go. */
function createHold() {
  const { promise: done, resolve: isDone } = Promise.withResolvers<void>()
  const { promise: mayGo, resolve: letGo } = Promise.withResolvers<void>()
  async function hold<Result>(work: Promise<Result>): Promise<Result> {
    const result = await work
    isDone()
    await mayGo
    return result
  }
  return { hold, done, letGo }
}

/** Gives up some of what waits, in a transaction that stays open. */
function startClearing(id: string) {
  const { hold, done, letGo } = createHold()
  const { execute, records, transaction } = service.database
  const repository = waitingMessageOfWebhookRepository({
    execute,
    records,
    transaction: (work) => transaction((inside) => hold(work(inside))),
  })
  return { cleared: repository.clearAcrossTeams(id, clock.now()), done, letGo }
}

describe('what still waits when a webhook was disabled', () => {
  it('is given up before the webhook is enabled: the one waits for the other', async () => {
    const id = await newWebhook()
    await happen(service, newSubjects(MANY))
    expect(await patch(id, 'disabled')).toBe(200)
    const left = (await waitingOf(service, id)).length
    const clearing = startClearing(id)
    await clearing.done
    const enabling = patch(id, 'enabled')
    await untilLockWait(service)
    clearing.letGo()
    expect([await clearing.cleared, await enabling]).toEqual([left, 200])
    expect(left).toBeGreaterThan(0)
    expect(await countsOf(id)).toEqual({ waiting: 0, failed: MANY })
  })

  it('is given up with nothing of what happens once the webhook is enabled', async () => {
    const id = await newWebhook()
    expect(await patch(id, 'disabled')).toBe(200)
    const { hold, done, letGo } = createHold()
    const { tables, records } = service.database
    const webhooks = webhookRepository({ tables, records: (work) => records((record) => hold(work(record))) }, { clock })
    const enabling = webhooks.updateWebhook(service.teamId, id, { status: 'enabled' })
    await done
    const { waitingWebhookMessages } = service.service.context.repositories
    const clearing = waitingWebhookMessages.clearAcrossTeams(id, clock.now())
    await untilLockWait(service)
    letGo()
    expect([await enabling, await clearing]).toEqual([{ id }, 0])
    await happen(service, newSubjects(3))
    await clear(id)
    expect(await countsOf(id)).toEqual({ waiting: 3, failed: 0 })
  })

  it('is given up by enabling the webhook if a transaction that began before has queued it since', async () => {
    const id = await newWebhook()
    const [subject = ''] = newSubjects(1)
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>()
    const { promise: hasHappened, resolve: happened } = Promise.withResolvers<void>()
    const late = service.database.transaction(async (inside) => {
      await happen({ ...service, database: { ...service.database, execute: inside } }, [subject])
      happened()
      await mayCommit
    })
    await hasHappened
    expect(await patch(id, 'disabled')).toBe(200)
    commit()
    await late
    expect(await countsOf(id)).toEqual({ waiting: 1, failed: 0 })
    expect(await patch(id, 'enabled')).toBe(200)
    expect(await waitingOf(service, id)).toEqual([])
    expect(await failuresOf(service, id)).toEqual([{ reason: DISABLED }])
  })
})

it('a webhook that is disabled and enabled at once, while things happen, loses none of them', async () => {
  const id = await newWebhook()
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = await countsOf(id)
    const subjects = newSubjects(2)
    const acts = [() => patch(id, 'disabled'), () => patch(id, 'enabled'), () => happen(service, subjects), () => clear(id)]
    await Promise.all([...acts.slice(round % 4), ...acts.slice(0, round % 4)].map((act) => act()))
    await clear(id)
    const { status } = await readWebhook(service, id)
    const after = await countsOf(id)
    if (status === 'disabled') expect(after.waiting).toBe(0)
    expect(after.waiting + after.failed).toBe(await messagesOf(id))
    expect(after.failed).toBeGreaterThanOrEqual(before.failed)
    expect(await patch(id, 'enabled')).toBe(200)
  }
})

it('a webhook that is deleted while it is enabled and what waits is given up leaves nothing', async () => {
  const id = await newWebhook()
  await happen(service, newSubjects(MANY))
  expect(await patch(id, 'disabled')).toBe(200)
  const clearing = startClearing(id)
  await clearing.done
  const deleting = service.call('DELETE', `/webhooks/${id}`)
  const enabling = patch(id, 'enabled')
  await untilLockWait(service)
  clearing.letGo()
  await clearing.cleared
  expect((await deleting).status).toBe(200)
  expect([200, 404]).toContain(await enabling)
  await clear(id)
  expect(await countsOf(id)).toEqual({ waiting: 0, failed: 0 })
  expect(await patch(id, 'enabled')).toBe(404)
})
