// The machine of the primary is lost, again and again, while clients send and workers deliver.
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../test/support/clocks/until.ts'
import { type Row, runTrial } from '../faults/trial.ts'
import type { Cluster } from './cluster.ts'
import { type Fleet, withFleet } from './fleet.ts'

/** Between two kills, with everything in order. */
const QUIET_MS = 5_000
const TAKEN_OVER_MS_MAX = 90_000

export type Size = { kills: number; emails: number }

export const primaryKilled = (cluster: Cluster, { kills, emails }: Size): Promise<Row> =>
  withFleet(cluster, (fleet) =>
    runTrial(fleet.stage, {
      fault: `SIGKILL of the primary of two database nodes and of its Patroni, ${kills} times; started again as the standby`,
      emails,
      url: fleet.url,
      async strike(now, accepted) {
        const outages: Outage[] = []
        for (let count = 0; count < kills; count++) {
          outages.push(await loseOnce(fleet, { now, accepted }))
          await wait(QUIET_MS)
        }
        const seconds = (of: keyof Outage) => outages.map((outage) => (outage[of] / 1_000).toFixed(1)).join(', ')
        return {
          inFlight: outages.reduce((sum, { inFlight }) => sum + inFlight, 0),
          remark: `accepted nothing for ${seconds('acceptedMs')} s; whole again after ${seconds('wholeMs')} s`,
        }
      },
    }),
  )

type Outage = {
  inFlight: number
  /** The longest time without an email that was accepted. */
  acceptedMs: number
  /** Until there was a standby for which commits wait. */
  wholeMs: number
}

async function loseOnce({ cluster, stage }: Fleet, { now, accepted }: { now: () => void; accepted: () => number }): Promise<Outage> {
  const lost = await cluster.primary()
  const gap = watchGap(accepted)
  const inFlight = await stage.openAttempts()
  now()
  const killedAtMs = performance.now()
  await lost.kill()
  await until(() => expectOther(cluster, lost.name), { timeout: TAKEN_OVER_MS_MAX, interval: 100 })
  await until(() => stage.count('from emails'), { timeout: TAKEN_OVER_MS_MAX, interval: 100 })
  lost.start()
  await cluster.untilWhole()
  return { inFlight, acceptedMs: gap.stop(), wholeMs: performance.now() - killedAtMs }
}

async function expectOther(cluster: Cluster, lost: string): Promise<void> {
  const { name } = await cluster.primary()
  if (name === lost) throw new Error('No one has taken over')
}

/** The longest time in which `count` does not change. */
function watchGap(count: () => number): { stop(): number } {
  let [longestMs, last, changedAtMs] = [0, count(), performance.now()]
  const look = () => {
    longestMs = Math.max(longestMs, performance.now() - changedAtMs)
    if (count() === last) return
    last = count()
    changedAtMs = performance.now()
  }
  const timer = setInterval(look, LOOK_EVERY_MS)
  return {
    stop() {
      clearInterval(timer)
      look()
      return longestMs
    },
  }
}
const LOOK_EVERY_MS = 20
