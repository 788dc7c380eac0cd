// The load generator, in a process of its own: wrk where it is installed, because it costs the least, or else autocannon.
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { TOKEN } from './place.ts'
import { messageOf, run, runProgram } from './processes.ts'

export type LoadRequest = { url: string; connections: number; seconds: number; method?: 'GET' | 'POST'; body?: object; token?: string }

/** Milliseconds. */
export type Load = { answered: number; perSecond: number; p50: number; p99: number }

/** The report as a generator prints it. */
export type LoadReport = { answered: number; durationUs: number; failed: number; p50Us: number; p99Us: number }

const WRK = 'wrk'
const hasWrk = spawnSync(WRK, ['-v'], { stdio: 'ignore' }).error === undefined
export const GENERATOR = hasWrk ? WRK : 'autocannon'

/**
 * Sends the same request over all connections, as fast as it is answered; a POST each time with a new idempotency key.
 *
 * @throws when an answer was not a 2xx, because then something else was measured.
 */
export async function generateLoad(request: LoadRequest): Promise<Load> {
  const { answered, durationUs, failed, p50Us, p99Us } = await (hasWrk ? byWrk(request) : byAutocannon(request))
  if (failed > 0) throw new Error(`${request.url}: ${failed} of ${answered} requests failed`)
  return { answered, perSecond: (answered / durationUs) * 1e6, p50: p50Us / 1_000, p99: p99Us / 1_000 }
}

async function byWrk({ url, connections, seconds, method = 'POST', body, token = TOKEN }: LoadRequest): Promise<LoadReport> {
  const environment = {
    BENCH_METHOD: method,
    BENCH_TOKEN: token,
    BENCH_RUN: randomUUID(),
    ...(body !== undefined && { BENCH_BODY: JSON.stringify(body) }),
  }
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', 'bench/wrk-report.lua', url]
  const child = runProgram(WRK, args, { environment, output: 'pipe' })
  const [output] = await Promise.all([child.stdout ? text(child.stdout) : '', once(child, 'exit')])
  const line = output.split('\n').find((one) => one.startsWith('{'))
  if (line === undefined) throw new Error(`wrk reported nothing: ${output}`)
  return JSON.parse(line)
}

function byAutocannon(request: LoadRequest): Promise<LoadReport> {
  return messageOf<LoadReport>(run('bench/autocannon-process.ts', [JSON.stringify({ token: TOKEN, ...request })], { hasMessages: true }))
}
