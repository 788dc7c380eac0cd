// Automations whose database, worker or clock fails while runs send emails and wait.
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../test/support/clocks/until.ts'
import { type AutomationTrial, REPLY_DELAY_MS, runAutomationTrial } from './automation-trial.ts'
import { createSettableClock, HOUR_SECONDS, NO_LIBRARY } from './clock.ts'
import { killPostgres } from './database.ts'
import { untilHolding } from './processes-killed.ts'
import { openStage, type Stage, type WorkerProcess } from './stage.ts'
import type { Fault, FaultOptions, Row } from './trial.ts'
import { AWAKE_MS_MAX, expectSecondStart } from './worker-stopped.ts'

/** Longer than the 20 s after which a worker that does not beat is declared dead. */
const STOPPED_MS = { quick: 40_000, whole: 120_000 }
const HOLDS_AT_LEAST = 3
/** Longer than the delay and the wait of a run together. */
const WRONG_CLOCK_MS = 4_000

export const automationDatabaseKilled: Fault = {
  name: 'automation-postgres-killed',
  run: () =>
    withStage({}, async (stage) => {
      const service = await stage.place.start()
      return {
        fault: 'SIGKILL of the embedded PostgreSQL while runs of an automation send and wait; the service starts it again',
        service,
        async strike(now) {
          const inFlight = await stage.openAttempts()
          await killPostgres(stage, service, now)
          return { inFlight }
        },
      }
    }),
}

export const automationWorkerKilled: Fault = {
  name: 'automation-worker-killed',
  run: ({ shared }) =>
    withWorkers({ shared }, (stage, service, [killed]) => ({
      fault: 'SIGKILL of one worker of two while runs of an automation send and wait; not started again',
      service,
      async strike(now) {
        await untilHolding(stage, [killed], HOLDS_AT_LEAST)
        now()
        await killed.signal('SIGKILL')
        return { inFlight: await stage.openAttempts([killed]), remark: 'what the worker held waits for its lease to end' }
      },
    })),
}

export const automationWorkerStopped: Fault = {
  name: 'automation-worker-stopped',
  run({ shared, isQuick }) {
    const stoppedMs = isQuick ? STOPPED_MS.quick : STOPPED_MS.whole
    return withWorkers({ shared }, (stage, service, [stopped, other]) => ({
      fault: `SIGSTOP of one worker of two for ${stoppedMs / 1_000} s while runs of an automation send and wait, then SIGCONT`,
      service,
      async strike(now) {
        await untilHolding(stage, [stopped], HOLDS_AT_LEAST)
        now()
        process.kill(stopped.pid, 'SIGSTOP')
        const inFlight = await stage.openAttempts([stopped])
        await wait(stoppedMs)
        const isTakenOver = other.output().includes('worker found dead, its work freed')
        process.kill(stopped.pid, 'SIGCONT')
        const isAwake = await until(() => expectSecondStart(stopped), { timeout: AWAKE_MS_MAX }).then(
          () => true,
          () => false,
        )
        return { inFlight, problems: [...(isTakenOver ? [] : ['it was not found dead']), ...(isAwake ? [] : ['it did not begin anew'])] }
      },
    }))
  },
}

export const automationClock: Fault = {
  name: 'automation-clock',
  run: async ({ shared }) => [
    ...(await wrongClock(shared, { seconds: HOUR_SECONDS, isPutRight: false })),
    ...(await wrongClock(shared, { seconds: -HOUR_SECONDS, isPutRight: true })),
  ],
}

/** Delays end by the wall clock: one that stayed an hour back would let runs wait for an hour. */
async function wrongClock(
  shared: FaultOptions['shared'],
  { seconds, isPutRight }: { seconds: number; isPutRight: boolean },
): Promise<Row[]> {
  const set = `a clock set an hour ${seconds > 0 ? 'forward' : 'back'}`
  const fault = `${set}${isPutRight ? ` for ${WRONG_CLOCK_MS / 1_000} s` : ''} while runs of an automation send and wait${isPutRight ? ', then put right' : ''}`
  const clock = createSettableClock()
  if (clock === null) return [{ fault, notRun: true, remark: NO_LIBRARY }]
  try {
    return await withWorkers({ shared, environment: clock.environment }, (stage, service) => ({
      fault,
      service,
      async strike(now) {
        const inFlight = await stage.openAttempts()
        now()
        await clock.set(seconds, service.url)
        await wait(WRONG_CLOCK_MS)
        if (isPutRight) await clock.set(0, service.url)
        return { inFlight }
      },
    }))
  } finally {
    clock.remove()
  }
}

type Options = { shared?: FaultOptions['shared']; environment?: Record<string, string> }

async function withStage({ shared, environment = {} }: Options, trial: (stage: Stage) => Promise<AutomationTrial>): Promise<Row[]> {
  const stage = await openStage({ ...(shared && { shared }), environment, sink: { replyDelayMs: REPLY_DELAY_MS } })
  try {
    return [await runAutomationTrial(stage, await trial(stage))]
  } finally {
    await stage.close()
  }
}

/** An API process and two workers on one PostgreSQL. */
const withWorkers = (
  options: Options,
  trial: (stage: Stage, service: AutomationTrial['service'], workers: [WorkerProcess, WorkerProcess]) => AutomationTrial,
): Promise<Row[]> =>
  withStage(options, async (stage) => {
    const api = await stage.startApi()
    return trial(stage, api, await Promise.all([stage.startWorker(), stage.startWorker()]))
  })
