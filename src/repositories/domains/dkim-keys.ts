// The key pairs that sign the mail of domains. A row is read with its private key only in order to sign.
import type { Clock } from '../../lib/clock.ts'
import type { DkimAlgorithm } from '../../lib/signing/key-pairs.ts'
import { oneOf } from '../columns.ts'
import type { Database, RecordTransaction } from '../database.ts'

export type DkimKeyRow = {
  id: string
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
  /** As the DNS record holds it. */
  publicKey: string
  /** Sealed with this version of the data key `dkim`. */
  privateKey: Uint8Array<ArrayBuffer>
  keyVersion: number
}

export type SigningKeyRow = Pick<NewDkimKey, 'id' | 'algorithm' | 'privateKey' | 'keyVersion'> & { selector: string }

export const DKIM_ALGORITHMS: Record<DkimAlgorithm, true> = { 'rsa-sha256': true, 'ed25519-sha256': true }

const columns = {
  id: true,
  selector: true,
  algorithm: true,
  publicKey: true,
  createdAt: true,
  seenAt: true,
  retiredAt: true,
} as const

/** In the transaction that makes its domain or rotates its keys. False if the domain has a key with this selector. */
export async function createDkimKey(
  { tables }: Pick<RecordTransaction, 'tables'>,
  teamId: string,
  { createdAt, ...key }: NewDkimKey & { domainId: string; selector: string; createdAt: Date },
): Promise<boolean> {
  return (await tables.dkimKey.createMany({ data: [{ teamId, createdAt, ...key }], skipDuplicates: true })).count > 0
}

export function dkimKeyRepository({ tables }: Pick<Database, 'tables'>, { clock }: { clock: Clock }) {
  return {
    /** Newest first, without the private keys. */
    async listOf(teamId: string, domainId: string): Promise<DkimKeyRow[]> {
      const rows = await tables.dkimKey.findMany({ where: { teamId, domainId }, select: columns, orderBy: { id: 'desc' } })
      return rows.map((row) => ({ ...row, algorithm: oneOf(DKIM_ALGORITHMS, row.algorithm) }))
    },

    /** From now on it signs. False if it did already, or if the team has no such key. */
    async markSeen(teamId: string, id: string): Promise<boolean> {
      return (await tables.dkimKey.updateMany({ where: { teamId, id, seenAt: null }, data: { seenAt: clock.now() } })).count > 0
    },

    /** From now on it does not sign. False if it did not before, or if the team has no such key. */
    async retire(teamId: string, id: string): Promise<boolean> {
      return (await tables.dkimKey.updateMany({ where: { teamId, id, retiredAt: null }, data: { retiredAt: clock.now() } })).count > 0
    },

    /** Those that sign: for each algorithm the newest whose record was seen and that is not retired. RSA first, because every server knows it. */
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
