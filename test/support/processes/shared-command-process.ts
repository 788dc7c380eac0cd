// Runs one command line after another in one process, each with its own arguments, environment and folder. Most of what a short command costs is
// the start of Node.js and the loading of modules. What is about a process itself (signals, .env, its end) needs one of its own: run-command.ts.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { inheritedEnvironment } from './processes.ts'

export type CommandRequest = { args: string[]; environment: Record<string, string>; folder: string }
export type CommandReply = { status: number }

/** Ends what a command has written, on each stream. Commands print no such character. */
export const END_OF_COMMAND = '\u0004'

export type SharedCommandProcess = {
  /** Waits for the commands before it. */
  run(request: CommandRequest): Promise<{ status: number; out: string; errors: string }>
  close(): Promise<void>
}

/** `processes`: this folder, in a copy of the project whose sources are to run. */
export function startSharedCommandProcess({ processes = import.meta.dirname } = {}): SharedCommandProcess {
  const child = fork(join(processes, 'command-process.ts'), { env: inheritedEnvironment(), execArgv: [], silent: true })
  const ended = once(child, 'exit')
  const outputs = partsOf(child.stdout)
  const errors = partsOf(child.stderr)
  let last: Promise<unknown> = Promise.resolve()

  async function runNext(request: CommandRequest) {
    const replied = new Promise<CommandReply>((resolve) => child.once('message', resolve))
    child.send(request)
    const [out, err] = await Promise.all([outputs.next(), errors.next()])
    if (out.done || err.done) throw new Error(`The process ended in \`${request.args.join(' ')}\`: ${out.value}${err.value}`)
    const { status } = await replied
    return { status, out: out.value, errors: err.value }
  }

  return {
    run(request) {
      const reply = last.then(() => runNext(request))
      last = reply.catch(() => {})
      return reply
    },
    async close() {
      child.disconnect()
      await ended
    },
  }
}

/** What each command writes to a stream; at the end of the stream, what is left. */
async function* partsOf(stream: Readable | null): AsyncGenerator<string, string> {
  let rest = ''
  for await (const chunk of stream?.setEncoding('utf8') ?? []) {
    const parts = `${rest}${chunk}`.split(END_OF_COMMAND)
    rest = parts.pop() ?? ''
    yield* parts
  }
  return rest
}
