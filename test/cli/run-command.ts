// Runs real processes of the command line, each in its own folder, with none of this process's environment except what a shell has.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { inheritedEnvironment } from '../support/processes/processes.ts'

export const ENTRY = fileURLToPath(new URL('../../posthaste.js', import.meta.url))

export type Ended = { status: number | null; out: string; errors: string }

export type RunOptions = {
  environment?: Record<string, string>
  /** Current folder of the process. */
  folder: string
  node?: string
  entry?: string
}

export async function run(args: string[], options: RunOptions): Promise<Ended> {
  const child = launch(args, options)
  const [out, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { status, out, errors }
}

export const launch = (args: string[], { environment = {}, folder, node = process.execPath, entry = ENTRY }: RunOptions) =>
  spawn(node, [entry, ...args], {
    cwd: folder,
    env: { ...inheritedEnvironment(), HOME: folder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'posthaste-test-command-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** What a command says on standard error before anything else. */
export function databaseLine(databaseUrl: string): string {
  const { protocol, host, pathname } = new URL(databaseUrl)
  return `Database: ${protocol}//${host}${pathname}\n`
}
