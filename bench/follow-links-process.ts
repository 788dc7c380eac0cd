import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Agent, request as get } from 'undici'
import type { FollowingReport, FollowingRequest } from './tracking.ts'

/** Enough for what is on its way at once. */
const CONNECTIONS = 50
/** Not reported. While this process connects and compiles what it runs, links are due already, and wait for it rather than for the service. */
const RUN_IN_MS = 2_000
/** Follows what is due this often: a rate of thousands needs no timer for each. */
const TICK_MS = 2

process.once('message', async (request: FollowingRequest) => {
  const { url, paths, perSecond, seconds, userAgent } = request
  const dispatcher = new Agent({ connections: CONNECTIONS, pipelining: 1 })
  const report: FollowingReport = { followed: 0, failed: 0, perSecond: 0, waitsMs: [], pausesMs: { p50: 0, p99: 0 } }
  const startMs = performance.now()
  const countsFromMs = startMs + RUN_IN_MS
  const onTheirWay = new Set<Promise<void>>()

  async function follow(path: string): Promise<void> {
    const begunMs = performance.now()
    const { statusCode, body } = await get(url + path, { dispatcher, headers: { 'user-agent': userAgent } })
    await body.dump()
    if (statusCode !== 302) throw new Error(`${path}: ${statusCode}`)
    report.followed += 1
    if (begunMs >= countsFromMs) report.waitsMs.push(performance.now() - begunMs)
  }

  const pauses = monitorEventLoopDelay({ resolution: 1 })
  let next = 0
  while (performance.now() - startMs < RUN_IN_MS + seconds * 1_000) {
    if (performance.now() >= countsFromMs) pauses.enable()
    const due = ((performance.now() - startMs) / 1_000) * perSecond
    for (; next <= due; next += 1) {
      const following = follow(paths[next % paths.length] ?? '')
        .catch(() => {
          report.failed += 1
        })
        .finally(() => onTheirWay.delete(following))
      onTheirWay.add(following)
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS))
  }
  await Promise.all(onTheirWay)
  report.perSecond = (report.waitsMs.length / (performance.now() - countsFromMs)) * 1_000
  pauses.disable()
  report.pausesMs = { p50: pauses.percentile(50) / 1e6, p99: pauses.percentile(99) / 1e6 }
  await dispatcher.close()
  process.send?.(report, () => process.disconnect())
})
