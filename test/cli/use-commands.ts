import { afterAll, beforeAll } from 'vitest'
import { inheritedEnvironment } from '../support/processes/processes.ts'
import { type SharedCommandProcess, startSharedCommandProcess } from '../support/processes/shared-command-process.ts'
import { startTestService, type TestService, type TestServiceOptions } from '../support/servers/service.ts'
import { databaseLine, type Ended, run, temporaryFolder } from './run-command.ts'

/** Commands in a folder of their own, in one process for all tests of the file. */
export function useCommands() {
  let folder: ReturnType<typeof temporaryFolder>
  let shared: SharedCommandProcess
  beforeAll(() => {
    folder = temporaryFolder()
    shared = startSharedCommandProcess()
  })
  afterAll(async () => {
    await shared.close()
    folder.remove()
  })

  const commandWith = (environment: Record<string, string>, ...args: string[]): Promise<Ended> =>
    shared.run({ args, folder: folder.path, environment: { ...inheritedEnvironment(), HOME: folder.path, ...environment } })
  return {
    folder: () => folder.path,
    command: (...args: string[]) => commandWith({}, ...args),
    commandWith,
    /** In a process of its own, which must end by itself. */
    commandAlone: (...args: string[]) => run(args, { folder: folder.path }),
  }
}

/** Commands on the database of a service that runs. */
export function useCommandsBesideService(options: TestServiceOptions = {}) {
  const commands = useCommands()
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(options)
  })
  afterAll(() => service.close())

  const databaseUrl = () => service.config.databaseUrl ?? ''
  const environmentOf = () => ({ DATABASE_URL: databaseUrl(), LOG_LEVEL: 'silent', ...options.environment })
  return {
    folder: commands.folder,
    service: () => service,
    command: (...args: string[]) => commands.commandWith(environmentOf(), ...args),
    commandWith: (environment: Record<string, string>, ...args: string[]) =>
      commands.commandWith({ ...environmentOf(), ...environment }, ...args),
    commandAlone: (...args: string[]) => run(args, { folder: commands.folder(), environment: environmentOf() }),
    /** What a command writes to standard error: which database it is, and then `lines`. */
    errorsWith: (lines = '') => `${databaseLine(databaseUrl())}${lines}`,
  }
}
