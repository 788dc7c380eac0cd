// The files of the console as they were built (console/build.ts).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Built, stateOfBuilt } from '../../../io/files/built-files.ts'

const ROOT = fileURLToPath(new URL('../../../../console', import.meta.url))

export const APP_SOURCES = { root: ROOT, sources: ['src', 'public', 'settings', 'index.html', 'vite.config.ts'] }
export const APP_FOLDER = join(ROOT, 'dist')

export type AppFiles = { state: Built; folder: string; index: string }

/** Read once: what is built while the service runs is served after its next start. */
export function readAppFiles(): AppFiles {
  const state = stateOfBuilt(APP_FOLDER, APP_SOURCES)
  return { state, folder: APP_FOLDER, index: state === 'current' ? readFileSync(join(APP_FOLDER, 'index.html'), 'utf8') : '' }
}
