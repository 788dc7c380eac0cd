// The build of the console beside `npm ci`, with a Vite that does what the test says.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))
const FILES = ['console/build.ts', 'src/io/files/built-files.ts', 'src/modules/console/app/app-files.client.ts']

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'posthaste-test-build-'))
  for (const file of FILES) cpSync(join(ROOT, file), join(folder, file))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const name of ['src', 'public', 'settings']) mkdirSync(join(folder, 'console', name))
  for (const name of ['index.html', 'vite.config.ts']) writeFileSync(join(folder, 'console', name), '')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the build of the console', () => {
  it.each([
    ['has no Vite', undefined, /Vite is not installed/],
    ['fails', "throw new Error('a source that cannot be read\\nand more')", /not built: a source that cannot be read\./],
    ['has too little memory beside npm', 'process.exit(3)', /not built: less than 1\.3 GB of memory/, 1.2 * 2 ** 30],
    ['is killed', "process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})", /not built: it was ended by SIGKILL/],
  ])('that %s leaves npm ci successful, and says so in one line', (_, vite, said, memoryBytes = 2 ** 40) => {
    if (vite !== undefined) installVite(vite)

    const { status, stderr } = build(['--optional'], memoryBytes)

    expect(status).toBe(0)
    expect(stderr).toMatch(said)
    expect(stderr).toMatch(/`npm run console` builds it\.\n$/)
    expect(stderr.split('\n')).toHaveLength(2)
    expect(existsSync(join(folder, 'console/dist'))).toBe(false)
  })

  it('that a person asks for fails if it cannot be built', () => {
    const { status, stderr } = build()

    expect(status).toBe(1)
    expect(stderr).toMatch(/^The console was not built: Vite is not installed/)
  })
})

function installVite(body: string): void {
  const path = join(folder, 'node_modules/vite/index.js')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(join(dirname(path), 'package.json'), '{ "name": "vite", "type": "module", "exports": "./index.js" }')
  writeFileSync(path, `export async function build() { ${body} }`)
}

function build(options: readonly string[] = [], memoryBytes = 2 ** 40) {
  const container = `data:text/javascript,process.constrainedMemory=()=>${memoryBytes}`
  return spawnSync(process.execPath, ['--import', container, 'console/build.ts', ...options], { cwd: folder, encoding: 'utf8' })
}
