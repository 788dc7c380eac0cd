import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Lease, takeLease } from '../../../../src/db/leases/lease.ts'
import { createWaking } from '../../../../src/db/leases/waking.ts'
import { startSendingWebhooks } from '../../../../src/modules/webhooks/sending/send-webhooks.worker.ts'
import { createWebhook, happen, newSubjects, waitingOf, webhookAttemptsOf } from '../../../support/builders/webhooks.ts'
import { LONG_LEASE } from '../../../support/clocks/lease-times.ts'
import { until } from '../../../support/clocks/until.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'
import { startWebhookSink } from '../../../support/servers/webhook-sink.ts'

const DAY_MS = 86_400_000
const ANSWERED_AFTER_MS = 50

let leases: Lease[]

const sink = shared(() => startWebhookSink())
/** Without workers: each test starts senders of its own. */
const service = shared(() => startTestService())
beforeEach(() => {
  leases = []
})
afterEach(async () => {
  for (const lease of leases) await lease.leave()
})

/** Looks once, and then only when it is woken. */
async function startSender({ stopMs = 0 } = {}) {
  const { context } = service.service
  const looking = vi.spyOn(context.repositories.webhookDeliveries, 'lanesAcrossTeams')
  const lease = await takeLease(context, LONG_LEASE)
  leases.push(lease)
  const sender = startSendingWebhooks(context, lease, { pollMs: { first: DAY_MS, last: DAY_MS }, stopMs })
  await until(() => expect(looking).toHaveBeenCalled())
  await looking.mock.results[0]?.value
  looking.mockRestore()
  return { ...sender, lease }
}

describe('a worker', () => {
  it('sends what a request to another process has caused as soon as that wakes it, without looking by itself', async () => {
    await createWebhook(service, { endpoint: `${sink.url}/woken` })
    const waking = createWaking(service.database)
    const sender = await startSender()
    waking.listen(sender.wake)
    await until(async () => {
      const listening =
        "select from pg_stat_activity where datname = current_database() and query = 'listen posthaste_work' and state = 'idle'"
      expect(await service.database.execute(listening)).toHaveLength(1)
    })

    await service.call('POST', '/contacts', { body: { email: 'ada@example.com' } })

    await until(() => expect(sink.hooks.filter(({ path }) => path === '/woken')).toMatchObject([{ type: 'contact.created' }]))
    await waking.close()
    await sender.stop()
  })

  it('that stops writes down what is answered in time, and leaves the rest to the next worker', async () => {
    const { id } = await createWebhook(service, { endpoint: `${sink.url}/stopped`, events: ['contact.updated'] })
    const answers = new Map<unknown, () => void>()
    sink.answer('/stopped', (_request, response, { data }) => void answers.set(data.id, () => response.end('ok')))
    const [answered = '', hanging = ''] = newSubjects(2)
    await happen(service, [answered, hanging], { type: 'contact.updated' })
    const first = await startSender({ stopMs: 8_000 })
    await until(() => expect([...answers.keys()].toSorted()).toEqual([answered, hanging].toSorted()))

    const stopped = first.stop()
    setTimeout(() => answers.get(answered)?.(), ANSWERED_AFTER_MS)
    await stopped

    expect(await webhookAttemptsOf(service, id)).toMatchObject([{ outcome: 'success' }, { outcome: null }])
    await first.lease.leave()
    expect(await webhookAttemptsOf(service, id)).toMatchObject([{ outcome: 'success' }, { outcome: 'unknown' }])
    expect(await waitingOf(service, id)).toMatchObject([{ failures: 0 }])

    sink.answer('/stopped', (_request, response) => void response.end('ok'))
    const second = await startSender({ stopMs: 1_000 })
    await until(async () => expect(await waitingOf(service, id)).toEqual([]))
    expect((await webhookAttemptsOf(service, id)).map(({ outcome }) => outcome)).toEqual(['success', 'unknown', 'success'])
    const sent = sink.hooks.filter(({ path }) => path === '/stopped').map(({ data }) => data.id)
    expect(sent.toSorted()).toEqual([answered, hanging, hanging].toSorted())
    await second.stop()
  })
})
