// Handles a PostgreSQL that outlived the service that started it (killed, on a system that does not tell children).
import { spawnSync } from 'node:child_process'
import { readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartupProblem } from '../../lib/startup-problem.ts'
import type { Log } from '../session/database-session.ts'

/**
 * Stops the server that still runs on `cluster`, if one does. Call it only while holding the data folder's lock, which proves that no live service
 * owns it. Throws a StartupProblem if the server does not stop.
 */
export async function stopOrphan(cluster: string, log: Log): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid')
  const pid = readPid(pidFile)
  if (pid === undefined || !isAlive(pid)) return
  if (!isServerOf(pid, cluster)) {
    // The id belongs to another program by now, and PostgreSQL would take that program for itself.
    rmSync(pidFile, { force: true })
    return
  }
  log.warn({ pid }, 'database of a killed service found, stopping it')
  // First an orderly shutdown, then one that leaves recovery to the next start.
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has just ended, or it belongs to another user. The wait shows which.
    }
    if (await endsWithin(ORPHAN_STOP_MS, pid, cluster)) return
  }
  throw new StartupProblem(
    `A PostgreSQL of an earlier start (process ${pid}) still uses ${cluster} and does not stop: end it, then start again.`,
  )
}

// A shutdown writes up to 128 MB of buffers, which takes a slow disk seconds.
const ORPHAN_STOP_MS = 10_000
const POLL_MS = 10

async function endsWithin(limitMs: number, pid: number, cluster: string): Promise<boolean> {
  const deadline = performance.now() + limitMs
  while (isAlive(pid) && isServerOf(pid, cluster)) {
    if (performance.now() > deadline) return false
    await sleep(POLL_MS)
  }
  return true
}

function readPid(pidFile: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
    return pid > 0 ? pid : undefined
  } catch {
    // No file, no server.
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Whether the process is a PostgreSQL on this folder: its working directory is the folder. A zombie has none. */
function isServerOf(pid: number, cluster: string): boolean {
  if (process.platform === 'linux') {
    try {
      return (
        realpathSync(readlinkSync(`/proc/${pid}/cwd`)) === realpathSync(cluster) &&
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('postgres')
      )
    } catch {
      return false
    }
  }
  const { stdout } = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  return typeof stdout === 'string' && stdout.includes('postgres') && stdout.includes(cluster)
}
