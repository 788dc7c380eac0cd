import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { until } from '../support/clocks/until.ts'
import { launch, run, temporaryFolder } from './run-command.ts'

vi.setConfig({ testTimeout: 120_000 })

let folder: ReturnType<typeof temporaryFolder>
let registry: Server
let sockets: Socket[]

// A copy, because npm removes what is installed first. The registry takes connections and never answers.
beforeEach(async () => {
  folder = temporaryFolder()
  const project = fileURLToPath(new URL('../../', import.meta.url))
  mkdirSync(join(folder.path, 'generators'))
  for (const name of ['run.ts', 'package.json', 'package-lock.json'])
    cpSync(join(project, 'generators', name), join(folder.path, 'generators', name))
  symlinkSync(join(project, 'test'), join(folder.path, 'test'))
  sockets = []
  registry = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
  }).listen(0, '127.0.0.1')
  await once(registry, 'listening')
})
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  registry.close()
  folder.remove()
})

const options = (environment: Record<string, string>) => ({
  folder: folder.path,
  entry: join(folder.path, 'generators', 'run.ts'),
  environment: {
    npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`,
    npm_config_cache: join(folder.path, 'cache'),
    ...environment,
  },
})

/** Whatever runs in the folder, however it was started. */
const processesHere = (): string[] =>
  readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`).startsWith(folder.path)
    } catch {
      return false
    }
  })

const SENTENCE = 'The generators were not installed within 5 s: the registry of npm is slow or does not answer.'

it.each([
  { where: 'skips the generators', environment: {}, ended: { status: 0, out: `${SENTENCE} Nothing was generated.\n`, errors: '' } },
  { where: 'fails in CI', environment: { CI: 'true' }, ended: { status: 1, out: `${SENTENCE}\n`, errors: '' } },
])('a registry that never answers $where, in time, and nothing is left running', async ({ environment, ended }) => {
  expect(await run([], options({ GENERATORS_INSTALL_SECONDS: '5', ...environment }))).toEqual(ended)
  await until(() => expect(processesHere()).toEqual([]))
})

it('the generators end with what they started at SIGTERM', async () => {
  const generators = launch([], options({}))
  const ended = once(generators, 'close')
  await once(registry, 'connection')
  generators.kill('SIGTERM')
  expect(await ended).toEqual([1, null])
  await until(() => expect(processesHere()).toEqual([]))
})
