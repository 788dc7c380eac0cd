// One fault while events start runs of an automation, and what became of every run and each of its emails.
import { setTimeout as wait } from 'node:timers/promises'
import type { Connection, Step } from '../../src/modules/automations/graph/graph.ts'
import { until } from '../../test/support/clocks/until.ts'
import type { ServiceProcess } from '../../test/support/processes/processes.ts'
import { type Caller, callerOf } from './caller.ts'
import type { Stage } from './stage.ts'
import { account, type Row, type Struck, untilSettled } from './trial.ts'

/** Slow, so that every worker is always in the middle of some transactions. */
export const REPLY_DELAY_MS = 60
/** Three delayed replies, and some room. */
const TRANSACTION_MS = 3 * REPLY_DELAY_MS + 20
const EVENTS_AT_ONCE = 4
/** About 40 a second in all. */
const EVENTS_EVERY_MS = 100
const ARRIVED_BEFORE = 200
/** The first runs are then past their delay, and others are in each of their steps. */
const SENT_AFTERWARDS_MS = 3_000
const END_MS_MAX = 180_000
const MAILS = ['First', 'Last']

export type AutomationTrial = {
  fault: string
  service: Pick<ServiceProcess, 'url'>
  /** Makes the fault, and ends it unless the service does that itself. `now` is called at the moment it is made. */
  strike(now: () => void): Promise<Struck>
}

export async function runAutomationTrial(stage: Stage, { fault, service, strike }: AutomationTrial): Promise<Row> {
  const call = callerOf(stage, service.url)
  await createAutomation(call)
  const events = startEvents(call)
  await until(() => expectArrivals(stage, ARRIVED_BEFORE), { timeout: END_MS_MAX })
  let struckAtMs = performance.now()
  const struck = await strike(() => {
    struckAtMs = performance.now()
  })
  await wait(SENT_AFTERWARDS_MS)
  await events.stop()
  const sentUntilMs = performance.now()
  const problems = [...(struck.problems ?? [])]
  await untilEnded(stage).catch((error: Error) => problems.push(error.message))
  await untilSettled(stage).catch((error: Error) => problems.push(error.message))
  const emails = await stage.query<{ id: string }>('select id from emails')
  return {
    fault,
    remark: [`${events.accepted()} runs`, struck.remark].filter((part) => part).join('; '),
    ...account(stage, {
      ...{ accepted: emails.map(({ id }) => id), inFlight: struck.inFlight, refused: events.refused(), struckAtMs, sentUntilMs },
      transactionMs: TRANSACTION_MS,
      problems: [...problems, ...(await untruths(stage, events.accepted()))],
    }),
  }
}

/** Two emails, with a delay and the end of a wait between them. */
async function createAutomation(call: Caller): Promise<void> {
  const templates: string[] = []
  for (const name of MAILS) {
    const { id } = await call('POST', '/templates', { name, from: 'hello@example.com', subject: name, html: `<p>${name}</p>` })
    await call('POST', `/templates/${id}/publish`)
    templates.push(id)
  }
  const [first = '', last = ''] = templates
  const steps: Step[] = [
    { key: 'start', type: 'trigger', config: { event_name: 'signed.up' } },
    { key: 'first', type: 'send_email', config: { template: { id: first } } },
    { key: 'pause', type: 'delay', config: { duration: '1 second' } },
    { key: 'paid', type: 'wait_for_event', config: { event_name: 'paid', timeout: '1 second' } },
    { key: 'last', type: 'send_email', config: { template: { id: last } } },
  ]
  const connections: Connection[] = [
    { from: 'start', to: 'first', type: 'default' },
    { from: 'first', to: 'pause', type: 'default' },
    { from: 'pause', to: 'paid', type: 'default' },
    { from: 'paid', to: 'last', type: 'timeout' },
  ]
  await call('POST', '/automations', { name: 'Welcome', status: 'enabled', steps, connections })
}

/** What is not answered is asked again with the same key, so that each event is stored once. */
function startEvents(call: Caller) {
  let [accepted, refused, isStopping] = [0, 0, false]
  const sending = send()

  async function send(): Promise<void> {
    while (!isStopping) {
      const events = Array.from({ length: EVENTS_AT_ONCE }, (_, index) => ({
        event: 'signed.up',
        email: `p${accepted + index}@example.org`,
      }))
      await until(() => sendOnce(events), { timeout: END_MS_MAX, interval: EVENTS_EVERY_MS })
      accepted += EVENTS_AT_ONCE
      await wait(EVENTS_EVERY_MS)
    }
  }

  async function sendOnce(events: object[]): Promise<void> {
    await call('POST', '/events/send/batch', events, { 'idempotency-key': `events ${accepted}` }).catch((error: unknown) => {
      refused += 1
      throw error
    })
  }

  return {
    accepted: () => accepted,
    refused: () => refused,
    async stop() {
      isStopping = true
      await sending
    },
  }
}

const untilEnded = (stage: Stage): Promise<void> =>
  until(
    async () => {
      const untold = await stage.count('from automation_occurrences')
      if (untold > 0) throw new Error(`${untold} events are not told`)
      const running = await stage.count(`from automation_runs where status = 'running'`)
      if (running > 0) throw new Error(`${running} runs have not ended`)
    },
    { timeout: END_MS_MAX, interval: 100 },
  )

/** Each event starts one run, which completes; each run makes each of its emails once. */
async function untruths(stage: Stage, events: number): Promise<string[]> {
  const contacts = await stage.count(
    `from (select contact_id from automation_runs where status = 'completed' group by contact_id having count(*) = 1) once`,
  )
  const runs = await stage.count('from automation_runs')
  const different = await stage.count(`from (select distinct subject, "to" from emails) each`)
  const emails = await stage.count('from emails')
  return [
    ...(runs === events && contacts === events ? [] : [`${runs} runs for ${events} events, ${contacts} contacts with one completed run`]),
    ...(emails === MAILS.length * events && different === emails
      ? []
      : [`${emails} emails of ${events} runs, ${different} different ones`]),
  ]
}

function expectArrivals({ arrivals }: Stage, count: number): void {
  if (arrivals.length < count) throw new Error(`Only ${arrivals.length} of ${count} emails arrived`)
}
