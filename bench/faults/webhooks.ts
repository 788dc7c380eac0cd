// Webhooks whose endpoint, database, clock or worker fails while events go out.
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../test/support/clocks/until.ts'
import { postgresPidOf } from '../../test/support/processes/processes.ts'
import { createSettableClock, HOUR_SECONDS, NO_LIBRARY } from './clock.ts'
import { openStage, type Stage, type WorkerProcess } from './stage.ts'
import type { Fault, FaultOptions, Row } from './trial.ts'
import { openRequests, retryAtOnce, runWebhookTrial, WEBHOOK_ENVIRONMENT, type WebhookTrial } from './webhook-trial.ts'
import { AWAKE_MS_MAX, expectSecondStart } from './worker-stopped.ts'

/** Longer than the 5 s until the first retry, so that most of these fail too. */
const DOWN_MS = 60_000
const RESTART_MS_MAX = 30_000
const WRONG_CLOCK_MS = 4_000
/** Longer than the 20 s after which a worker that does not beat is declared dead. */
const STOPPED_MS = 120_000
const HOLDS_AT_LEAST = 3

export const webhookEndpointDown: Fault = {
  name: 'webhook-endpoint-down',
  run: ({ shared }) =>
    withService({ shared }, (stage, service) => ({
      fault: `an endpoint of a webhook that is down for ${DOWN_MS / 1_000} s`,
      service,
      async strike({ endpoint, now }) {
        const inFlight = await openRequests(stage)
        now()
        await endpoint.goDown()
        await wait(DOWN_MS)
        await endpoint.comeBack()
        await retryAtOnce(stage, `started_at < '${new Date().toISOString()}'`)
        return { inFlight }
      },
    })),
}

export const webhookDatabaseKilled: Fault = {
  name: 'webhook-postgres-killed',
  run: () =>
    withService({}, (stage, service) => ({
      fault: 'SIGKILL of the embedded PostgreSQL while events go to a webhook; the service starts it again',
      service,
      async strike({ now }) {
        const inFlight = await openRequests(stage)
        const postgres = postgresPidOf(stage.place.dataDir)
        if (postgres === null) throw new Error('There is no database')
        now()
        process.kill(postgres, 'SIGKILL')
        await until(() => expectOutput(service.output(), 'database restarted'), { timeout: RESTART_MS_MAX })
        return { inFlight }
      },
    })),
}

export const webhookClock: Fault = {
  name: 'webhook-clock',
  run: async ({ shared }) => [...(await wrongClock(shared, HOUR_SECONDS)), ...(await wrongClock(shared, -HOUR_SECONDS))],
}

/** The endpoint refuses what is signed at a wrong time. */
async function wrongClock(shared: FaultOptions['shared'], seconds: number): Promise<Row[]> {
  const fault = `a clock set an hour ${seconds > 0 ? 'forward' : 'back'} for ${WRONG_CLOCK_MS / 1_000} s while events go to a webhook, then put right`
  const clock = createSettableClock()
  if (clock === null) return [{ fault, notRun: true, remark: NO_LIBRARY }]
  try {
    return await withService({ shared, environment: clock.environment }, (stage, service) => ({
      fault,
      service,
      async strike({ shiftEvents, now }) {
        const inFlight = await openRequests(stage)
        now()
        shiftEvents(seconds)
        await clock.set(seconds, service.url)
        await wait(WRONG_CLOCK_MS)
        shiftEvents(0)
        await clock.set(0, service.url)
        const refused = await stage.count('from webhook_attempts where http_status = 400')
        // What was signed while the clock was wrong. By a clock that was set forward, its retries are due an hour from now.
        if (seconds > 0) await retryAtOnce(stage, "started_at > now() + interval '1 minute'")
        return { inFlight, problems: refused > 0 ? [] : ['the endpoint refused nothing'] }
      },
    }))
  } finally {
    clock.remove()
  }
}

export const webhookWorkerKilled: Fault = {
  name: 'webhook-worker-killed',
  run: ({ shared }) =>
    withWorkers(shared, (stage, service, [killed]) => ({
      fault: 'SIGKILL of one worker of two while events go to a webhook; not started again',
      service,
      async strike({ now }) {
        await untilRequesting(stage, killed)
        now()
        await killed.signal('SIGKILL')
        return { inFlight: await openRequests(stage, killed), remark: 'what it held waits for its lease to end' }
      },
    })),
}

export const webhookWorkerStopped: Fault = {
  name: 'webhook-worker-stopped',
  run: ({ shared }) =>
    withWorkers(shared, (stage, service, [stopped, other]) => ({
      fault: `SIGSTOP of one worker of two for ${STOPPED_MS / 1_000} s while events go to a webhook, then SIGCONT`,
      service,
      async strike({ now }) {
        const inFlight = await stopWhileRequesting(stage, stopped)
        now()
        await wait(STOPPED_MS)
        const isTakenOver = other.output().includes('worker found dead, its work freed')
        process.kill(stopped.pid, 'SIGCONT')
        const isAwake = await until(() => expectSecondStart(stopped), { timeout: AWAKE_MS_MAX }).then(
          () => true,
          () => false,
        )
        const problems = [...(isTakenOver ? [] : ['it was not found dead']), ...(isAwake ? [] : ['it did not begin anew'])]
        return { inFlight, problems }
      },
    })),
}

type Service = Awaited<ReturnType<Stage['startApi']>>

/** One process with everything. */
async function withService(
  { shared, environment = {} }: { shared?: FaultOptions['shared']; environment?: Record<string, string> },
  trial: (stage: Stage, service: Service) => WebhookTrial,
): Promise<Row[]> {
  const stage = await openStage({ ...(shared && { shared }), environment: { ...WEBHOOK_ENVIRONMENT, ...environment } })
  try {
    return [await runWebhookTrial(stage, trial(stage, await stage.place.start()))]
  } finally {
    await stage.close()
  }
}

async function withWorkers(
  shared: FaultOptions['shared'],
  trial: (stage: Stage, service: Service, workers: [WorkerProcess, WorkerProcess]) => WebhookTrial,
): Promise<Row[]> {
  const stage = await openStage({ shared, environment: WEBHOOK_ENVIRONMENT })
  try {
    const api = await stage.startApi()
    const workers: [WorkerProcess, WorkerProcess] = await Promise.all([stage.startWorker(), stage.startWorker()])
    return [await runWebhookTrial(stage, trial(stage, api, workers))]
  } finally {
    await stage.close()
  }
}

const untilRequesting = (stage: Stage, worker: WorkerProcess): Promise<void> =>
  until(async () => {
    const held = await openRequests(stage, worker)
    if (held < HOLDS_AT_LEAST) throw new Error(`The worker has only ${held} requests`)
  })

/** Returns how many requests it held then. */
async function stopWhileRequesting(stage: Stage, worker: WorkerProcess): Promise<number> {
  for (;;) {
    await untilRequesting(stage, worker)
    process.kill(worker.pid, 'SIGSTOP')
    const held = await openRequests(stage, worker)
    if (held >= HOLDS_AT_LEAST) return held
    process.kill(worker.pid, 'SIGCONT')
  }
}

function expectOutput(output: string, words: string): void {
  if (!output.includes(words)) throw new Error(`The service has not said: ${words}`)
}
