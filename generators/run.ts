// Generates clients from the OpenAPI document as others do, compiles them, and calls the service with them. The generators have an install of their own, so
// that the project's does not grow.
import { spawn } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createPlace } from '../test/support/processes/processes.ts'

const FOLDER = import.meta.dirname
const OUT = join(FOLDER, 'out')
const DOCUMENT = '../openapi/openapi.json'
const ALL_SECONDS_MAX = 900
const STEP_SECONDS_MAX = 400
/** A test sets a shorter one. */
const INSTALL_SECONDS_MAX = Number(process.env.GENERATORS_INSTALL_SECONDS ?? 200)
/** npm's words for a registry that does not answer. */
const NO_REGISTRY = /\b(?:EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|E50\d)\b/

const BIN = 'node_modules/.bin'
const GENERATORS: Record<string, string[]> = {
  'openapi-typescript': [`${BIN}/openapi-typescript`, DOCUMENT, '-o', 'out/types.d.ts'],
  'orval 7': ['node_modules/orval7/dist/bin/orval.js', '--config', 'orval.config.cjs'],
  'orval 8': ['node_modules/orval8/dist/bin/orval.mjs', '--config', 'orval.config.cjs'],
  'hey-api': [`${BIN}/openapi-ts`, '-i', DOCUMENT, '-o', 'out/hey-api', '-c', '@hey-api/client-fetch'],
  kubb: [`${BIN}/kubb`, 'generate', '--config', 'kubb.config.mjs'],
  'openapi-zod-client': [`${BIN}/openapi-zod-client`, DOCUMENT, '-o', 'out/zod.ts', '--with-alias'],
}
const TARGETS: Record<string, Record<string, string>> = {
  'orval 7': { ORVAL_TARGET: './out/orval7.ts' },
  'orval 8': { ORVAL_TARGET: './out/orval8.ts' },
}
const CLIENTS = ['openapi-fetch', 'orval', 'hey-api', 'kubb', 'zodios']
/** Every warning counts. */
const LINTERS: Record<string, string[]> = {
  redocly: [`${BIN}/redocly`, 'lint', DOCUMENT, '--config', 'redocly.yaml', '--max-problems', '20'],
  spectral: [`${BIN}/spectral`, 'lint', DOCUMENT, '--ruleset', 'spectral.yaml', '--fail-severity', 'warn', '--quiet'],
}

const startedAtMs = performance.now()
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const sayDone = (what: string): void => say(`${what}, after ${Math.round((performance.now() - startedAtMs) / 1_000)} s`)

/** Once it is aborted, everything that runs is ended. */
const ending = new AbortController()
const endBy = (reason: string) => () => ending.abort(new Error(`The generators were ended by ${reason}.`))
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.on(signal, endBy(signal))
setTimeout(endBy(`their limit of ${ALL_SECONDS_MAX} s`), ALL_SECONDS_MAX * 1_000).unref()

try {
  await main()
} catch (error) {
  say(((ending.signal.reason ?? error) as Error).message)
  process.exitCode = 1
} finally {
  rmSync(OUT, { recursive: true, force: true })
}

async function main(): Promise<void> {
  if (!(await install())) return
  rmSync(OUT, { recursive: true, force: true })
  mkdirSync(OUT)
  await each(LINTERS)
  const place = await createPlace()
  let ended: Promise<void> | undefined
  ending.signal.addEventListener('abort', () => (ended = place.close()))
  try {
    const { url } = await place.start()
    // Those that take the variables of the document's server write the host into what they generate.
    const environment = { SERVICE_HOST: new URL(url).host, SERVICE_KEY: place.token }
    await each(GENERATORS, (name) => ({ ...environment, ...TARGETS[name] }))
    await each({ 'tsc --strict': [`${BIN}/tsc`, '-p', '.'] })
    for (const name of CLIENTS) await call(name, environment)
  } finally {
    await ended
    await place.close()
  }
  sayDone('All done')
}

/** False if there is no registry. In CI that is an error. */
async function install(): Promise<boolean> {
  const problem = await run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'], {
    secondsMax: INSTALL_SECONDS_MAX,
  })
  if (problem === null) {
    sayDone('Installed')
    return true
  }
  const sentence = problem.isTooLong
    ? `The generators were not installed within ${INSTALL_SECONDS_MAX} s: the registry of npm is slow or does not answer.`
    : `The generators cannot be installed:\n${problem.said}`
  if (process.env.CI || !(problem.isTooLong || NO_REGISTRY.test(problem.said))) throw new Error(sentence)
  say(`${sentence} Nothing was generated.`)
  return false
}

async function each(
  programs: Record<string, string[]>,
  environmentOf: (name: string) => Record<string, string> = () => ({}),
): Promise<void> {
  for (const [name, args] of Object.entries(programs)) {
    const problem = await run(process.execPath, args, { environment: environmentOf(name) })
    if (problem !== null) throw new Error(`${name} failed:\n${problem.said}`)
    sayDone(`${name}: done`)
  }
}

/** The client is made one file, because what is generated names its own files without their endings. */
async function call(name: string, environment: Record<string, string>): Promise<void> {
  const form = ['--bundle', '--packages=external', '--platform=node', '--format=esm', '--target=node24']
  const problem =
    (await run(`${BIN}/esbuild`, [`clients/${name}.ts`, ...form, `--outfile=out/${name}.mjs`])) ??
    (await run(process.execPath, [`out/${name}.mjs`], { environment }))
  if (problem !== null) throw new Error(`The client of ${name} failed:\n${problem.said}`)
  sayDone(`${name}: ten calls`)
}

type Problem = { said: string; isTooLong: boolean }

/** Null if it ended well. It has a group of its own, so that what it starts ends with it. */
function run(
  program: string,
  args: string[],
  { environment = {}, secondsMax = STEP_SECONDS_MAX }: { environment?: Record<string, string>; secondsMax?: number } = {},
): Promise<Problem | null> {
  ending.signal.throwIfAborted()
  const child = spawn(program, args, {
    cwd: FOLDER,
    env: { ...process.env, NO_COLOR: '1', ...environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (output += piece.toString()))
  // npm does not end at SIGTERM while it waits for an answer.
  const end = (): void => killGroup(child.pid)
  let isTooLong = false
  const limit = setTimeout(() => {
    isTooLong = true
    end()
  }, secondsMax * 1_000)
  ending.signal.addEventListener('abort', end)
  return new Promise<Problem | null>((resolve) => {
    child.once('error', (error) => resolve({ said: error.message, isTooLong }))
    child.once('close', (status, signal) => {
      const how = isTooLong ? `It did not end within ${secondsMax} s.` : `It ended with ${status ?? signal}.`
      resolve(status === 0 ? null : { said: `${output.slice(-4_000)}\n${how}`, isTooLong })
    })
  }).finally(() => {
    clearTimeout(limit)
    ending.signal.removeEventListener('abort', end)
  })
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // All of it has ended.
  }
}
