// Single emails at a fixed rate, whatever the answers take, from a process of its own.
import { TOKEN } from './place.ts'
import { messageOf, run } from './processes.ts'

export type SteadyRequest = { url: string; token: string; perSecond: number; seconds: number; name: string; isMarked: boolean }

export type SteadyReport = {
  answered: number
  /** First request and last answer, on the machine's monotonic clock. */
  startMs: number
  endMs: number
  failed: number
  /** How often the generator itself came too late. */
  late: number
  /** Answers in each second since the first request. */
  answeredIn: number[]
  /** For each marked email: the address, and when its request began on the machine's monotonic clock. */
  marked: [address: string, begunMs: number][]
}

export type SteadyOptions = Omit<SteadyRequest, 'token'>

/** @throws when an email was not accepted. */
export async function sendSteadily(options: SteadyOptions): Promise<SteadyReport> {
  const request: SteadyRequest = { ...options, token: TOKEN }
  const report = await messageOf<SteadyReport>(run('bench/steady-load-process.ts', [JSON.stringify(request)], { hasMessages: true }))
  if (report.failed > 0) throw new Error(`${report.failed} emails were not accepted`)
  return report
}
