import type { Context } from '../context.ts'
import { Failure } from '../lib/failure.ts'
import { contextOf, isReplaceable, KEY_VERSIONS_MAX, type KeyPurpose, wrongSecretKey } from '../lib/signing/data-keys.ts'
import { newDataKey, unwrapKey, wrapKey } from '../lib/signing/key-wrapping.ts'

/**
 * Makes a new version of the key of a purpose, and returns its number.
 *
 * @throws StartupProblem if the running services have another secret, because they could not open the new version.
 */
export async function rotateDataKey(
  dataKeys: Context['repositories']['dataKeys'],
  { purpose, secretKey }: { purpose: KeyPurpose; secretKey: string },
): Promise<number> {
  if (!isReplaceable(purpose))
    throw new Failure('validation', `The key of ${purpose} is never replaced: addresses that have opted out would no longer be recognized.`)
  for (;;) {
    const rows = await dataKeys.list()
    if (rows.some((row) => unwrapKey(secretKey, row.wrapped, contextOf(row)) === null)) throw wrongSecretKey()
    const versions = rows.filter((row) => row.purpose === purpose).map((row) => row.version)
    if (versions.length >= KEY_VERSIONS_MAX)
      throw new Failure('validation', `There are ${KEY_VERSIONS_MAX} versions of ${purpose} already; \`data-keys retire\` removes one.`)
    const version = Math.max(0, ...versions) + 1
    // Another command may have just made this version.
    if (await dataKeys.add({ purpose, version, wrapped: wrapKey(secretKey, newDataKey(), contextOf({ purpose, version })) })) return version
  }
}
