// Mail for teams that comes in while something breaks.
import { rm } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../test/support/processes/processes.ts'
import { killPostgres } from './database.ts'
import { fill, LOW_MS, withSmallDisk } from './disk.ts'
import { RECEIVING_ENVIRONMENT, runReceivedTrial } from './received-trial.ts'
import { openStage, type Stage } from './stage.ts'
import type { Fault } from './trial.ts'

const MIB = 1024 * 1024
/** Below what the SMTP server wants to have left, a GB. */
const BYTES_LEFT = 300 * MIB
const DISK_MIB = 1_600
const RESTART_AFTER_MS = 2_000

export const receivingDatabaseKilled: Fault = {
  name: 'receiving-postgres-killed',
  async run() {
    const port = await freePort()
    const stage = await openStage({ environment: { ...RECEIVING_ENVIRONMENT, INBOUND_PORT: String(port) } })
    try {
      const service = await stage.place.start()
      return [
        await runReceivedTrial(stage, {
          fault: 'SIGKILL of the embedded PostgreSQL while mail for a team comes in; the service starts it again',
          ports: [port],
          async strike(now) {
            await killPostgres(stage, service, now)
            return {}
          },
        }),
      ]
    } finally {
      await stage.close()
    }
  },
}

export const receivingProcessKilled: Fault = {
  name: 'receiving-process-killed',
  async run({ shared }) {
    const ports = [await freePort(), await freePort()]
    const stage = await openStage({ shared, environment: RECEIVING_ENVIRONMENT })
    const startInbound = (port: number) => stage.place.spawn({ environment: { ROLES: 'inbound', INBOUND_PORT: String(port) } })
    try {
      await stage.startApi()
      await stage.startWorker()
      const [first] = ports.map(startInbound)
      return [
        await runReceivedTrial(stage, {
          fault: 'SIGKILL of one SMTP server of two while mail for a team comes in; started again after 2 s',
          ports,
          async strike(now) {
            now()
            await first?.signal('SIGKILL')
            await wait(RESTART_AFTER_MS)
            startInbound(ports[0] ?? 0)
            return {}
          },
        }),
      ]
    } finally {
      await stage.close()
    }
  },
}

export const receivingDiskLow: Fault = {
  name: 'receiving-disk-low',
  async run() {
    const port = await freePort()
    const fault = 'a disk with less left than the SMTP server wants, for 8 s, while mail for a team comes in'
    const environment = { ...RECEIVING_ENVIRONMENT, INBOUND_PORT: String(port) }
    const disk = { mebibytes: DISK_MIB, environment }
    const run = (stage: Stage) =>
      runReceivedTrial(stage, {
        fault,
        ports: [port],
        async strike(now) {
          now()
          const filler = await fill(stage, BYTES_LEFT)
          await wait(LOW_MS)
          await rm(filler)
          return {}
        },
      })
    return withSmallDisk(fault, run, disk)
  },
}
