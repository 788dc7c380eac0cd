// Starts what is measured as processes of their own, so that nobody pays for somebody else's work.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')
const START_MS_MAX = 30_000
const POLL_MS = 20

const running = new Set<ChildProcess>()

/** Runs a script of this repository with Node; its output is thrown away unless it is asked for. */
export function run(
  script: string,
  args: string[],
  environment: Record<string, string>,
  output: 'ignore' | 'pipe' = 'ignore',
): ChildProcess {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: ROOT,
    stdio: ['ignore', output, 'inherit'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

export async function stop(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

export const stopAll = (): Promise<unknown> => Promise.all([...running].map(stop))

/** Resolves when `url` answers with 200. */
export async function untilReady(url: string): Promise<void> {
  await until(
    async () => (await fetch(url).catch(() => null))?.status === 200,
    () => `${url} did not answer within ${START_MS_MAX / 1_000} s`,
    START_MS_MAX,
  )
}

export async function until(isDone: () => Promise<boolean> | boolean, complaint: () => string, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error(complaint())
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

export function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer().once('error', fail)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => done(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
