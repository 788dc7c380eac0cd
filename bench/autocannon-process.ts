import autocannon from 'autocannon'
import type { LoadReport, LoadRequest } from './load.ts'

const { url, connections, seconds, method = 'POST', body, token }: LoadRequest & { token: string } = JSON.parse(process.argv[2] ?? '{}')
const { requests, latency, non2xx, errors, duration } = await autocannon({
  url,
  connections,
  duration: seconds,
  method,
  // Replaced by another text in every request.
  idReplacement: true,
  headers: {
    authorization: `Bearer ${token}`,
    ...(method === 'POST' && { 'idempotency-key': '[<id>]' }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  },
  ...(body !== undefined && { body: JSON.stringify(body) }),
})
const report: LoadReport = {
  answered: requests.total,
  durationUs: duration * 1e6,
  failed: non2xx + errors,
  p50Us: latency.p50 * 1_000,
  p99Us: latency.p99 * 1_000,
}
process.send?.(report, () => process.disconnect())
