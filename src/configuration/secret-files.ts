// Secrets that are mounted as files, as Docker and Kubernetes do: NAME_FILE in place of NAME.
import { closeSync, openSync, readSync } from 'node:fs'
import { Environment } from '../environment.ts'
import { StartupProblem } from '../lib/startup-problem.ts'

type Values = Record<string, string | undefined>

/** A secret is a line. A longer file is another one than was meant. */
const SECRET_BYTES_MAX = 65_536

const secrets = Object.entries(Environment.properties)
  .filter(([, schema]) => 'x-secret' in schema)
  .map(([name]) => name)

/** The names that name a file. */
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
  const content = contentOf(variable, path)
  if (content.length > SECRET_BYTES_MAX)
    throw new StartupProblem(`${variable} names a file of more than ${SECRET_BYTES_MAX} bytes: name the file of the secret.`)
  const value = content.toString().trim()
  if (value === '') throw new StartupProblem(`${variable} names a file that is empty: write the secret into it, or unset ${variable}.`)
  return value
}

/** One byte more than it may have, at most. */
function contentOf(variable: string, path: string): Buffer {
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
      `${variable} names a file that cannot be read (${code}): put it there, readable for the user of the service, or correct the path.`,
      { cause: error },
    )
  }
}
