import { Agent, request as get } from 'undici'
import type { FollowingReport, FollowingRequest } from './tracking.ts'

/** Enough for what is on its way at once. */
const CONNECTIONS = 50
/** Follows what is due this often: a rate of thousands needs no timer for each. */
const TICK_MS = 2

process.once('message', async (request: FollowingRequest) => {
  const { url, paths, perSecond, seconds, userAgent } = request
  const dispatcher = new Agent({ connections: CONNECTIONS, pipelining: 1 })
  const report: FollowingReport = { followed: 0, failed: 0, perSecond: 0, waitsMs: [] }
  const onTheirWay = new Set<Promise<void>>()

  async function follow(path: string): Promise<void> {
    const begunMs = performance.now()
    const { statusCode, body } = await get(url + path, { dispatcher, headers: { 'user-agent': userAgent } })
    await body.dump()
    if (statusCode !== 302) throw new Error(`${path}: ${statusCode}`)
    report.followed += 1
    report.waitsMs.push(performance.now() - begunMs)
  }

  const startMs = performance.now()
  let next = 0
  while (performance.now() - startMs < seconds * 1_000) {
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
  report.perSecond = (report.followed / (performance.now() - startMs)) * 1_000
  await dispatcher.close()
  process.send?.(report, () => process.disconnect())
})
