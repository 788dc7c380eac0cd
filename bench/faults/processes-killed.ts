// Processes that are killed.
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../test/support/clocks/until.ts'
import type { ServiceProcess } from '../../test/support/processes/processes.ts'
import { openStage, type Stage, type WorkerProcess } from './stage.ts'
import { type Fault, type FaultOptions, type Row, runTrial } from './trial.ts'

/** What a supervisor takes to start a process again. */
const RESTART_AFTER_MS = 2_000

export type Fleet = { stage: Stage; apis: ServiceProcess[]; workers: WorkerProcess[]; url: () => string }

/** Two API processes and three workers on one PostgreSQL. */
export async function withFleet({ shared }: FaultOptions, work: (fleet: Fleet) => Promise<Row>): Promise<Row[]> {
  const stage = await openStage({ shared })
  try {
    const apis = [await stage.startApi(), await stage.startApi()]
    const workers = await Promise.all([1, 2, 3].map(() => stage.startWorker()))
    let requests = 0
    return [await work({ stage, apis, workers, url: () => apis[requests++ % apis.length]?.url ?? '' })]
  } finally {
    await stage.close()
  }
}

/** Waits until the workers are in the middle of this many attempts. */
export const untilHolding = (stage: Stage, workers: WorkerProcess[], attempts: number): Promise<void> =>
  until(
    async () => {
      if ((await stage.openAttempts(workers)) < attempts) throw new Error('The worker has next to nothing')
    },
    { timeout: HOLDING_MS_MAX, interval: 5 },
  )
const HOLDING_MS_MAX = 20_000

const killAll = (processes: ServiceProcess[]) => Promise.all(processes.map((process) => process.signal('SIGKILL')))

export const apiKilled: Fault = {
  name: 'api-killed',
  run: (options) =>
    withFleet(options, ({ stage, apis, url }) =>
      runTrial(stage, {
        fault: 'SIGKILL of one API process of two; started again after 2 s',
        emails: options.emails,
        url,
        async strike(now) {
          now()
          await killAll(apis.slice(0, 1))
          const inFlight = await stage.openAttempts()
          await wait(RESTART_AFTER_MS)
          apis[0] = await stage.startApi()
          return { inFlight }
        },
      }),
    ),
}

export const apisKilled: Fault = {
  name: 'apis-killed',
  run: (options) =>
    withFleet(options, ({ stage, apis, url }) =>
      runTrial(stage, {
        fault: 'SIGKILL of both API processes; started again after 2 s',
        emails: options.emails,
        url,
        async strike(now) {
          now()
          await killAll(apis)
          const inFlight = await stage.openAttempts()
          await wait(RESTART_AFTER_MS)
          for (const index of apis.keys()) apis[index] = await stage.startApi()
          return { inFlight }
        },
      }),
    ),
}

export const workerKilled: Fault = {
  name: 'worker-killed',
  run: (options) =>
    withFleet(options, ({ stage, workers, url }) =>
      runTrial(stage, {
        fault: 'SIGKILL of one worker of three; not started again',
        emails: options.emails,
        url,
        async strike(now) {
          const dead = workers.slice(0, 1)
          await untilHolding(stage, dead, 1)
          now()
          await killAll(dead)
          return { inFlight: await stage.openAttempts(dead), remark: 'what it held waits for its lease to end' }
        },
      }),
    ),
}

export const workersKilled: Fault = {
  name: 'workers-killed',
  run: (options) =>
    withFleet(options, ({ stage, workers, url }) =>
      runTrial(stage, {
        fault: 'SIGKILL of all three workers; started again after 2 s',
        emails: options.emails,
        url,
        async strike(now) {
          now()
          await killAll(workers)
          const inFlight = await stage.openAttempts()
          await wait(RESTART_AFTER_MS)
          await Promise.all(workers.map(() => stage.startWorker()))
          return { inFlight, remark: 'new mail at once, what they held after their leases' }
        },
      }),
    ),
}

export const serviceKilled: Fault = {
  name: 'service-killed',
  async run({ emails }) {
    const stage = await openStage({})
    try {
      let service = await stage.place.start()
      return [
        await runTrial(stage, {
          fault: 'SIGKILL of the only process, and with it of its database; started again after 2 s',
          emails,
          url: () => service.url,
          async strike(now) {
            now()
            await killAll([service])
            await wait(RESTART_AFTER_MS)
            service = await stage.place.start()
            return { inFlight: 0 }
          },
          // The database dies with its service: what was open is known when it is found.
          afterwards: async () => ({ inFlight: await stage.count(`from attempts where outcome = 'unknown'`) }),
        }),
      ]
    } finally {
      await stage.close()
    }
  },
}
