import { beforeEach, describe, expect, it } from 'vitest'
import { createId } from '../../../../src/lib/ids.ts'
import { CLAIMS_BEFORE_SUSPICION } from '../../../../src/lib/limits/claims.ts'
import type { ClaimedMessage, MessageOutcome } from '../../../../src/modules/webhooks/sending/webhook-deliveries.repository.ts'
import { createWebhook, happen, newSubjects, waitingOf, webhookAttemptsOf } from '../../../support/builders/webhooks.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

let webhookId: string
let workers: string[]

const service = shared(() => startTestService())
beforeEach(async () => {
  await service.database.execute('truncate webhooks, webhook_deliveries, webhook_attempts, webhook_failures, worker_leases')
  webhookId = (await createWebhook(service, { endpoint: 'https://hooks.example.com', concurrency: 10 })).id
  workers = [createId(), createId(), createId()]
  for (const id of workers) await repositories().workerLeases.register(id)
})

const repositories = () => service.service.context.repositories
const now = () => new Date()

const claim = async (workerId: string, count: number, { of = webhookId, isSuspect = false } = {}): Promise<ClaimedMessage[]> => {
  const options = { now: now(), createId: () => createId(), isSuspect }
  return (await repositories().webhookDeliveries.claim(workerId, [{ webhookId: of, count }], options)).claimed
}

const outcomeOf = ({ seq, messageId, attemptId, endpoint }: ClaimedMessage, more: Partial<MessageOutcome> = {}): MessageOutcome => ({
  ...{ seq, webhookId, messageId, attemptId, endpoint, outcome: 'success', httpStatus: 200, response: 'ok', error: null, durationMs: 1 },
  ...{ retryAt: null, reason: null, concernsEndpoint: true },
  ...more,
})
const settle = (workerId: string, outcomes: MessageOutcome[]) => repositories().webhookDeliveries.settle(workerId, outcomes, now())
const rows = () =>
  service.database.execute<{ claims: number; isLeased: boolean }>(
    'select claims, leased_by is not null as "isLeased" from webhook_deliveries order by seq',
  )

describe('looking for webhooks', () => {
  it.each([
    ['is none', 'delete from webhooks', false],
    ['is only one that is disabled', "update webhooks set status = 'disabled'", false],
    ['is only one whose events are read', 'update webhooks set endpoint = null', false],
    ['is one to send to', 'select', true],
  ])('says whether there %s', async (_what, change, isThere) => {
    await service.database.execute(change)
    expect(await repositories().webhookDeliveries.anyAcrossTeams()).toBe(isThere)
  })
})

describe('claiming', () => {
  it('by several workers at once takes each message once, and never more than the concurrency of the webhook', async () => {
    const ids = await happen(service, newSubjects(40))
    const taken: string[] = []
    while (taken.length < 40) {
      const claimed = await Promise.all(workers.map(async (id) => ({ id, messages: await claim(id, 7) })))
      expect(claimed.flatMap(({ messages }) => messages).length).toBeLessThanOrEqual(10)
      for (const { id, messages } of claimed) {
        taken.push(...messages.map(({ messageId }) => messageId))
        if (messages.length > 0)
          await settle(
            id,
            messages.map((message) => outcomeOf(message)),
          )
      }
    }
    expect(taken.toSorted()).toEqual(ids.toSorted())
    expect(await waitingOf(service, webhookId)).toEqual([])
    expect((await webhookAttemptsOf(service, webhookId)).filter(({ outcome }) => outcome !== 'success')).toEqual([])
  })

  it.each([
    ['disabled', "update webhooks set status = 'disabled'"],
    ['for its feed only', 'update webhooks set endpoint = null'],
    ['gone', 'delete from webhooks'],
  ])('takes nothing of a webhook that is %s, and it is not listed', async (_name, change) => {
    await happen(service, newSubjects(1))
    expect(await repositories().webhookDeliveries.lanesAcrossTeams(now())).toMatchObject([{ webhookId, teamId: service.teamId }])
    await service.database.execute(change)
    expect(await repositories().webhookDeliveries.lanesAcrossTeams(now())).toEqual([])
    expect(await claim(workers[0] ?? '', 1)).toEqual([])
  })

  it('waits for no other transaction that changes the webhook', async () => {
    await happen(service, newSubjects(1))
    await service.database.transaction(async (inside) => {
      await inside('select from webhooks where id = $1 for update', [webhookId])
      expect(await claim(workers[0] ?? '', 1)).toEqual([])
    })
    expect(await claim(workers[0] ?? '', 1)).toHaveLength(1)
  })
})

