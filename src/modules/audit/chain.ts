// The chain of a team's audit log: each row is signed together with the signature of the one before it, so none can be changed, removed, put in
// between or moved without a trace. Of what changed, a digest is signed, so that it can be removed with a contact.
import { createHmac, hash, timingSafeEqual } from 'node:crypto'

export type ChainKeys = { signing: number | null; keys: ReadonlyMap<number, Buffer> }

/** What of a row is signed. */
export type ChainedFields = {
  id: string
  createdAt: Date
  actorKind: string
  actorId: string | null
  actorName: string | null
  address: string | null
  userAgent: string | null
  act: string
  targetType: string | null
  targetId: string | null
  detailsDigest: Uint8Array
}

export type JoinedRow = ChainedFields & {
  seq: number
  keyVersion: number
  hash: Uint8Array
  /** As PostgreSQL writes them; null once they were removed. */
  details: string | null
  salt: string | null
}

/** The end of a chain, or what stands for the rows that retention removed. */
export type SignedEnd = { seq: number; hash: Uint8Array; keyVersion: number; signature: Uint8Array }

/** `beyond`: the first row after the end, which no one has signed. */
export type Chain = { head: SignedEnd; anchor: SignedEnd | null; beyond: { seq: number; id: string } | null }

/** Before the first row. */
export const NOTHING = new Uint8Array()

const sign = (key: Buffer, parts: unknown[]): Buffer => createHmac('sha256', key).update(JSON.stringify(parts)).digest()
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

export function hashOf(
  key: Buffer,
  { teamId, seq, previous }: { teamId: string; seq: number; previous: Uint8Array },
  row: ChainedFields,
): Buffer {
  const { id, createdAt, actorKind, actorId, actorName, address, userAgent, act, targetType, targetId, detailsDigest } = row
  const said = [
    id,
    createdAt.toISOString(),
    actorKind,
    actorId,
    actorName,
    address,
    userAgent,
    act,
    targetType,
    targetId,
    hex(detailsDigest),
  ]
  return sign(key, ['row', teamId, seq, ...said, hex(previous)])
}

/** @param what `head` or `anchor`: one cannot stand for the other */
export const endSignature = (
  key: Buffer,
  what: 'head' | 'anchor',
  teamId: string,
  { seq, hash: of }: Pick<SignedEnd, 'seq' | 'hash'>,
): Buffer => sign(key, [what, teamId, seq, hex(of)])

/** The version that signs, with its key. */
export function signingKey({ signing, keys }: ChainKeys): { keyVersion: number; key: Buffer } {
  const key = signing === null ? undefined : keys.get(signing)
  if (signing === null || !key) throw new Error('There is no data key for the audit log')
  return { keyVersion: signing, key }
}

/** The first row that does not fit, by its place. `id`: of the row that stands there, if there is one. */
export type ChainBreak = { seq: number; id: string | null; problem: 'changed' | 'details changed' | 'missing' | 'beginning' | 'end' }

/** Goes along the rows of a chain, in their order, and says where it breaks. */
export function createChainCheck(teamId: string, { keys }: ChainKeys, { head, anchor }: Pick<Chain, 'head' | 'anchor'>) {
  let { seq, hash: previous } = anchor ?? { seq: 0, hash: NOTHING }

  const isSigned = (what: 'head' | 'anchor', end: SignedEnd): boolean => {
    const key = keys.get(end.keyVersion)
    return key !== undefined && isSame(endSignature(key, what, teamId, end), end.signature)
  }

  return {
    /** Before the first row. */
    begin: (): ChainBreak | null => (anchor === null || isSigned('anchor', anchor) ? null : { seq, id: null, problem: 'beginning' }),
    next(row: JoinedRow): ChainBreak | null {
      seq += 1
      if (row.seq !== seq) return { seq, id: null, problem: 'missing' }
      const key = keys.get(row.keyVersion)
      if (!key || !isSame(hashOf(key, { teamId, seq, previous }, row), row.hash)) return { seq, id: row.id, problem: 'changed' }
      if (row.details !== null && !isSame(digestOf(row), row.detailsDigest)) return { seq, id: row.id, problem: 'details changed' }
      previous = row.hash
      return null
    },
    /** After the last one. */
    end(): ChainBreak | null {
      if (head.seq > seq) return { seq: seq + 1, id: null, problem: 'missing' }
      return head.seq === seq && isSame(head.hash, previous) && (seq === 0 || isSigned('head', head))
        ? null
        : { seq, id: null, problem: 'end' }
    },
  }
}

const digestOf = ({ salt, details }: JoinedRow): Buffer => Buffer.from(hash('sha256', `${salt}${details}`), 'hex')

const isSame = (one: Uint8Array, other: Uint8Array): boolean => one.length === other.length && timingSafeEqual(one, other)
