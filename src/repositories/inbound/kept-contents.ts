// The contents of messages that a worker is done with; in SQL, because the oldest go until the rest fits. Crosses teams: for workers.
import { idBound } from '../../lib/ids.ts'
import { type Database, statement } from '../database.ts'
import { REMOVED_AT_ONCE, type RemovedMessages, unnamedBlobs } from './inbound-messages.ts'

/** Messages that were acted upon are bounces and complaints. Anyone can send others. */
export type ContentKind = 'acted upon' | 'other'

/** Each removal takes some at once, and leaves the rows, which say what was made of the messages. */
export function keptContentRepository({ execute, transaction }: Pick<Database, 'execute' | 'transaction'>) {
  const clear = (picking: ReturnType<typeof statement>, values: unknown[]): Promise<RemovedMessages & { bytes: number }> =>
    transaction(async (inside) => {
      const cleared = await inside<{ blobKey: string; bytes: number }>(picking, values)
      return {
        messages: cleared.length,
        blobKeys: await unnamedBlobs(
          inside,
          cleared.map(({ blobKey }) => blobKey),
        ),
        bytes: cleared.reduce((sum, { bytes }) => sum + bytes, 0),
      }
    })

  return {
    /** The contents of messages that were not acted upon and were received before `before`. */
    removeOtherAcrossTeams: (before: Date): Promise<RemovedMessages> => clear(CLEAR_OLD, [idBound(before.getTime()), before]),

    /** What all contents of a kind have together. */
    async bytesAcrossTeams(kind: ContentKind): Promise<number> {
      const [row] = await execute<{ bytes: number }>(BYTES[kind])
      return row?.bytes ?? 0
    },

    /** The oldest contents of a kind that have as many bytes. */
    removeOldestAcrossTeams: (kind: ContentKind, bytes: number): Promise<RemovedMessages & { bytes: number }> =>
      clear(CLEAR_OLDEST[kind], [bytes]),
  }
}

/** Each condition is that of the contents' index. */
const WHERE: Record<ContentKind, string> = {
  'acted upon': `state = 'done' and blob_key is not null and verdict in ('bounce', 'complaint')`,
  other: `state = 'done' and blob_key is not null and verdict not in ('bounce', 'complaint')`,
}

/** The rows of a message follow each other, so its content counts for the first of them. In the order of the indexes: nothing has to be sorted. */
const BYTES_OF_FIRST = 'case when lag(blob_key) over (order by id) is distinct from blob_key then bytes else 0 end'

const CLEARED = `cleared as (update inbound_messages m set blob_key = null from picked where m.id = picked.id)
select blob_key as "blobKey", bytes::float8 as bytes from picked`

const CLEAR_OLD = statement(
  'clear old contents',
  `
with picked as (
  select id, blob_key, bytes from inbound_messages where ${WHERE.other} and id < $1 and received_at < $2
  order by id limit ${REMOVED_AT_ONCE} for update skip locked
), ${CLEARED}`,
)

const bytesOf = (kind: ContentKind) =>
  statement(
    `bytes of contents: ${kind}`,
    `select coalesce(sum(bytes), 0)::float8 as bytes from (select ${BYTES_OF_FIRST} as bytes from inbound_messages where ${WHERE[kind]}) as contents`,
  )

const BYTES: Record<ContentKind, ReturnType<typeof statement>> = { 'acted upon': bytesOf('acted upon'), other: bytesOf('other') }

const clearOldest = (kind: ContentKind) =>
  statement(
    `clear oldest contents: ${kind}`,
    `
with oldest as (
  select id, blob_key, bytes from inbound_messages where ${WHERE[kind]} order by id limit ${REMOVED_AT_ONCE} for update skip locked
), counted as (
  select id, blob_key, bytes as content_bytes, ${BYTES_OF_FIRST} as bytes from oldest
), summed as (
  select id, blob_key, bytes, sum(bytes) over (order by id) - content_bytes as bytes_before from counted
), picked as (
  select id, blob_key, bytes from summed where bytes_before < $1::bigint
), ${CLEARED}`,
  )

const CLEAR_OLDEST: Record<ContentKind, ReturnType<typeof statement>> = {
  'acted upon': clearOldest('acted upon'),
  other: clearOldest('other'),
}
