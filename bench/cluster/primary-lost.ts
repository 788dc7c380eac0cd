// The machine of the primary is lost, again and again, while clients send and workers deliver.
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../test/support/clocks/until.ts'
import { type Row, runTrial } from '../faults/trial.ts'
import type { Cluster } from './cluster.ts'
import type { DatabaseNode } from './database-node.ts'
import { type Fleet, withFleet } from './fleet.ts'

/** Between two kills, with everything in order. */
const QUIET_MS = 5_000
const TAKEN_OVER_MS_MAX = 90_000

export type Size = { kills: number; emails: number }

export const primaryKilled = (cluster: Cluster, { kills, emails }: Size): Promise<Row> =>
  primaryLost(cluster, {
    fault: `SIGKILL of the primary of two database nodes and of its Patroni, ${kills} times; started again as the standby`,
    times: kills,
    emails,
    lose: (node) => node.kill(),
  })

/** No connection is ended, as when the power or the network of a machine fails. It is killed once the other has taken over. */
export const primarySilent = (cluster: Cluster, { emails }: Size): Promise<Row> =>
  primaryLost(cluster, {
    fault: 'SIGSTOP of the primary and of its Patroni, so that nothing answers and no connection ends; killed and started again later',
    times: 1,
    emails,
    lose: async (node) => node.freeze(),
    fence: (node) => node.kill(),
  })

type Loss = {
  fault: string
  times: number
  emails: number
  lose(node: DatabaseNode): Promise<void>
  /** Ends what is left of it, once the other node has taken over and emails are accepted. */
  fence?(node: DatabaseNode): Promise<void>
}

const primaryLost = (cluster: Cluster, { fault, times, emails, ...loss }: Loss): Promise<Row> =>
  withFleet(cluster, (fleet) =>
    runTrial(fleet.stage, {
      fault,
      emails,
      url: fleet.url,
      async strike(now, accepted) {
        const outages: Outage[] = []
        for (let count = 0; count < times; count++) {
          outages.push(await loseOnce(fleet, { now, accepted, ...loss }))
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

type Strike = { now: () => void; accepted: () => number } & Pick<Loss, 'lose' | 'fence'>

async function loseOnce({ cluster, stage }: Fleet, { now, accepted, lose, fence }: Strike): Promise<Outage> {
  const lost = await cluster.primary()
  const gap = watchGap(accepted)
  const inFlight = await stage.openAttempts()
  now()
  const killedAtMs = performance.now()
  await lose(lost)
  await until(() => expectOther(cluster, lost.name), { timeout: TAKEN_OVER_MS_MAX, interval: 100 })
  await until(() => stage.count('from emails'), { timeout: TAKEN_OVER_MS_MAX, interval: 100 })
  await untilGrowing(accepted)
  await fence?.(lost)
  lost.start()
  await cluster.untilWhole()
  return { inFlight, acceptedMs: gap.stop(), wholeMs: performance.now() - killedAtMs }
}

async function expectOther(cluster: Cluster, lost: string): Promise<void> {
  const { name } = await cluster.primary()
  if (name === lost) throw new Error('No one has taken over')
}

const untilGrowing = (count: () => number): Promise<void> => {
  const before = count()
  return until(
    () => {
      if (count() === before) throw new Error('Nothing is accepted')
    },
    { timeout: TAKEN_OVER_MS_MAX, interval: LOOK_EVERY_MS },
  )
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
