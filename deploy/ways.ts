// Tries every way in which Posthaste is installed, and says of each whether the API answers and what /console gives: `npm run ways`. Each way has a clone
// of the last commit, which is removed afterwards; npm takes packages from its cache where it has them. It ends by itself: each step has a limit.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const INSTALL_MS_MAX = 300_000
const START_MS_MAX = 90_000
/** A user without rights to the code. */
const NOBODY = { uid: 65_534, gid: 65_534 }

type Way = {
  name: string
  /** One after the other, in the clone. */
  steps: readonly string[]
  environment?: Record<string, string>
  /** Before the start. */
  prepare?: (folder: string) => void
  as?: typeof NOBODY
  /** Whether `/console` is the console; otherwise it says what to run. */
  hasConsole: boolean
}

const CI = 'npm ci --no-audit --no-fund --prefer-offline'

const WAYS: readonly Way[] = [
  { name: 'npm ci', steps: [CI], hasConsole: true },
  {
    name: 'npm ci --include=dev, npm prune --omit=dev',
    steps: [`${CI} --include=dev`, 'npm prune --omit=dev --no-audit --no-fund'],
    hasConsole: true,
  },
  { name: 'npm ci --omit=dev', steps: [`${CI} --omit=dev`], hasConsole: false },
  { name: 'NODE_ENV=production npm ci', steps: [CI], environment: { NODE_ENV: 'production' }, hasConsole: false },
  {
    name: 'npm ci --ignore-scripts, npx prisma generate',
    steps: [`${CI} --ignore-scripts`, 'npx --no-install prisma generate'],
    hasConsole: false,
  },
  {
    name: 'npm ci --ignore-scripts, npx prisma generate, npm run console',
    steps: [`${CI} --ignore-scripts`, 'npx --no-install prisma generate', 'npm run console'],
    hasConsole: true,
  },
  {
    name: 'npm ci, then a code folder that cannot be written, and a user without rights to it',
    steps: [CI],
    prepare: makeReadOnly,
    as: NOBODY,
    hasConsole: true,
  },
  { name: 'npm ci with 1 GB of memory', steps: [`bash -c 'ulimit -d 1048576; ${CI}'`], hasConsole: true },
  { name: 'npm ci without a network, from the cache', steps: [`${CI} --offline`], hasConsole: true },
]

const wanted = process.argv[2]
let failures = 0
for (const way of WAYS.filter(({ name }) => wanted === undefined || name.includes(wanted))) {
  const startedAt = performance.now()
  const found = await tryWay(way).catch((error: Error) => error.message.split('\n')[0] ?? 'failed')
  const isRight = found === (way.hasConsole ? 'console' : 'says what to run')
  if (!isRight) failures += 1
  process.stdout.write(
    `${isRight ? 'ok    ' : 'WRONG '} ${way.name}: ${found} (${Math.round((performance.now() - startedAt) / 1_000)} s)\n`,
  )
}
process.exitCode = failures === 0 ? 0 : 1

async function tryWay({ steps, environment = {}, prepare, as }: Way): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'posthaste-way-'))
  const data = mkdtempSync(join(tmpdir(), 'posthaste-way-data-'))
  let service: ChildProcess | undefined
  try {
    execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${ROOT}`, folder])
    for (const step of steps)
      execFileSync('bash', ['-c', step], {
        cwd: folder,
        env: { ...process.env, ...environment },
        timeout: INSTALL_MS_MAX,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
    prepare?.(folder)
    chmodSync(data, 0o777)
    const port = await freePort()
    service = spawn(join(folder, 'node_modules/.bin/node'), ['posthaste.js', 'start'], {
      cwd: folder,
      env: { ...process.env, ...environment, PORT: String(port), INBOUND_PORT: '0', DATA_DIR: data, DELIVERY: 'capture' },
      stdio: 'ignore',
      ...as,
    })
    return await whatAnswers(`http://127.0.0.1:${port}`)
  } finally {
    await end(service)
    execFileSync('chmod', ['-R', 'u+w', folder])
    for (const each of [folder, data]) rmSync(each, { recursive: true, force: true })
  }
}

async function whatAnswers(url: string): Promise<string> {
  const signal = AbortSignal.timeout(START_MS_MAX)
  while (!signal.aborted) {
    const ready = await fetch(`${url}/health/ready`, { signal }).catch(() => null)
    if (ready?.ok) break
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  signal.throwIfAborted()
  const page = await fetch(`${url}/console`)
  const text = await page.text()
  if (page.status === 200 && text.includes('<div id="root">')) return 'console'
  return text.includes('npm run console') ? 'says what to run' : `status ${page.status}`
}

async function end(service: ChildProcess | undefined): Promise<void> {
  if (!service || service.exitCode !== null) return
  const ended = new Promise((resolve) => service.once('exit', resolve))
  service.kill('SIGTERM')
  await ended
}

function makeReadOnly(folder: string): void {
  execFileSync('chmod', ['-R', 'a-w,a+rX', folder])
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('No port was free')
  return address.port
}
