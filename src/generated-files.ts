// Files of the project that are generated, never written by hand, and compared in every check.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Failure } from './lib/failure.ts'

/** What some files are made from, the command that makes them, and their texts by path within the project. */
export type GeneratedFiles = { source: string; command: string; texts: Map<string, string> }

export async function writeFiles({ texts }: GeneratedFiles): Promise<void> {
  for (const [name, text] of texts) {
    await mkdir(dirname(pathOf(name)), { recursive: true })
    await writeFile(pathOf(name), text)
  }
}

/** @throws Failure with the first file that is missing or differs. */
export async function checkFiles({ source, command, texts }: GeneratedFiles): Promise<void> {
  for (const [name, text] of texts) {
    const committed = await readFile(pathOf(name), 'utf8').catch(() => '')
    if (committed !== text)
      throw new Failure('validation', `${pathOf(name)} differs from ${source}: run \`${command}\` and commit the result.`)
  }
}

const pathOf = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))
