// Secrets that are mounted as files, as Docker and Kubernetes do: NAME_FILE in place of NAME.
import { closeSync, openSync, readSync } from 'node:fs'
import { StartupProblem } from '../lib/startup-problem.ts'
import { Environment } from './environment.ts'

type Values = Record<string, string | undefined>

/** A secret is one line, so a larger file is not the one that was meant. */
const SECRET_BYTES_MAX = 65_536

const secrets = Object.entries(Environment.properties)
  .filter(([, schema]) => 'x-secret' in schema)
  .map(([name]) => name)

/** The variables that name a file. */
export const secretFileNames: readonly string[] = secrets.map((name) => `${name}_FILE`)

/**
 * The environment with the contents of the files.
 * @throws StartupProblem without the value, which may be the secret itself, set by mistake in place of its file
 */
export function withSecretFiles(environment: Values): Values {
  const found: Values = {}
  for (const name of secrets) {
    const path = environment[`${name}_FILE`]?.trim()
    if (!path) continue
    if (environment[name]?.trim()) throw new StartupProblem(`${name} and ${name}_FILE are both set: remove one of them.`)
    found[name] = read(`${name}_FILE`, path)
  }
  return { ...environment, ...found }
}

function read(variable: string, path: string): string {
  const content = readSecretFile(variable, path)
  if (content.length > SECRET_BYTES_MAX)
    throw new StartupProblem(`${variable} names a file of more than ${SECRET_BYTES_MAX} bytes: name the file of the secret.`)
  const value = content.toString().trim()
  if (value === '') throw new StartupProblem(`${variable} names a file that is empty: write the secret into it, or unset ${variable}.`)
  if (NOT_ONE_LINE.test(value))
    throw new StartupProblem(`${variable} names a file that is not one line of text in UTF-8: write the secret alone into it.`)
  return value
}

/** Control characters, and what stands for bytes that are no UTF-8. */
const NOT_ONE_LINE = /[\p{Cc}\uFFFD]/u

/** Reads at most one byte more than a secret may have, because the path can name a device that never ends. */
function readSecretFile(variable: string, path: string): Buffer {
  const buffer = Buffer.alloc(SECRET_BYTES_MAX + 1)
  try {
    const file = openSync(path, 'r')
    try {
      let length = 0
      for (let count = -1; count !== 0 && length < buffer.length; length += count)
        count = readSync(file, buffer, length, buffer.length - length, null)
      return buffer.subarray(0, length)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new StartupProblem(
      `${variable} names a file that cannot be read (${code}): put it there, readable by the user of the service, or correct the path.`,
      { cause: error },
    )
  }
}
