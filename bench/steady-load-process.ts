import { Agent, request as post } from 'undici'
import { email } from './email.ts'
import type { SteadyReport, SteadyRequest } from './steady-load.ts'

const { url, token, perSecond, seconds, name, isMarked }: SteadyRequest = JSON.parse(process.argv[2] ?? '{}')
/** Enough for what is on its way at once. */
const CONNECTIONS = 50
/** Sends what is due this often: a rate of thousands needs no timer for each. */
const TICK_MS = 2
/** A tick that comes later than this is counted: then the generator was part of the measurement. */
const LATE_MS = 50

const dispatcher = new Agent({ connections: CONNECTIONS, pipelining: 1 })
const nowMs = () => Number(process.hrtime.bigint()) / 1e6
const startMs = nowMs()
const report: SteadyReport = { answered: 0, startMs, endMs: startMs, failed: 0, late: 0, answeredIn: [], marked: [] }
const onTheirWay = new Set<Promise<void>>()

async function send(index: number): Promise<void> {
  const address = `${isMarked ? 'marked' : 'customer'}-${name}-${index}@example.org`
  const begunMs = nowMs()
  const { statusCode, body } = await post(`${url}/emails`, {
    dispatcher,
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': `${name}-${index}` },
    body: JSON.stringify(email(index, address)),
  })
  await body.dump()
  if (statusCode !== 200) {
    report.failed += 1
    return
  }
  report.answered += 1
  const second = Math.floor((nowMs() - startMs) / 1_000)
  report.answeredIn[second] = (report.answeredIn[second] ?? 0) + 1
  if (isMarked) report.marked.push([address, begunMs])
}

let next = 0
let tickAtMs = startMs
while (nowMs() - startMs < seconds * 1_000) {
  const due = ((nowMs() - startMs) / 1_000) * perSecond
  for (; next <= due; next++) {
    const sending = send(next)
      .catch(() => {
        report.failed += 1
      })
      .finally(() => onTheirWay.delete(sending))
    onTheirWay.add(sending)
  }
  if (nowMs() - tickAtMs > LATE_MS) report.late += 1
  tickAtMs = nowMs()
  await new Promise((resolve) => setTimeout(resolve, TICK_MS))
}
await Promise.all(onTheirWay)
report.endMs = nowMs()
await dispatcher.close()
process.send?.(report, () => process.disconnect())
