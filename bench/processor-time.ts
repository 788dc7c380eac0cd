// Processor time of processes, as Linux tells it. Elsewhere everything is NaN.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Linux counts in hundredths of a second for programs. */
const TICK_MS = 10

/** That of one process, its ended children included. */
export function processCpuMs(pid: number): number {
  const times = timesOf(pid)
  return times ? times.ownMs + times.childrenMs : Number.NaN
}

/** That of the PostgreSQL of the run: of the server, the connections that it serves, and those that have ended. */
export function postgresCpuMs(dataDir: string): number {
  const server = Number(readFileSync(join(dataDir, 'server', 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
  let sum = processCpuMs(server)
  for (const name of readdirSync('/proc')) {
    const times = /^\d+$/.test(name) ? timesOf(Number(name)) : null
    if (times?.parent === server) sum += times.ownMs + times.childrenMs
  }
  return sum
}

/** See proc_pid_stat(5). The name of the program may have spaces and parentheses. */
function timesOf(pid: number): { parent: number; ownMs: number; childrenMs: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [parent = 0, user = 0, system = 0, usersOfChildren = 0, systemOfChildren = 0] = [1, 11, 12, 13, 14].map((index) => fields[index])
    return { parent, ownMs: (user + system) * TICK_MS, childrenMs: (usersOfChildren + systemOfChildren) * TICK_MS }
  } catch {
    return null
  }
}
