// The package as others install it: the same program as JavaScript, run from inside of a node_modules folder.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { png } from '../support/builders/images.ts'
import { startLoad } from '../support/builders/load.ts'
import { copyPreparedDatabase } from '../support/processes/places.ts'
import { createPlace, type Place } from '../support/processes/processes.ts'
import { temporaryFolder } from './run-command.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 })

const root = join(import.meta.dirname, '../..')
let folder: ReturnType<typeof temporaryFolder>
let installed: string
let files: string[]

beforeAll(() => {
  folder = temporaryFolder()
  installed = join(folder.path, 'node_modules/posthaste')
  const name = execFileSync(process.execPath, [join(root, 'deploy/package.ts'), folder.path], { encoding: 'utf8' }).trim()
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['xzf', join(folder.path, name), '--strip-components=1', '-C', installed])
  files = execFileSync('tar', ['tzf', join(folder.path, name)], { encoding: 'utf8' })
    .trim()
    .split('\n')
  for (const dependency of Object.keys({ ...manifest().dependencies, ...manifest().optionalDependencies })) {
    if (!existsSync(join(root, 'node_modules', dependency))) continue
    mkdirSync(dirname(join(folder.path, 'node_modules', dependency)), { recursive: true })
    symlinkSync(join(root, 'node_modules', dependency), join(folder.path, 'node_modules', dependency))
  }
})
afterAll(() => folder.remove())

const manifest = (): {
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
  scripts?: object
  private?: boolean
} => JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))

it('has what runs, the migrations, a list of versions, and three documents, but no TypeScript and no tests', () => {
  const places = new Set(files.map((file) => file.split('/')[1]))
  expect([...places].sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'console',
    'npm-shrinkwrap.json',
    'package.json',
    'posthaste.js',
    'prisma',
    'resources',
    'src',
  ])
  expect(files.filter((file) => /\.tsx?$/.test(file))).toEqual([])
  expect(files.filter((file) => file.startsWith('package/console/') && !file.startsWith('package/console/dist/'))).toEqual([])
  expect(files.filter((file) => file.endsWith('migration.sql')).length).toBeGreaterThan(50)
})

it('asks for no script at its installation, and not for what generates code', () => {
  const { dependencies, scripts, private: isPrivate } = manifest()
  expect({ scripts, isPrivate, prisma: dependencies.prisma }).toEqual({ scripts: undefined, isPrivate: undefined, prisma: undefined })
})

it('lists the versions that were tested, of all that is installed with it and of nothing else', () => {
  const [{ '': _own, ...listed }, tested] = [
    packagesOf(join(installed, 'npm-shrinkwrap.json')),
    packagesOf(join(root, 'package-lock.json')),
  ]
  const paths = Object.keys(listed)
  expect(paths.length).toBeGreaterThan(200)
  expect(listed).toEqual(Object.fromEntries(paths.map((path) => [path, tested[path]])))
  expect(paths).toContain('node_modules/mailauth')
  for (const name of ['vitest', 'prisma', 'mx-connect/node_modules/mailauth']) expect(paths).not.toContain(`node_modules/${name}`)
})

/** Without the marks of how each is reached, which differ where a part of the tree is missing. */
function packagesOf(path: string): Record<string, unknown> {
  const { packages } = JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, object> }
  return Object.fromEntries(
    Object.entries(packages).map(([at, entry]) => [at, { ...entry, devOptional: undefined, optional: undefined, peer: undefined }]),
  )
}

it('starts from there, takes a first email, serves its pages, and loads what it loads late', async () => {
  const place: Place = await createPlace()
  try {
    await copyPreparedDatabase(place.dataDir)
    const { url } = await place.start({ command: [process.execPath, join(installed, 'posthaste.js'), 'start'] })
    const post = (path: string, body: object) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${place.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const sent = await post('/emails', {
      from: 'ada@example.com',
      to: 'ben@example.org',
      subject: 'First',
      text: 'Hello',
      scheduled_at: 'tomorrow at 9am',
    })
    expect([sent.status, await sent.json()]).toEqual([200, { id: expect.any(String) }])
    // Encoded anew by WebAssembly in a thread, which is found from here too.
    const stored = await post('/images', { content: png({ width: 20, height: 10 }).toString('base64') })
    const image = (await stored.json()) as { url: string }
    expect([stored.status, image]).toEqual([201, expect.objectContaining({ content_type: 'image/png', width: 20, height: 10 })])
    expect((await fetch(`${url}${new URL(image.url).pathname}`)).headers.get('content-type')).toBe('image/png')
    expect(await (await fetch(`${url}/console`)).text()).toContain('<div id="root">')
    for (const page of ['/docs', '/console/sign-in', '/.well-known/oauth-authorization-server'])
      expect((await fetch(`${url}${page}`)).status).toBe(200)
  } finally {
    await place.close()
  }
})

it('reads reports in a thread, by the phrases that it has with it', async () => {
  const { createReportReader }: typeof import('../../src/modules/bounces/report-reader.ts') = await import(
    join(installed, 'src/modules/bounces/report-reader.js')
  )
  const reader = createReportReader({ deadlineMs: 60_000 })
  const notice =
    'From: MAILER-DAEMON@example.org\r\nSubject: failure notice\r\n\r\nThis is the qmail-send program.\r\n\r\n<ada@example.org>:\r\nno such user\r\n'
  try {
    expect(await reader.read(Buffer.from(notice))).toMatchObject({
      kind: 'bounce',
      recipients: [{ address: 'ada@example.org', bounce: { isAddressFault: true } }],
    })
  } finally {
    await reader.close()
  }
})

it('does not start with a file of phrases that is damaged, and says which entry is', () => {
  const file = join(installed, 'resources/phrases/notices.json')
  const whole = readFileSync(file, 'utf8')
  writeFileSync(file, whole.replace('"giving up"', '"*"'))
  try {
    const { status, stderr } = spawnSync(process.execPath, [join(installed, 'posthaste.js'), 'start'], {
      ...{ cwd: folder.path, env: { PATH: process.env.PATH, DATA_DIR: join(folder.path, 'none') }, encoding: 'utf8' },
    })
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(
        /^resources\/phrases\/notices\.json is not valid: \/lists\/\w+\/phrases\/Any language\/\d+: Write .+\.\n$/,
      ),
    })
  } finally {
    writeFileSync(file, whole)
  }
})

it('backs up what it holds, and restores it', async () => {
  const place: Place = await createPlace()
  const [backup, dataDir] = [join(folder.path, 'backup'), join(folder.path, 'restored')]
  try {
    await copyPreparedDatabase(place.dataDir)
    const service = await place.start({ command: [process.execPath, join(installed, 'posthaste.js'), 'start'] })
    await startLoad({ url: () => service.url, token: place.token, count: 1 }).done
    expect(command(['backup', backup], place.dataDir)).toContain('1 emails')
  } finally {
    await place.close()
  }

  expect(command(['restore', backup], dataDir)).toMatch(/^Restored the backup of .+: 1 emails/)
  expect(command(['migrate', '--plan'], dataDir)).toContain('No migration is pending.')
})

/** What it printed. A status other than 0 fails the test. */
function command(args: string[], dataDir: string): string {
  const environment = { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir }
  return execFileSync(process.execPath, [join(installed, 'posthaste.js'), ...args], {
    ...{ cwd: folder.path, env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
  })
}
