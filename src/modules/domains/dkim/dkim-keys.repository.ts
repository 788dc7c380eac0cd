// The key pairs that sign the mail of domains. A row is read with its private key only in order to sign.

import { oneOf } from '../../../db/columns.ts'
import type { Database, RecordTransaction } from '../../../db/database.ts'
import { DKIM_ALGORITHMS, type DkimAlgorithm } from '../../../lib/crypto/keys.ts'
import { nextSelectors } from '../records/wanted-records.ts'

export type DkimKeyRow = {
  id: string
  domainId: string
  selector: string
  algorithm: DkimAlgorithm
  publicKey: string
  createdAt: Date
  /** Null until its DNS record was seen. */
  seenAt: Date | null
  retiredAt: Date | null
}

export type NewDkimKey = {
  id: string
  algorithm: DkimAlgorithm
  /** The key as the DNS record holds it. */
  publicKey: string
  /** Sealed with this version of the data key `dkim`. */
  privateKey: Uint8Array<ArrayBuffer>
  keyVersion: number
}

export type SigningKeyRow = Pick<NewDkimKey, 'id' | 'algorithm' | 'privateKey' | 'keyVersion'> & { selector: string }

const columns = {
  id: true,
  domainId: true,
  selector: true,
  algorithm: true,
  publicKey: true,
  createdAt: true,
  seenAt: true,
  retiredAt: true,
} as const

/** Newest first, without the private keys. */
export async function listDkimKeys(
  tables: Pick<RecordTransaction['tables'], 'dkimKey'>,
  { domainIds, ...team }: { teamId?: string; domainIds: string[] },
): Promise<DkimKeyRow[]> {
  const rows = await tables.dkimKey.findMany({ where: { ...team, domainId: { in: domainIds } }, select: columns, orderBy: { id: 'desc' } })
  return rows.map((row) => ({ ...row, algorithm: oneOf(DKIM_ALGORITHMS, row.algorithm) }))
}

/** A retired key loses its private key, because a key without one cannot sign. */
const retirement = (now: Date) => ({ retiredAt: now, privateKey: new Uint8Array() })

/** Runs in the transaction that makes its domain or rotates its keys. False if the domain has a key with this selector. */
export async function createDkimKey(
  { tables }: Pick<RecordTransaction, 'tables'>,
  teamId: string,
  { createdAt, ...key }: NewDkimKey & { domainId: string; selector: string; createdAt: Date },
): Promise<boolean> {
  return (await tables.dkimKey.createMany({ data: [{ teamId, createdAt, ...key }], skipDuplicates: true })).count > 0
}

/** New keys of a domain, with selectors of their own. `first`: that of the first key of a domain. */
export async function createDkimKeys(
  inside: Pick<RecordTransaction, 'tables'>,
  teamId: string,
  { domainId, made, taken, first, createdAt }: NewKeysOfDomain,
): Promise<void> {
  const selectors = nextSelectors(taken, made.length, first)
  for (const [index, key] of made.entries())
    if (!(await createDkimKey(inside, teamId, { ...key, domainId, selector: selectors[index] ?? '', createdAt })))
      throw new Error('A new key must have a selector that its domain has not used')
}

type NewKeysOfDomain = { domainId: string; made: NewDkimKey[]; taken: string[]; first: string; createdAt: Date }

/**
 * From now on the keys of the domain whose records are seen sign, in place of the others. Runs in the transaction of the check. True if there were
 * others.
 */
export async function takeSeenKeys(
  tables: Pick<RecordTransaction['tables'], 'dkimKey'>,
  { teamId, all, seen, now }: { teamId: string; all: readonly DkimKeyRow[]; seen: string[]; now: Date },
): Promise<boolean> {
  const keys = all.filter(({ retiredAt }) => retiredAt === null)
  const unused = keys.filter(({ seenAt, selector }) => seenAt === null && seen.includes(selector))
  if (unused.length === 0) return false
  await tables.dkimKey.updateMany({ where: { teamId, id: { in: unused.map(({ id }) => id) } }, data: { seenAt: now } })
  // Not by the order of their ids: those were made by the clocks of several machines.
  const replaced = keys.filter((key) => {
    const replacement = unused.find(({ algorithm }) => algorithm === key.algorithm)
    return replacement !== undefined && replacement.id !== key.id
  })
  if (replaced.length === 0) return false
  const { count } = await tables.dkimKey.updateMany({ where: { teamId, id: { in: replaced.map(({ id }) => id) } }, data: retirement(now) })
  return count > 0
}

export function dkimKeyRepository({ tables }: Pick<Database, 'tables'>) {
  return {
    /** Newest first, without the private keys. */
    listOf: (teamId: string, domainId: string): Promise<DkimKeyRow[]> => listDkimKeys(tables, { teamId, domainIds: [domainId] }),

    /**
     * Returns the keys that sign: for each algorithm the newest whose record was seen and that is not retired. RSA is first, because every server
     * knows it.
     */
    async signingKeysOf(teamId: string, domainId: string): Promise<SigningKeyRow[]> {
      const rows = await tables.dkimKey.findMany({
        where: { teamId, domainId, seenAt: { not: null }, retiredAt: null },
        select: { id: true, selector: true, algorithm: true, privateKey: true, keyVersion: true },
        distinct: 'algorithm',
        orderBy: [{ algorithm: 'desc' }, { id: 'desc' }],
      })
      return rows.map((row) => ({ ...row, algorithm: oneOf(DKIM_ALGORITHMS, row.algorithm) }))
    },
  }
}
