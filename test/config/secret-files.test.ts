import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { misspelledSettings, readConfig } from '../../src/config/config.ts'
import { Environment } from '../../src/config/environment.ts'
import { StartupProblem } from '../../src/lib/startup-problem.ts'

const SECRET = 'tr0ub4dor-and-3-more-horses-and-staples'

describe('a secret in a file', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'posthaste-test-config-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  const file = async (content: string | Buffer): Promise<string> => {
    const path = join(folder, 'secret')
    await writeFile(path, content)
    return path
  }
  const secrets = Object.entries(Environment.properties).flatMap(([name, schema]) => ('x-secret' in schema ? [name] : []))

  it.each(['\n', '\r\n', ''])('is read without the line break at its end: %j', async (lineBreak) => {
    expect(readConfig({ SECRET_KEY_FILE: await file(`${SECRET}${lineBreak}`), SECRET_KEY: '' })).toMatchObject({ secretKey: SECRET })
    expect(readConfig({ DATABASE_URL_FILE: await file(`postgres://a:b@db/mail${lineBreak}`) })).toMatchObject({
      databaseUrl: 'postgres://a:b@db/mail',
    })
  })

  it.each(secrets)('works for %s: both set, no such file, an empty one and a large one each end the start', async (name) => {
    const problem = (path: string, more: Record<string, string> = {}) => expect(() => readConfig({ [`${name}_FILE`]: path, ...more }))
    const path = await file(SECRET)
    problem(path, { [name]: SECRET }).toThrow(new StartupProblem(`${name} and ${name}_FILE are both set: remove one of them.`))
    // What was set is not printed: it may be the secret itself.
    problem(SECRET).toThrow(
      new StartupProblem(
        `${name}_FILE names a file that cannot be read (ENOENT): put it there, readable by the user of the service, or correct the path.`,
      ),
    )
    problem(await file('\n')).toThrow(
      new StartupProblem(`${name}_FILE names a file that is empty: write the secret into it, or unset ${name}_FILE.`),
    )
    problem(await file('x'.repeat(65_537))).toThrow(
      new StartupProblem(`${name}_FILE names a file of more than 65536 bytes: name the file of the secret.`),
    )
  })

  it.each([
    ['two lines', `${SECRET}\n${SECRET}`],
    ['a NUL', `${SECRET}\0${SECRET}`],
    ['bytes that are no UTF-8', Buffer.concat([Buffer.from(SECRET), Buffer.from([0xff, 0xfe])])],
  ])('is refused with %s', async (_what, content) => {
    const path = await file(content)
    expect(() => readConfig({ SECRET_KEY_FILE: path })).toThrow(
      new StartupProblem('SECRET_KEY_FILE names a file that is not one line of text in UTF-8: write the secret alone into it.'),
    )
  })

  it('is not printed if it is wrong', async () => {
    const path = await file(`mysql://u:${SECRET}@db/x`)
    expect(() => readConfig({ DATABASE_URL_FILE: path })).toThrow(
      new StartupProblem(
        'DATABASE_URL must be a URL that begins with postgres:// or postgresql://; it is something else (not shown, because it is a secret).',
      ),
    )
  })

  it('is found although its name is misspelled', () => {
    expect(misspelledSettings([], { SECRET_KEY_FIEL: 'x' })).toEqual(['SECRET_KEY_FIEL: did you mean SECRET_KEY_FILE?'])
    expect(misspelledSettings([], { SECRET_KEY_FILE: 'x' })).toEqual([])
  })
})
