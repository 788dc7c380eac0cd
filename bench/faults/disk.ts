// A disk that fills up: a file system in memory, which only the service and this command see.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../test/support/clocks/until.ts'
import { type Place, postgresPidOf, type ServiceProcess, untilGone } from '../../test/support/processes/processes.ts'
import { openStage, type Stage } from './stage.ts'
import { type Fault, type Row, runTrial, type Trial } from './trial.ts'

const MIB = 1024 * 1024
/** A new database takes about 60 MB, the watermark of the service is 256 MB. */
const DISK_MIB = 700
const MOUNT = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c'] as const
const onADisk = (mebibytes: number) => `mount -t tmpfs -o size=${mebibytes}m none "$DATA_DIR" && exec "$@"`

/** Well below the watermark, and enough for what was accepted. */
export const LOW_BYTES_LEFT = 150 * MIB
export const LOW_MS = 8_000
const FULL_MS = 12_000
const DELIVERED_MS_MAX = 60_000

export const diskLow: Fault = {
  name: 'disk-low',
  run: ({ emails }) =>
    onSmallDisk('a disk with less than the watermark left, for 8 s', emails, async (stage, output, now) => {
      const inFlight = await stage.openAttempts()
      now()
      const filler = await fill(stage, LOW_BYTES_LEFT)
      await wait(LOW_MS)
      // New work is refused, while the old is completed.
      await until(
        async () => {
          if ((await stage.count('from deliveries')) > 0)
            throw new Error('What was accepted was not delivered on a disk that is almost full')
        },
        { timeout: DELIVERED_MS_MAX },
      )
      const problems = output().includes('database ended unexpectedly') ? ['PostgreSQL ended'] : []
      await rm(filler)
      return { inFlight, remark: 'new work refused, the old delivered meanwhile', problems }
    }),
}

export const diskFull: Fault = {
  name: 'disk-full',
  run: ({ emails }) =>
    onSmallDisk('a disk without a byte left, for 12 s', emails, async (stage, output, now) => {
      const inFlight = await stage.openAttempts()
      now()
      const filler = await fill(stage, 0)
      await wait(FULL_MS)
      const deaths = output().split('database ended unexpectedly').length - 1
      await rm(filler)
      return { inFlight, remark: deaths > 0 ? `PostgreSQL ended ${deaths} times and was started again` : 'PostgreSQL went on' }
    }),
}

type Strike = (stage: Stage, output: () => string, now: () => void) => ReturnType<Trial['strike']>

async function onSmallDisk(fault: string, emails: number, strike: Strike): Promise<Row[]> {
  return withSmallDisk(fault, async (stage, service) => {
    const row = await runTrial(stage, { fault, emails, url: () => service.url, strike: (now) => strike(stage, service.output, now) })
    if (!row.notRun && row.refused === 0) row.problems.push('new work was not refused')
    return row
  })
}

/** A service whose data folder is a disk of its own, so small that it can be filled. */
export async function withSmallDisk(
  fault: string,
  run: (stage: Stage, service: ServiceProcess) => Promise<Row>,
  { mebibytes = DISK_MIB, environment = {} }: { mebibytes?: number; environment?: Record<string, string> } = {},
): Promise<Row[]> {
  const problem = mountProblem()
  if (problem !== null) return [{ fault, notRun: true, remark: `no file system of one's own can be mounted here: ${problem}` }]
  let servicePid = 0
  const seen = ({ dataDir }: Place) => `/proc/${servicePid}/root${dataDir}`
  const stage = await openStage({ dataDirSeen: seen, environment })
  try {
    const service = await stage.place.start({ command: [...MOUNT, onADisk(mebibytes), 'sh', process.execPath, 'posthaste.js', 'start'] })
    servicePid = service.pid
    const row = await run(stage, service)
    const postgres = postgresPidOf(stage.dataDirSeen())
    await service.signal('SIGTERM')
    if (postgres !== null) await untilGone(postgres)
    return [row]
  } finally {
    await stage.close()
  }
}

function mountProblem(): string | null {
  if (process.platform !== 'linux') return 'this is not Linux'
  const { status, error, stderr } = spawnSync(MOUNT[0], [...MOUNT.slice(1), 'mount -t tmpfs none /tmp'], { encoding: 'utf8' })
  return status === 0 ? null : (error?.message ?? stderr.trim())
}

/** Writes a file until only this much is left, whatever others write meanwhile. Returns its path. */
export async function fill(stage: Stage, bytesLeft: number): Promise<string> {
  const folder = stage.dataDirSeen()
  const path = join(folder, 'filler')
  const file = await open(path, 'w')
  const chunk = Buffer.alloc(MIB)
  try {
    for (;;) {
      const { bavail, bsize } = await statfs(folder)
      const missing = bavail * bsize - bytesLeft
      if (missing <= 0) return path
      await file.write(chunk, 0, Math.min(missing, chunk.length))
    }
  } catch (error) {
    // Another process took the last bytes.
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return path
    rmSync(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}
