// What the data keys are wrapped with, from the configuration or from a file in DATA_DIR.
import { join } from 'node:path'
import { type Config, generateSecretKey, SECRET_KEY_LENGTH_MIN } from './config.ts'
import type { Context } from './context.ts'
import { createSecretFiles } from './gateways/files/secret-files.ts'
import { contextOf, wrongSecretKey } from './lib/signing/data-keys.ts'
import { unwrapKey } from './lib/signing/key-wrapping.ts'
import { StartupProblem } from './lib/startup-problem.ts'

/** Wrapped keys, of a database or of a backup of one. */
export type WrappedKey = { purpose: string; version: number; wrapped: Uint8Array }

type Secrets = Pick<Config, 'secretKey' | 'secretKeyPrevious'>

/** Whether every key is opened by one of the two, as the start of a service needs it. */
export const opensAll = ({ secretKey, secretKeyPrevious }: Secrets, keys: WrappedKey[]): boolean =>
  keys.every((key) =>
    [secretKey, secretKeyPrevious].some((secret) => secret !== null && unwrapKey(secret, key.wrapped, contextOf(key)) !== null),
  )

/** @throws StartupProblem if the secret key is missing, or is not the one that the keys in the database are wrapped with */
export async function expectSecretKey(
  config: Pick<Config, 'secretKey' | 'secretKeyPrevious' | 'dataDir'>,
  dataKeys: Context['repositories']['dataKeys'],
): Promise<void> {
  const keys = await dataKeys.list()
  // A database that no service has used yet.
  if (keys.length === 0) return
  const secretKey = await secretKeyOf(config, dataKeys)
  if (!opensAll({ ...config, secretKey }, keys)) throw wrongSecretKey()
}

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
