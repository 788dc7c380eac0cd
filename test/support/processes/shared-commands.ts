import { afterAll, beforeAll } from 'vitest'
import { inheritedEnvironment } from './processes.ts'
import { type SharedCommandProcess, startSharedCommandProcess } from './shared-command-process.ts'

type Ended = { status: number | null; out: string; errors: string }
type Run = (args: string[], options: { folder: string; environment?: Record<string, string> }) => Promise<Ended>

/** Runs commands in one process for all tests of the file, each with none of this process's environment. */
export function useSharedCommands(): { run: Run } {
  let shared: SharedCommandProcess
  beforeAll(() => {
    shared = startSharedCommandProcess()
  })
  afterAll(() => shared.close())
  return {
    run: (args, { folder, environment }) =>
      shared.run({ args, folder, environment: { ...inheritedEnvironment(), HOME: folder, ...environment } }),
  }
}
