// Tries every way in which Posthaste is installed, and says of each whether the API answers and what /console gives: `npm run ways`. Each way has a clone
// of the last commit, which is removed afterwards; npm takes packages from its cache where it has them, but unpacks these all at once, for which it
// needs more than 2 GB of memory. It ends by itself: each step has a limit.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Packages from the network, and with so little memory that the kernel's cache of files has no room. */
const INSTALL_MS_MAX = 600_000
const START_MS_MAX = 90_000
const REMOVALS_MAX = 50
const REMOVAL_PAUSE_MS = 100
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
  /** For everything, from the installation to the page. */
  memoryBytes?: number
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
  {
    name: 'npm ci, npm run console, with 1 GB of memory and from an empty cache',
    steps: ['npm ci --no-audit --no-fund --cache "$(mktemp -d -p "$PWD")"', 'npm run console'],
    memoryBytes: 2 ** 30,
    hasConsole: true,
  },
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

async function tryWay({ steps, environment = {}, prepare, as, memoryBytes }: Way): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'posthaste-way-'))
  const data = mkdtempSync(join(tmpdir(), 'posthaste-way-data-'))
  const group = memoryBytes === undefined ? undefined : memoryGroup(memoryBytes)
  let service: ChildProcess | undefined
  try {
    execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${ROOT}`, folder])
    for (const step of steps)
      execFileSync('bash', ['-c', `${group?.enter ?? ''}${step}`], {
        cwd: folder,
        env: { ...process.env, ...environment },
        timeout: INSTALL_MS_MAX,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
    prepare?.(folder)
    chmodSync(data, 0o777)
    const port = await freePort()
    service = spawn('bash', ['-c', `${group?.enter ?? ''}exec node_modules/.bin/node posthaste.js start`], {
      cwd: folder,
      env: { ...process.env, ...environment, PORT: String(port), INBOUND_PORT: '0', DATA_DIR: data, DELIVERY: 'capture' },
      stdio: 'ignore',
      ...as,
    })
    const answer = await whatAnswers(`http://127.0.0.1:${port}`)
    if (group)
      process.stdout.write(
        `       at most ${Math.round(group.peakBytes() / 2 ** 20)} MB were used, files in the kernel's cache among them\n`,
      )
    return answer
  } finally {
    await end(service)
    await group?.remove()
    execFileSync('chmod', ['-R', 'u+w', folder])
    for (const each of [folder, data]) rmSync(each, { recursive: true, force: true })
  }
}

/** A control group of Linux (version 1 or 2), in which all processes together have so much memory and no swap. Making one needs root. */
function memoryGroup(bytes: number): { enter: string; peakBytes: () => number; remove: () => Promise<void> } {
  const isFirst = existsSync('/sys/fs/cgroup/memory')
  const folder = `/sys/fs/cgroup/${isFirst ? 'memory/' : ''}posthaste-way-${process.pid}`
  mkdirSync(folder)
  const limits = isFirst
    ? { 'memory.limit_in_bytes': bytes, 'memory.memsw.limit_in_bytes': bytes }
    : { 'memory.max': bytes, 'memory.swap.max': 0 }
  for (const [file, value] of Object.entries(limits)) writeFileSync(join(folder, file), String(value))
  return {
    enter: `echo $$ > ${folder}/cgroup.procs; `,
    peakBytes: () => Number(readFileSync(join(folder, isFirst ? 'memory.max_usage_in_bytes' : 'memory.peak'), 'utf8')),
    remove: async () => {
      // A step that took too long has left processes, and a group goes only when it is empty.
      for (const pid of readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean)) process.kill(Number(pid), 'SIGKILL')
      for (let tries = 0; tries < REMOVALS_MAX; tries += 1) {
        try {
          return rmdirSync(folder)
        } catch {
          await setTimeout(REMOVAL_PAUSE_MS)
        }
      }
    },
  }
}

async function whatAnswers(url: string): Promise<string> {
  const signal = AbortSignal.timeout(START_MS_MAX)
  while (!signal.aborted) {
    const ready = await fetch(`${url}/health/ready`, { signal }).catch(() => null)
    if (ready?.ok) break
    await setTimeout(200)
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
