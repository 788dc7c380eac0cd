import type { Context } from '../context.ts'
import { Failure } from '../lib/failure.ts'
import { type KeyPurpose, SIGNS_ALONE_FROM_AGE_MS, whyNeverRetired } from '../lib/signing/data-keys.ts'

/** Removes a version of a key, which invalidates what it has signed. Throws a Failure for a version that is still needed. */
export async function retireDataKey(
  dataKeys: Context['repositories']['dataKeys'],
  { purpose, version }: { purpose: KeyPurpose; version: number },
): Promise<void> {
  const reason = whyNeverRetired(purpose)
  if (reason !== null) throw new Failure('validation', `Keys of ${purpose} are never retired: ${reason}`)
  if (await dataKeys.retire({ purpose, version, newerAgeMs: SIGNS_ALONE_FROM_AGE_MS })) return
  const versions = (await dataKeys.list()).filter((row) => row.purpose === purpose)
  if (!versions.some((row) => row.version === version))
    throw new Failure('notFound', `There is no version ${version} of ${purpose}; \`data-keys list\` shows all.`)
  const newer = versions.filter((row) => row.version > version)
  if (newer.length === 0)
    throw new Failure(
      'validation',
      `Version ${version} is the newest of ${purpose}: make another one first, with \`data-keys rotate ${purpose}\`.`,
    )
  const seconds = Math.ceil((SIGNS_ALONE_FROM_AGE_MS - Math.max(...newer.map(({ ageMs }) => ageMs))) / 1_000)
  throw new Failure(
    'validation',
    `Version ${version} of ${purpose} may still sign: try again in ${seconds} s, when every process uses the newer one.`,
  )
}
