// A message that kills every worker that sends it. Nothing in the service simulates this: the mail server tells this command who is sending it.
import { setTimeout as wait } from 'node:timers/promises'
import { startLoad } from '../../test/support/builders/load.ts'
import { until } from '../../test/support/clocks/until.ts'
import { openStage, type WorkerProcess } from './stage.ts'
import { acceptedIds, account, type Fault, refusedOf, unexpected } from './trial.ts'

const POISON = 'poison@example.org'
/** Others that are sent at the same time; few enough for workers that keep dying to deliver. */
const OTHERS = { quick: 100, whole: 600 }
/** One more than the claims after which a delivery is given up: then the service has not given it up. */
const KILLS_MAX = 6
const END_MS_MAX = 200_000
const POISONED_AFTER = 20

export const poison: Fault = {
  name: 'poison',
  async run({ shared, isQuick }) {
    const workers: WorkerProcess[] = []
    const kills: number[] = []
    let inFlight = 0
    const stage = await openStage({
      shared,
      sink: {
        async beforeReply({ to }) {
          if (to.includes(POISON)) await killSender()
        },
        onMessage: ({ to }) => (to.includes(POISON) ? 'drop' : undefined),
      },
    })

    async function killSender(): Promise<void> {
      if (kills.length === KILLS_MAX) return
      const [holder] = await stage.query<{ workerId: string }>(
        `select d.leased_by::text as "workerId" from deliveries d join recipients r on r.id = d.id where r.address = '${POISON}'`,
      )
      const index = workers.findIndex(({ workerId }) => workerId === holder?.workerId)
      const [killed] = index < 0 ? [] : workers.splice(index, 1)
      if (!killed) return
      await killed.signal('SIGKILL')
      kills.push(performance.now())
      inFlight += (await stage.openAttempts([killed])) - 1
      workers.push(await stage.startWorker())
    }

    try {
      const api = await stage.startApi()
      workers.push(await stage.startWorker(), await stage.startWorker())
      const emails = isQuick ? OTHERS.quick : OTHERS.whole
      const load = startLoad({
        url: () => api.url,
        token: stage.place.token,
        count: emails + 1,
        request: (index) => (index === POISONED_AFTER ? { fields: { to: POISON } } : {}),
      })
      await load.done
      const problems: string[] = []
      const poisoned = load.accepted[POISONED_AFTER] ?? ''
      await until(
        async () => {
          const left = await stage.count('from deliveries')
          if (left > 0) throw new Error(`${left} deliveries are left after ${kills.length} deaths`)
        },
        { timeout: END_MS_MAX, interval: 250 },
      ).catch((error: Error) => problems.push(error.message))
      // The worker that died last has been replaced.
      await wait(1_000)
      const states = await stage.query<{ id: string; lastEvent: string }>(
        `select id, last_event as "lastEvent" from emails where last_event <> 'delivered'`,
      )
      if (states.length !== 1 || states[0]?.id !== poisoned || states[0].lastEvent !== 'failed') {
        problems.push(`not delivered: ${JSON.stringify(states)}`)
      }
      const others = acceptedIds(load.accepted).filter((id) => id !== poisoned)
      const rounds = kills.slice(1).map((atMs, index) => `${Math.round((atMs - (kills[index] ?? atMs)) / 1_000)} s`)
      return [
        {
          fault: 'a message that kills every worker that sends it',
          remark: `${kills.length} workers died of it, ${rounds.join(', ')} apart; then it has \`failed\`. The others are counted here`,
          ...account(stage, {
            accepted: others,
            inFlight,
            refused: refusedOf(load.statuses),
            struckAtMs: kills[0] ?? performance.now(),
            problems: [...problems, ...unexpected(load.statuses)],
          }),
        },
      ]
    } finally {
      await stage.close()
    }
  },
}
