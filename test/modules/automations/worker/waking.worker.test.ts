import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Lease, takeLease } from '../../../../src/db/leases/lease.ts'
import { createWaking, type Waking } from '../../../../src/db/leases/waking.ts'
import type { Step } from '../../../../src/modules/automations/graph/graph.ts'
import { type AutomationRunner, startRunningAutomations } from '../../../../src/modules/automations/steps/run-automations.worker.ts'
import { addAutomation, graphOf, mailsTo, runsOf, sendEvent } from '../../../support/builders/automations.ts'
import { publishedTemplate } from '../../../support/builders/templates.ts'
import { LONG_LEASE } from '../../../support/clocks/lease-times.ts'
import { until } from '../../../support/clocks/until.ts'
import { startTestService, type TestService } from '../../../support/servers/service.ts'

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
  lease = await takeLease(service.service.context, LONG_LEASE)
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

const HAPPENINGS = ['delivered', 'opened', 'clicked', 'bounced', 'complained', 'failed', 'suppressed']

it('wakes the run that waits for what becomes of its email as soon as that is written, without looking from time to time', async () => {
  const template = await publishedTemplate(service)
  const mail: Step = { key: 'mail', type: 'send_email', config: { template: { id: template } } }
  const automations: { id: string; type: string; address: string }[] = []
  for (const happening of HAPPENINGS) {
    const [type, address] = [`email.${happening}`, `${happening}@example.org`]
    const wait: Step = { key: 'wait', type: 'wait_for_event', config: { event_name: `resend:${type}` } }
    automations.push({ id: await addAutomation(service, graphOf([mail, wait], happening)), type, address })
    await sendEvent(service, happening, { email: address })
  }
  runner.wake()
  for (const { id } of automations)
    await until(async () => expect(await runsOf(service, id)).toMatchObject([{ status: 'running', state: { at: 'wait' } }]))
  const notify = (type: string, subjectId: string | undefined) =>
    service.database.execute(
      `insert into notifications (id, team_id, type, subject_id, data, created_at) values (uuidv7_at(now(), 1), $1, $2, $3, '{"to": [], "detail": {"is_machine": false}}', now())`,
      [service.teamId, type, subjectId],
    )
  // An email that no run follows, and something that no run can wait for.
  const [first] = await mailsTo(service, 'delivered@example.org')
  await notify('email.delivered', service.teamId)
  await notify('email.sent', first?.id)
  for (const [index, { id, type, address }] of automations.entries()) {
    const [email] = await mailsTo(service, address)
    await notify(type, email?.id)
    await until(async () =>
      expect(await runsOf(service, id)).toMatchObject([
        { status: 'completed', state: { steps: { wait: { output: { timed_out: false, event: `resend:${type}` } } } } },
      ]),
    )
    expect(woken).toBe(index + 1)
    const waiting = (await Promise.all(automations.slice(index + 1).map((later) => runsOf(service, later.id)))).flat()
    expect(waiting.map(({ status }) => status)).toEqual(waiting.map(() => 'running'))
  }
})
