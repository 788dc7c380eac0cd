// Restarts processes with a balancer in front, one after the other, for example for an upgrade: no request may fail.

import { until } from '../../test/support/clocks/until.ts'
import { freePort } from '../../test/support/processes/processes.ts'
import { DRAIN_SECONDS, expectRequests, isBalancerInstalled, startBalancer } from '../../test/support/servers/balancer.ts'
import { openStage } from './stage.ts'
import { type Fault, runTrial } from './trial.ts'

const RESTARTS = { quick: 4, whole: 20 }
const KNOWN_MS_MAX = 30_000

export const rollingRestart: Fault = {
  name: 'rolling-restart',
  async run({ shared, emails, isQuick }) {
    const restarts = isQuick ? RESTARTS.quick : RESTARTS.whole
    const fault = `SIGTERM of one process of two, ${restarts} times by turns, with Caddy and health checks in front; started again`
    if (!isBalancerInstalled()) return [{ fault, notRun: true, remark: 'it needs `apt-get install caddy`' }]
    const stage = await openStage({ shared, environment: { ROLES: 'api,worker', DRAIN_SECONDS: String(DRAIN_SECONDS) } })
    const ports = [await freePort(), await freePort()]
    const services = await Promise.all(ports.map((port) => stage.place.start({ port })))
    const balancer = await startBalancer(ports)
    try {
      const row = await runTrial(stage, {
        fault,
        emails,
        url: () => balancer.url,
        async strike(now) {
          now()
          const problems: string[] = []
          for (let restart = 0; restart < restarts; restart += 1) {
            const turn = restart % ports.length
            const ending = await services[turn]?.signal('SIGTERM')
            if (ending?.status !== 0) problems.push(`a process ended with ${ending?.status ?? ending?.signal}`)
            const restarted = await stage.place.start({ port: ports[turn] ?? 0 })
            services[turn] = restarted
            await until(() => expectRequests(restarted), { timeout: KNOWN_MS_MAX })
          }
          return { inFlight: 0, problems, remark: `\`DRAIN_SECONDS=${DRAIN_SECONDS}\`, health checks every 250 ms` }
        },
      })
      if (row.notRun || row.refused === 0) return [row]
      return [{ ...row, problems: [...row.problems, `${row.refused} requests failed`] }]
    } finally {
      await balancer.close()
      await stage.close()
    }
  },
}
