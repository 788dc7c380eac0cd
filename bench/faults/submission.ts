// Mail that programs submit while something breaks.
import { rm } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../test/support/processes/processes.ts'
import { killPostgres } from './database.ts'
import { fill, LOW_BYTES_LEFT, LOW_MS, withSmallDisk } from './disk.ts'
import { openStage, type Stage } from './stage.ts'
import { runSubmittedTrial } from './submitted-trial.ts'
import type { Fault } from './trial.ts'

const RESTART_AFTER_MS = 2_000

export const submissionDatabaseKilled: Fault = {
  name: 'submission-postgres-killed',
  async run() {
    const port = await freePort()
    const stage = await openStage({ environment: { SUBMISSION_PORT: String(port) } })
    try {
      const service = await stage.place.start()
      return [
        await runSubmittedTrial(stage, {
          fault: 'SIGKILL of the embedded PostgreSQL while mail is submitted; the service starts it again',
          ports: [port],
          async strike(now) {
            const inFlight = await stage.openAttempts()
            await killPostgres(stage, service, now)
            return { inFlight }
          },
        }),
      ]
    } finally {
      await stage.close()
    }
  },
}

export const submissionProcessKilled: Fault = {
  name: 'submission-process-killed',
  async run({ shared }) {
    const ports = [await freePort(), await freePort()]
    const stage = await openStage({ shared })
    const startApi = (port = 0) => stage.place.start({ environment: { ROLES: 'api', SUBMISSION_PORT: String(port) } })
    try {
      const [first] = [await startApi(ports[0]), await startApi(ports[1])]
      await stage.startWorker()
      return [
        await runSubmittedTrial(stage, {
          fault: 'SIGKILL of one API process of two while mail is submitted; started again after 2 s',
          ports,
          async strike(now) {
            const inFlight = await stage.openAttempts()
            now()
            await first.signal('SIGKILL')
            await wait(RESTART_AFTER_MS)
            await startApi(ports[0])
            return { inFlight }
          },
        }),
      ]
    } finally {
      await stage.close()
    }
  },
}

export const submissionDiskLow: Fault = {
  name: 'submission-disk-low',
  async run() {
    const port = await freePort()
    const fault = 'a disk with less than the watermark left, for 8 s, while mail is submitted'
    const run = async (stage: Stage) => {
      const row = await runSubmittedTrial(stage, {
        fault,
        ports: [port],
        async strike(now) {
          const inFlight = await stage.openAttempts()
          now()
          const filler = await fill(stage, LOW_BYTES_LEFT)
          await wait(LOW_MS)
          await rm(filler)
          return { inFlight, remark: 'refused with 452' }
        },
      })
      if (!row.notRun && row.refused === 0) row.problems.push('new mail was not refused')
      return row
    }
    return withSmallDisk(fault, run, { environment: { SUBMISSION_PORT: String(port) } })
  },
}
