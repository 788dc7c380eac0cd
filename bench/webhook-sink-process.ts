// Endpoints of webhooks: those under /hang never answer, all others do at once. Tells how long each message was on its way.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

/** What has arrived since the last report, except at endpoints that hang: when, and how long each took from its cause. */
export type WebhookSinkReport = { count: number; atMs: number; waitsMs: number[] }

const REPORT_EVERY_MS = 20
const [port = '0'] = process.argv.slice(2)
let count = 0
let waitsMs: number[] = []
const nowMs = () => Number(process.hrtime.bigint()) / 1e6

const server = createServer(async (request, response) => {
  if (request.url?.startsWith('/hang')) return
  const { data } = JSON.parse(await text(request))
  count += 1
  if (typeof data.at_ms === 'number') waitsMs.push(nowMs() - data.at_ms)
  response.end('ok')
})
server.listen(Number(port), '127.0.0.1', () => process.send?.({ count, atMs: nowMs(), waitsMs } satisfies WebhookSinkReport))
setInterval(() => {
  if (waitsMs.length === 0) return
  process.send?.({ count, atMs: nowMs(), waitsMs } satisfies WebhookSinkReport)
  waitsMs = []
}, REPORT_EVERY_MS)
// The process that started it has ended.
process.once('disconnect', () => process.exit(0))
