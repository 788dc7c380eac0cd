import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { memoryOfMachine } from '../../src/config/config.ts'

const MIB = 1024 * 1024
/** What version 1 of control groups writes where there is no limit. */
const NO_LIMIT = '9223372036854771712'
const VERSION_1 = '9:name=systemd:/app\n4:memory:/app/one\n2:cpu,cpuacct:/app/one\n0::/app\n'
const VERSION_2 = '0::/app.slice/one.service\n'

let folder: string
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(files: Record<string, string>): void {
  folder = mkdtempSync(join(tmpdir(), 'posthaste-test-groups-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

it.each([
  ['of its group', VERSION_1, { 'memory/app/one/memory.limit_in_bytes': `${64 * MIB}\n`, 'memory/memory.limit_in_bytes': NO_LIMIT }, 64],
  [
    'of the group above',
    VERSION_1,
    { 'memory/app/one/memory.limit_in_bytes': NO_LIMIT, 'memory/app/memory.limit_in_bytes': `${32 * MIB}` },
    32,
  ],
  ['of a container that does not see its path', VERSION_1, { 'memory/memory.limit_in_bytes': `${48 * MIB}\n` }, 48],
  ['beside other controllers', '3:cpuset,memory:/app\n', { 'memory/app/memory.limit_in_bytes': `${16 * MIB}` }, 16],
  ['of its unit', VERSION_2, { 'app.slice/one.service/memory.max': `${64 * MIB}\n`, 'app.slice/memory.max': 'max\n' }, 64],
  ['of its slice', VERSION_2, { 'app.slice/one.service/memory.max': 'max\n', 'app.slice/memory.max': `${32 * MIB}\n` }, 32],
  ['of a container with groups of its own', '0::/\n', { 'memory.max': `${48 * MIB}\n` }, 48],
  ['of a container that was moved', '0::/../one\n', { 'one/memory.max': `${48 * MIB}\n` }, 48],
])('a process has the limit %s', (_which, membership, files, mebibytes) => {
  write({ membership, ...files })
  expect(memoryOfMachine({ membership: join(folder, 'membership'), groups: folder })).toBe(mebibytes * MIB)
})

it.each([
  ['no group has a limit', { membership: VERSION_1, 'memory/app/one/memory.limit_in_bytes': NO_LIMIT }],
  ['the limit is empty', { membership: VERSION_2, 'app.slice/one.service/memory.max': '' }],
  ['there are no groups', {}],
])('it has what the machine has where %s', (_case, files) => {
  write(files)
  expect(memoryOfMachine({ membership: join(folder, 'membership'), groups: folder })).toBe(totalmem())
})
