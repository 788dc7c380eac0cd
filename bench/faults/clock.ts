// A wall clock that jumps, for the whole service. The monotonic clock continues, as it does when a clock is set.
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../test/support/clocks/until.ts'
import { openStage } from './stage.ts'
import { type Fault, type Row, runTrial } from './trial.ts'

export const HOUR_SECONDS = 3_600
/** Above the load, but far below what accumulates when a limiter's second never ends. */
const REQUESTS_PER_SECOND = '450'
/** Time for faults that show only after a while. */
const AFTER_JUMP_MS = 6_000
const JUMPED_MS_MAX = 10_000

export const clockForward: Fault = {
  name: 'clock-forward',
  run: ({ shared, emails }) => jump('a clock that jumps an hour forward', HOUR_SECONDS, { shared, emails }),
}

export const clockBack: Fault = {
  name: 'clock-back',
  run: ({ shared, emails }) => jump('a clock that jumps an hour back', -HOUR_SECONDS, { shared, emails }),
}

type JumpOptions = { shared: Parameters<Fault['run']>[0]['shared']; emails: number }

async function jump(fault: string, seconds: number, { shared, emails }: JumpOptions): Promise<Row[]> {
  const clock = createSettableClock()
  if (clock === null) return [{ fault, notRun: true, remark: NO_LIBRARY }]
  const environment = { ...clock.environment, RATE_LIMIT_PER_SECOND: REQUESTS_PER_SECOND }
  // PostgreSQL keeps its time: only the processes of the service jump.
  const stage = await openStage({ shared, environment })
  try {
    const api = await stage.startApi()
    await Promise.all([stage.startWorker(), stage.startWorker()])
    return [
      await runTrial(stage, {
        fault,
        emails,
        url: () => api.url,
        async strike(now) {
          const inFlight = await stage.openAttempts()
          now()
          await clock.set(seconds, api.url)
          await wait(AFTER_JUMP_MS)
          return { inFlight }
        },
      }),
    ]
  } finally {
    await stage.close()
    clock.remove()
  }
}

export const NO_LIBRARY = 'libfaketime is not installed (package faketime of Debian and Ubuntu)'

export type SettableClock = {
  /** The environment of the processes whose clock it is. */
  environment: Record<string, string>
  /** By how much it is forward; negative: back. Resolves once the service at this URL has noticed. */
  set(seconds: number, url: string): Promise<void>
  remove(): void
}

/** Null without libfaketime. */
export function createSettableClock(): SettableClock | null {
  const library = findLibrary()
  if (library === null) return null
  const folder = mkdtempSync(join(tmpdir(), 'posthaste-faults-clock-'))
  const offset = join(folder, 'offset')
  writeFileSync(offset, '+0\n')
  return {
    environment: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: offset,
      FAKETIME_NO_CACHE: '1',
      // The name before and since version 0.9.10.
      DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    async set(seconds, url) {
      writeFileSync(offset, `${seconds < 0 ? '' : '+'}${seconds}\n`)
      await untilJumped(url, seconds)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function findLibrary(): string | null {
  if (process.platform !== 'linux') return null
  return globSync('/usr/{lib,lib64,local/lib}/{,*/}faketime/libfaketime.so.1')[0] ?? null
}

/** The service logs the jump. Otherwise nothing has been shown. */
const untilJumped = (url: string, seconds: number): Promise<void> =>
  until(
    async () => {
      const { headers } = await fetch(`${url}/health/live`)
      const ahead = (Date.parse(headers.get('date') ?? '') - Date.now()) / 1_000
      if (!(Math.abs(ahead - seconds) < HOUR_SECONDS / 60)) throw new Error(`The clock of the service is ${ahead} s ahead`)
    },
    { timeout: JUMPED_MS_MAX, interval: 100 },
  )
