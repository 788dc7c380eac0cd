// The network between one worker and the database is cut, while two others go on.
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../test/support/clocks/until.ts'
import { type Row, runTrial } from '../faults/trial.ts'
import { AWAKE_MS_MAX, expectSecondStart } from '../faults/worker-stopped.ts'
import type { Cluster } from './cluster.ts'
import { type Fleet, withFleet } from './fleet.ts'
import { createLink } from './link.ts'

const CUT_MS = 60_000

export const networkCut = (cluster: Cluster, { emails }: { emails: number }): Promise<Row> =>
  withFleet(cluster, async (fleet) => {
    const databaseUrl = new URL(fleet.stage.databaseUrl ?? '')
    const link = await createLink(Number(databaseUrl.port))
    try {
      databaseUrl.port = String(link.port)
      const cutOff = await fleet.stage.startWorker({ DATABASE_URL: databaseUrl.href })
      return await runTrial(fleet.stage, {
        fault: `the network between one worker of four and the database cut for ${CUT_MS / 1_000} s`,
        emails,
        url: fleet.url,
        async strike(now) {
          now()
          link.cut()
          const inFlight = await fleet.stage.openAttempts([cutOff])
          await wait(CUT_MS)
          const isFreed = isFoundDead(fleet)
          link.mend()
          const isBack = await until(() => expectSecondStart(cutOff), { timeout: AWAKE_MS_MAX }).then(
            () => true,
            () => false,
          )
          return {
            inFlight,
            problems: [...(isFreed ? [] : ['it was not found dead']), ...(isBack ? [] : ['it did not begin anew'])],
          }
        },
      })
    } finally {
      await link.close()
    }
  })

const isFoundDead = ({ workers }: Fleet): boolean => workers.some(({ output }) => output().includes('worker found dead, its work freed'))
