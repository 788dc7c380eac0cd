// Starts what is measured as separate processes, so that none is charged for the work of another.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')
const POLL_MS = 20
/** Longer than the service takes to stop in good order. */
const STOP_MS = 15_000

const running = new Set<ChildProcess>()

export type RunOptions = {
  environment?: Record<string, string>
  /** What becomes of its standard output. */
  output?: 'ignore' | 'pipe'
  /** Whether it talks to this process by messages. */
  hasMessages?: boolean
}

/** Runs a script of this repository with Node. */
export const run = (script: string, args: string[] = [], options: RunOptions = {}): ChildProcess =>
  runProgram(process.execPath, [script, ...args], options)

/** Runs a program. Its errors are shown; the environment holds what is handed in and little else. */
export function runProgram(
  program: string,
  args: string[],
  { environment = {}, output = 'ignore', hasMessages = false }: RunOptions = {},
): ChildProcess {
  const child = spawn(program, args, {
    cwd: ROOT,
    stdio: ['ignore', output, 'inherit', ...(hasMessages ? (['ipc'] as const) : [])],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  child.once('error', () => running.delete(child))
  return child
}

/** Asks it to end, and ends it when it does not. */
export async function stop(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const killing = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  await exited
  clearTimeout(killing)
}

export const stopAll = (): Promise<unknown> => Promise.all([...running].map(stop))

/** What a program sent as its only message before it ended well. */
export async function messageOf<Message>(child: ChildProcess): Promise<Message> {
  const messages: Message[] = []
  child.on('message', (message) => messages.push(message as Message))
  const [status, signal] = await once(child, 'exit')
  const [message] = messages
  if (status !== 0 || message === undefined) throw new Error(`A program ended with ${status ?? signal} and ${messages.length} messages`)
  return message
}

/** Resolves when it has ended well. */
export async function untilEnded(child: ChildProcess): Promise<void> {
  const [status, signal] = await once(child, 'exit')
  if (status !== 0) throw new Error(`${child.spawnargs.slice(1).join(' ')} ended with ${status ?? signal}`)
}

export async function until(isDone: () => Promise<boolean> | boolean, complaint: () => string, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error(complaint())
    await pause(POLL_MS)
  }
}

export const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

export function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer().once('error', fail)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => done(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
