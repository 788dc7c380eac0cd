// A place in the feed of a webhook, and the text in which readers keep it.
import { LOWEST_ID } from '../ids.ts'
import { idOfShort, shortId } from '../short-ids.ts'

export type FeedPosition = {
  /** The database whose transactions it counts: its system identifier. A database that was restored from a dump counts anew. */
  database: string
  /** Among the messages that a restore has brought, which are read first. */
  isBefore: boolean
  /** The transaction, and the message of it, that was read last. */
  transaction: string
  id: string
  /** When the reader was there. */
  at: Date
}

/** Everything that is kept comes after it. */
export const feedStart = (database: string, at: Date): FeedPosition => ({
  database,
  isBefore: true,
  transaction: '0',
  id: LOWEST_ID,
  at,
})

export const positionText = ({ database, isBefore, transaction, id, at }: FeedPosition): string =>
  [isBefore ? 'b' : 'n', database, transaction, shortId(id), at.getTime().toString(36)].join('.')

/** Null if the text is no position. */
export function positionOf(text: string): FeedPosition | null {
  const [, phase, database, transaction, short, ms] = POSITION.exec(text) ?? []
  const id = short === undefined ? null : idOfShort(short)
  if (database === undefined || transaction === undefined || ms === undefined || id === null) return null
  if (BigInt(transaction) > TRANSACTION_MAX) return null
  return { database, isBefore: phase === 'b', transaction, id, at: new Date(Number.parseInt(ms, 36)) }
}

const POSITION = /^([bn])\.(-?\d{1,20})\.(\d{1,20})\.([\w-]{22})\.([0-9a-z]{1,9})$/
/** Numbers of transactions have 64 bits. */
const TRANSACTION_MAX = 2n ** 64n - 1n
