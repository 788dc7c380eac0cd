// Builds the console into console/dist, unless what is there is of these sources: at `npm ci`, by `npm run console`, and for the package. With
// --optional, what cannot be built is said in one line, and is no failure: the service runs without a console. Then a process of its own builds, so
// that npm succeeds also if the system ends it for want of memory.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { DIGEST_FILE, digestOfSources, stateOfBuilt } from '../src/io/files/built-files.ts'
import { APP_FOLDER, APP_SOURCES } from '../src/modules/console/app/app-files.client.ts'

const NOT_INSTALLED = 'Vite is not installed, as after `npm ci --omit=dev`. Run `npm ci --include=dev`, and then `npm prune --omit=dev`'
/** npm keeps 0.6 GB while its scripts run, and a build takes as much: with less, the machine would stand still for minutes. */
const MEMORY_BESIDE_NPM_MIN = 1.3 * 2 ** 30
const NO_MEMORY = 'less than 1.3 GB of memory is too little for it while npm runs'
const isOptional = process.argv.includes('--optional')
const compress = promisify(brotliCompress)
/** Files that are compressed already are served as they are. */
const COMPRESSED = /\.(?:js|css|svg)$/

if (isOptional) {
  if (memoryBytes() < MEMORY_BESIDE_NPM_MIN) sayNotBuilt(NO_MEMORY)
  else buildApart()
} else {
  try {
    await build()
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND'
    sayNotBuilt(isMissing ? NOT_INSTALLED : ((error as Error).message.split('\n')[0] ?? 'it failed'))
    process.exitCode = 1
  }
}

/** What this process and those beside it may take: of the machine, or of its container. */
function memoryBytes(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
}

function buildApart(): void {
  const { signal, error } = spawnSync(process.execPath, [fileURLToPath(import.meta.url)], { stdio: 'inherit' })
  if (error) sayNotBuilt(error.message)
  else if (signal) sayNotBuilt(`it was ended by ${signal}, as a system does that has too little memory`)
}

function sayNotBuilt(reason: string): void {
  process.stderr.write(`The console was not built: ${reason}. The service runs without it; \`npm run console\` builds it.\n`)
}

async function build(): Promise<void> {
  if (stateOfBuilt(APP_FOLDER, APP_SOURCES) === 'current') return
  // The allocator of the bundler (mimalloc) reads them as it is loaded. It gives back at once what is free, and half of the memory is enough.
  process.env.MIMALLOC_PURGE_DELAY ??= '0'
  process.env.MIMALLOC_ARENA_EAGER_COMMIT ??= '0'
  const { build: bundle } = await import('vite')
  // Beside it, so that a build that is interrupted leaves nothing that looks whole.
  const folder = `${APP_FOLDER}.${process.pid}`
  try {
    mkdirSync(folder, { recursive: true })
    await bundle({
      root: APP_SOURCES.root,
      configFile: join(APP_SOURCES.root, 'vite.config.ts'),
      logLevel: 'error',
      build: { outDir: folder },
    })
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => COMPRESSED.test(name))
    await Promise.all(names.map((name) => compressFile(join(folder, name))))
    writeFileSync(join(folder, DIGEST_FILE), `${digestOfSources(APP_SOURCES.root, APP_SOURCES.sources)}\n`)
    rmSync(APP_FOLDER, { recursive: true, force: true })
    renameSync(folder, APP_FOLDER)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function compressFile(path: string): Promise<void> {
  const content = readFileSync(path)
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
  writeFileSync(`${path}.br`, await compress(content, { params }))
}