describe('claiming for an ordered webhook', () => {
  it('puts off what waits for an earlier message, and says that there may be more until it has looked at all', async () => {
    await service.database.execute('update webhooks set is_ordered = true')
    const [crowded = '', last = ''] = newSubjects(2)
    const ids = await happen(service, [...Array.from({ length: 450 }, () => crowded), last])
    const claimAll = async () => {
      const options = { now: now(), createId: () => createId() }
      const { claimed, mayHaveMore } = await repositories().webhookDeliveries.claim(workers[0] ?? '', [{ webhookId, count: 10 }], options)
      return { claimed: claimed.map(({ messageId }) => ids.indexOf(messageId)), mayHaveMore }
    }
    expect(await claimAll()).toEqual({ claimed: [0], mayHaveMore: true })
    expect(await claimAll()).toEqual({ claimed: [], mayHaveMore: true })
    expect(await claimAll()).toEqual({ claimed: [450], mayHaveMore: true })
    expect(await claimAll()).toEqual({ claimed: [], mayHaveMore: false })
  })
})

describe('settling', () => {
  it('by a worker that was declared dead records what happened, and leaves the message to its new owner', async () => {
    const [dead = '', alive = ''] = workers
    await happen(service, newSubjects(1))
    const [first] = await claim(dead, 1)
    await repositories().workerLeases.free(dead, '0', now())
    expect(await webhookAttemptsOf(service, webhookId)).toMatchObject([{ outcome: 'unknown' }])
    const [second] = await claim(alive, 1)
    if (first) await settle(dead, [outcomeOf(first)])
    expect(await rows()).toEqual([{ claims: 2, isLeased: true }])
    if (second) await settle(alive, [outcomeOf(second)])
    expect(await rows()).toEqual([])
    expect((await webhookAttemptsOf(service, webhookId)).map(({ outcome }) => outcome)).toEqual(['success', 'success'])
  })

  it('writes the same a second time without doing anything twice', async () => {
    const [worker = ''] = workers
    await happen(service, newSubjects(1))
    const [message] = await claim(worker, 1)
    const failed = message && outcomeOf(message, { outcome: 'failure', httpStatus: 500, error: 'no', retryAt: new Date(0) })
    if (failed) for (let times = 0; times < 2; times++) await settle(worker, [failed])
    expect(await waitingOf(service, webhookId)).toEqual([{ dueAt: new Date(0), failures: 1 }])
  })
})

describe('what a worker holds without knowing', () => {
  it('is listed, and released without counting against the message', async () => {
    const [worker = ''] = workers
    await happen(service, newSubjects(2))
    const [first, second] = await claim(worker, 2)
    expect((await repositories().webhookDeliveries.heldBy(worker)).toSorted()).toEqual([first?.attemptId, second?.attemptId].toSorted())
    await repositories().webhookDeliveries.release(worker, [first?.attemptId ?? ''])
    expect(await repositories().webhookDeliveries.heldBy(worker)).toEqual([second?.attemptId])
    expect(await rows()).toEqual([
      { claims: 0, isLeased: false },
      { claims: 1, isLeased: true },
    ])
    expect((await webhookAttemptsOf(service, webhookId)).map(({ outcome }) => outcome).toSorted()).toEqual([null, 'unknown'].toSorted())
  })

  it('is freed if it was claimed after the worker was declared dead', async () => {
    const [dead = ''] = workers
    await happen(service, newSubjects(1))
    await repositories().workerLeases.free(dead, '0', now())
    expect(await claim(dead, 1)).toHaveLength(1)
    expect(await repositories().workerLeases.gone()).toEqual([dead])
    expect(await repositories().workerLeases.freeGone(dead, now())).toBe(true)
    expect(await rows()).toEqual([{ claims: 1, isLeased: false }])
    expect(await repositories().workerLeases.gone()).toEqual([])
  })

  it('stays with a worker that is listed', async () => {
    const [alive = ''] = workers
    await happen(service, newSubjects(1))
    await claim(alive, 1)
    expect(await repositories().workerLeases.gone()).toEqual([])
    expect(await repositories().workerLeases.freeGone(alive, now())).toBe(false)
    expect(await rows()).toEqual([{ claims: 1, isLeased: true }])
  })
})

