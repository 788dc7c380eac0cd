// What the data keys are wrapped with, from the configuration or from a file in DATA_DIR.
import { join } from 'node:path'
import { type Config, generateSecretKey, SECRET_KEY_LENGTH_MIN } from './config.ts'
import type { Context } from './context.ts'
import { createSecretFiles } from './gateways/files/secret-files.ts'
import { StartupProblem } from './lib/startup-problem.ts'

/** Given, or made at the first start. A database that has keys already had another one, and nothing else opens them. */
export async function secretKeyOf(
  { secretKey: given, dataDir }: Pick<Config, 'secretKey' | 'dataDir'>,
  dataKeys: Context['repositories']['dataKeys'],
): Promise<string> {
  if (given !== null) return given
  const files = createSecretFiles(dataDir)
  const isNew = (await dataKeys.list()).length === 0
  const secretKey = isNew ? await files.readOrCreate('secret-key', generateSecretKey) : await files.find('secret-key')
  if (secretKey !== null && secretKey.length >= SECRET_KEY_LENGTH_MIN) return secretKey
  const path = join(dataDir, 'secret-key')
  throw new StartupProblem(
    isNew
      ? `${path} holds no key of ${SECRET_KEY_LENGTH_MIN} characters: remove that file for a new one, or set SECRET_KEY.`
      : `${path} ${secretKey === null ? 'is missing' : 'has been cut short'}, and the keys in the database are opened by nothing else: restore that file from a backup, or set SECRET_KEY to what it held.`,
  )
}
