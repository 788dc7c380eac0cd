import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Step } from '../../../src/lib/automations/graph.ts'
import { createWaking, type Waking } from '../../../src/repositories/engine/waking.ts'
import { type AutomationRunner, startRunningAutomations } from '../../../src/workers/automations/run-automations.ts'
import { type Lease, takeLease } from '../../../src/workers/engine/lease.ts'
import { addAutomation, chain, mailsTo, runsOf, sendEvent } from '../../support/builders/automation-runs.ts'
import { publishedTemplate } from '../../support/builders/templates.ts'
import { until } from '../../support/clocks/until.ts'
import { startTestService, type TestService } from '../../support/servers/service.ts'

/** Longer than a test may take. */
const LOOK_EVERY_MS = 600_000
const LISTENING = "select from pg_stat_activity where datname = current_database() and query = 'listen posthaste_work' and state = 'idle'"

let service: TestService
let lease: Lease
let runner: AutomationRunner
let waking: Waking
let woken: number

beforeEach(async () => {
  service = await startTestService()
  lease = await takeLease(service.service.context)
  runner = startRunningAutomations(service.service.context, lease, { lookEveryMs: LOOK_EVERY_MS })
  waking = createWaking(service.database)
  woken = 0
  waking.listen((work) => {
    // The service itself tells other processes that there is work of any kind.
    if (work !== 'automations') return
    woken += 1
    runner.wake()
  })
  await until(async () => expect(await service.database.execute(LISTENING)).toHaveLength(1))
})
afterEach(async () => {
  await Promise.all([runner.stop(), waking.close()])
  await lease.leave()
  await service.close()
})

it('wakes the run that waits for what becomes of its email as soon as that is written, without looking from time to time', async () => {
  const template = await publishedTemplate(service)
  const steps: Step[] = [
    { key: 'mail', type: 'send_email', config: { template: { id: template } } },
    { key: 'wait', type: 'wait_for_event', config: { event_name: 'resend:email.delivered' } },
  ]
  const id = await addAutomation(service, chain(steps))
  await sendEvent(service, 'signed.up')
  runner.wake()
  await until(async () => expect(await runsOf(service, id)).toMatchObject([{ status: 'running', state: { at: 'wait' } }]))
  const [email] = await mailsTo(service, 'ada@example.org')
  const notify = (subjectId: string | undefined) =>
    service.database.execute(
      `insert into notifications (id, team_id, type, subject_id, data, created_at) values (uuidv7_at(now(), 1), $1, 'email.delivered', $2, '{"to": []}', now())`,
      [service.teamId, subjectId],
    )
  // An email that no run follows.
  await notify(service.teamId)
  await notify(email?.id)
  await until(async () => expect(await runsOf(service, id)).toMatchObject([{ status: 'completed' }]))
  expect(woken).toBe(1)
})