describe('a worker that leaves by itself', () => {
  it('does not count against what it was sending', async () => {
    const [worker = ''] = workers
    await happen(service, newSubjects(1))
    await claim(worker, 1)
    await repositories().workerLeases.free(worker, null, now())
    expect(await rows()).toEqual([{ claims: 0, isLeased: false }])
  })
})

describe('disabling for a reason', () => {
  const disabled = async (options: { endpoint?: string; failingSince?: Date }) => {
    const wasDisabled = await repositories().webhookDeliveries.disable(webhookId, 'Gone', { now: now(), ...options })
    await service.database.execute("update webhooks set status = 'enabled', disabled_reason = null")
    return wasDisabled
  }

  it('does so only while it holds: for the same endpoint, and if it has been failing as long', async () => {
    const failingSince = new Date(now().getTime() - 60_000)
    await service.database.execute('update webhooks set failing_since = $1', [failingSince])
    const [earlier, later] = [new Date(failingSince.getTime() - 1), new Date(failingSince.getTime() + 1)]
    expect(await disabled({ endpoint: 'https://other.example.com' })).toBe(false)
    expect(await disabled({ failingSince: earlier })).toBe(false)
    expect(await disabled({ endpoint: 'https://hooks.example.com', failingSince: later })).toBe(true)
  })

  it('leaves what was delivered delivered when its replay waits', async () => {
    const [worker = ''] = workers
    const [messageId = ''] = await happen(service, newSubjects(1))
    const [message] = await claim(worker, 1)
    if (message) await settle(worker, [outcomeOf(message)])
    await repositories().waitingWebhookMessages.replay(webhookId, messageId, now())
    await disabled({})
    expect(await service.database.execute('select message_id from webhook_failures')).toEqual([])
    expect(await rows()).toEqual([])
  })
})

describe('a message that may kill its workers', () => {
  const die = async () => {
    const id = createId()
    await repositories().workerLeases.register(id)
    return { id, free: () => repositories().workerLeases.free(id, '0', now()) }
  }

  it('is claimed by itself, and blamed if its worker dies: the others are not', async () => {
    await happen(service, newSubjects(3))
    for (let deaths = 0; deaths < CLAIMS_BEFORE_SUSPICION; deaths++) {
      const worker = await die()
      expect(await claim(worker.id, 3)).toHaveLength(3)
      await worker.free()
    }
    // All three are suspects by now.
    expect(await claim(workers[0] ?? '', 3)).toEqual([])
    expect(await repositories().webhookDeliveries.suspectWebhooksAcrossTeams(now())).toEqual([webhookId])
    await happen(service, newSubjects(1))
    const worker = await die()
    const [suspect] = await claim(worker.id, 1, { isSuspect: true })
    expect(await claim(worker.id, 3)).toHaveLength(1)
    await worker.free()
    expect(suspect?.claims).toBe(4)
    expect(await rows()).toEqual([
      { claims: 4, isLeased: false },
      { claims: 3, isLeased: false },
      { claims: 3, isLeased: false },
      { claims: 0, isLeased: false },
    ])
  })
})
