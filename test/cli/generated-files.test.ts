import { appendFileSync, cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inheritedEnvironment } from '../support/processes/processes.ts'
import { type SharedCommandProcess, startSharedCommandProcess } from '../support/processes/shared-command-process.ts'
import { temporaryFolder } from './run-command.ts'

let folder: ReturnType<typeof temporaryFolder>
let commands: SharedCommandProcess

// A copy of the project, because the commands write into it.
beforeAll(() => {
  folder = temporaryFolder()
  const project = fileURLToPath(new URL('../../', import.meta.url))
  for (const name of ['src', 'prisma', 'package.json', PROCESSES, 'test/support/clocks/until.ts'])
    cpSync(join(project, name), join(folder.path, name), { recursive: true })
  symlinkSync(join(project, 'node_modules'), join(folder.path, 'node_modules'))
  commands = startSharedCommandProcess({ processes: join(folder.path, PROCESSES) })
})
afterAll(async () => {
  await commands.close()
  folder.remove()
})

const PROCESSES = 'test/support/processes'
const command = (...args: string[]) => commands.run({ args, folder: folder.path, environment: inheritedEnvironment() })

it('openapi writes both files, and openapi --check fails with the name of the one that is missing or differs', async () => {
  const differs = (name: string) =>
    `${join(folder.path, 'openapi', name)} differs from the schemas: run \`npm run openapi\` and commit the result.\n`
  expect(await command('openapi', '--check')).toEqual({ status: 1, out: '', errors: differs('openapi.json') })

  expect(await command('openapi')).toEqual({ status: 0, out: '', errors: '' })
  expect(await command('openapi', '--check')).toEqual({ status: 0, out: '', errors: '' })

  appendFileSync(join(folder.path, 'openapi/openapi.yaml'), 'drift: true\n')
  expect(await command('openapi', '--check')).toEqual({ status: 1, out: '', errors: differs('openapi.yaml') })
})

it('configuration writes its page and .env.example, and configuration --check fails with the name of the one that is missing or differs', async () => {
  const differs = (name: string) =>
    `${join(folder.path, name)} differs from src/config/environment.ts: run \`npm run configuration\` and commit the result.\n`
  expect(await command('configuration', '--check')).toEqual({ status: 1, out: '', errors: differs('docs/configuration.md') })

  expect(await command('configuration')).toEqual({ status: 0, out: '', errors: '' })
  expect(await command('configuration', '--check')).toEqual({ status: 0, out: '', errors: '' })

  appendFileSync(join(folder.path, '.env.example'), '#DRIFT=true\n')
  expect(await command('configuration', '--check')).toEqual({ status: 1, out: '', errors: differs('.env.example') })
})
