// Runs inside the service of the turns part: tells how long the longest turn of its event loop took, and how long `JSON.parse` takes there. It is
// loaded before the service by `--import`.
import { createServer, type IncomingMessage } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const RESOLUTION_MS = 1
const PARSED_TIMES = 5

const port = process.env.TURN_PROBE_PORT
if (isMainThread && port !== undefined) listen(Number(port))

function listen(on: number): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  const answers: Record<string, (request: IncomingMessage) => number | Promise<number>> = {
    '/reset': () => {
      delays.reset()
      return 0
    },
    '/longest': () => delays.max / 1e6 - RESOLUTION_MS,
    '/parse': async (request) => usualParseMs(await textOf(request)),
  }
  createServer(async (request, response) => {
    response.end(String(await answers[request.url ?? '']?.(request)))
  })
    .listen(on, '127.0.0.1')
    .unref()
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

function usualParseMs(text: string): number {
  const times = Array.from({ length: PARSED_TIMES }, () => {
    const beganMs = performance.now()
    JSON.parse(text)
    return performance.now() - beganMs
  })
  return times.sort((a, b) => a - b)[Math.floor(PARSED_TIMES / 2)] ?? Number.NaN
}
