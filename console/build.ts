// Builds the console into console/dist, unless what is there is of these sources: at `npm ci`, by `npm run console`, and for the package. With
// --optional, what cannot be built is said in one line, and is no failure: the service runs without a console.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { DIGEST_FILE, digestOfSources, stateOfBuilt } from '../src/io/files/built-files.ts'
import { APP_FOLDER, APP_SOURCES } from '../src/modules/console/app/app-files.client.ts'

const NOT_INSTALLED = 'Vite is not installed, as after `npm ci --omit=dev`. Run `npm ci --include=dev`, and then `npm prune --omit=dev`'
const isOptional = process.argv.includes('--optional')
const compress = promisify(brotliCompress)
/** Files that are compressed already are served as they are. */
const COMPRESSED = /\.(?:js|css|svg)$/

try {
  await build()
} catch (error) {
  const reason = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND' ? NOT_INSTALLED : (error as Error).message.split('\n')[0]
  process.stderr.write(`The console was not built: ${reason}. The service runs without it; \`npm run console\` builds it.\n`)
  if (!isOptional) process.exitCode = 1
}

async function build(): Promise<void> {
  if (stateOfBuilt(APP_FOLDER, APP_SOURCES) === 'current') return
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
