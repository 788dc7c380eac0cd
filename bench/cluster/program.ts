// A program of Debian's that runs until it is stopped, as a user without rights, because PostgreSQL and pgbouncer refuse to run as root.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'

/** The user that Debian's package of PostgreSQL makes. */
const USER = 'postgres'
const isRoot = process.getuid?.() === 0
const STOP_MS_MAX = 20_000

export type Program = {
  pid: number
  isRunning(): boolean
  signal(signal: NodeJS.Signals): Promise<void>
  /** Ends it in good order, or kills it after 20 s. */
  stop(): Promise<void>
}

/** What it writes goes to `log`. It does not outlive this process, however that ends. */
export function startProgram([name, ...args]: [string, ...string[]], log: string): Program {
  const file = openSync(log, 'a')
  const rights = isRoot ? [`--reuid=${USER}`, `--regid=${USER}`, '--init-groups'] : []
  const child = spawn('setpriv', [...rights, '--pdeathsig', 'SIGTERM', name, ...args], {
    stdio: ['ignore', file, file],
    // No settings of the person who runs this, such as a proxy, may come between the parts.
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' },
  })
  closeSync(file)
  const ended = new Promise<void>((done) => child.once('close', () => done()))
  const isRunning = () => child.exitCode === null && child.signalCode === null && child.pid !== undefined
  const signal = (signal: NodeJS.Signals) => {
    if (isRunning()) child.kill(signal)
    return ended
  }
  return {
    pid: pidOf(child),
    isRunning,
    signal,
    async stop() {
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
      await signal('SIGTERM')
      clearTimeout(timer)
    },
  }
}

/** The programs are refused before anything is started, if one is missing. */
export function checkPrograms(paths: string[]): void {
  for (const path of ['setpriv', ...paths]) {
    try {
      execFileSync('which', [path], { stdio: 'ignore' })
    } catch {
      throw new Error(`${path} is missing: apt-get install postgresql patroni etcd-server pgbouncer util-linux`)
    }
  }
}

/** A file that the programs may read and write, and no one else. */
export function writeFileFor(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 })
  giveAway(path)
}

/** Makes the user of the programs the owner of the file. */
export function giveAway(path: string): void {
  if (!isRoot) return
  const [uid, gid] = ['-u', '-g'].map((which) => Number(execFileSync('id', [which, USER], { encoding: 'utf8' })))
  chownSync(path, uid ?? 0, gid ?? 0)
}

/** The last lines of a log, for an error that has to say why. */
export const endOf = (log: string): string => readFileSync(log, 'utf8').split('\n').slice(-LINES_SHOWN).join('\n')
const LINES_SHOWN = 20

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('The program was not started')
  return pid
}
