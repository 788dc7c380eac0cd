// Generates clients from the OpenAPI document as others do, compiles them, and calls the service with them. The generators have an install of their own, so
// that the project's does not grow.
import { spawn } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createPlace } from '../test/support/processes/processes.ts'

const FOLDER = import.meta.dirname
const OUT = join(FOLDER, 'out')
const DOCUMENT = '../openapi/openapi.json'
const INSTALL_MS_MAX = 120_000
/** npm's words for a registry that does not answer, and ours for one that took too long. */
const NO_REGISTRY = /\b(?:EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|E50\d)\b|ended with SIGKILL/
const STEP_MS_MAX = 90_000

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
const CLIENTS = ['openapi-fetch', 'orval7', 'orval8', 'hey-api', 'kubb', 'zodios']
/** Every warning counts. */
const LINTERS: Record<string, string[]> = {
  redocly: [`${BIN}/redocly`, 'lint', DOCUMENT, '--config', 'redocly.yaml', '--max-problems', '20'],
  spectral: [`${BIN}/spectral`, 'lint', DOCUMENT, '--ruleset', 'spectral.yaml', '--fail-severity', 'warn', '--quiet'],
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

try {
  await main()
} catch (error) {
  say((error as Error).message)
  process.exitCode = 1
} finally {
  rmSync(OUT, { recursive: true, force: true })
}

async function main(): Promise<void> {
  const startedAtMs = performance.now()
  const install = await run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'], { msMax: INSTALL_MS_MAX })
  if (install !== null) {
    if (process.env.CI || !NO_REGISTRY.test(install)) throw new Error(`The generators cannot be installed: ${install}`)
    say(`The generators cannot be installed, so nothing was generated: ${install}`)
    return
  }
  rmSync(OUT, { recursive: true, force: true })
  mkdirSync(OUT)
  await each(LINTERS)
  await each(GENERATORS, TARGETS)
  await each({ 'tsc --strict': [`${BIN}/tsc`, '-p', '.'] })
  await callAll()
  say(`All done in ${Math.round((performance.now() - startedAtMs) / 1_000)} s`)
}

async function each(programs: Record<string, string[]>, environments: Record<string, Record<string, string>> = {}): Promise<void> {
  for (const [name, args] of Object.entries(programs)) {
    const problem = await run(process.execPath, args, { environment: environments[name] ?? {} })
    if (problem !== null) throw new Error(`${name} failed:\n${problem}`)
    say(`${name}: done`)
  }
}

/** Each client is made one file, because what is generated names its own files without their endings. */
async function callAll(): Promise<void> {
  const place = await createPlace()
  try {
    const service = await place.start()
    const environment = { SERVICE_URL: service.url, SERVICE_KEY: place.token }
    for (const name of CLIENTS) {
      const bundle = [
        `clients/${name}.ts`,
        '--bundle',
        '--packages=external',
        '--platform=node',
        '--format=esm',
        '--target=node24',
        `--outfile=out/${name}.mjs`,
      ]
      const problem = (await run(`${BIN}/esbuild`, bundle)) ?? (await run(process.execPath, [`out/${name}.mjs`], { environment }))
      if (problem !== null) throw new Error(`The client of ${name} failed:\n${problem}`)
      say(`${name}: ten calls`)
    }
  } finally {
    await place.close()
  }
}

/** Null if it ended well; otherwise what it said. */
function run(
  program: string,
  args: string[],
  { environment = {}, msMax = STEP_MS_MAX }: { environment?: Record<string, string>; msMax?: number } = {},
): Promise<string | null> {
  const child = spawn(program, args, {
    cwd: FOLDER,
    env: { ...process.env, NO_COLOR: '1', ...environment },
    timeout: msMax,
    // npm does not end at SIGTERM while it waits for an answer.
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (output += piece.toString()))
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (status, signal) => resolve(status === 0 ? null : `${output.slice(-4_000)}\nIt ended with ${status ?? signal}.`))
  })
}
