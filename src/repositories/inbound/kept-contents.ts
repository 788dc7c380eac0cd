// The contents of messages that a worker is done with; in SQL, because the oldest go until the rest fits. Crosses teams: for workers.
import { idBound } from '../../lib/ids.ts'
import { type Database, statement } from '../database.ts'
import { REMOVED_AT_ONCE, type RemovedMessages, unnamedBlobs } from './inbound-messages.ts'

/** Of messages that were acted upon, bounces and complaints; of others, which anyone can send. */
export type ContentKind = 'acted upon' | 'other'

/** Each removes some at once, and leaves the rows, which say what was made of the messages. */
export function keptContentRepository({ transaction }: Pick<Database, 'transaction'>) {
  const clear = (picking: ReturnType<typeof statement>, values: unknown[]): Promise<RemovedMessages> =>
    transaction(async (inside) => {
      const cleared = await inside<{ blobKey: string }>(picking, values)
      return {
        messages: cleared.length,
        blobKeys: await unnamedBlobs(
          inside,
          cleared.map(({ blobKey }) => blobKey),
        ),
      }
    })

  return {
    /** The contents of messages that were not acted upon and were received before `before`. */
    removeOtherAcrossTeams: (before: Date): Promise<RemovedMessages> => clear(CLEAR_OLD, [idBound(before.getTime()), before]),

    /** The oldest contents of a kind, if all together have more than `bytesMax`. */
    removeBeyondAcrossTeams: (kind: ContentKind, bytesMax: number): Promise<RemovedMessages> => clear(CLEAR_BEYOND[kind], [bytesMax]),
  }
}

/** As the indexes of these contents have it. */
const WHERE: Record<ContentKind, string> = {
  'acted upon': `state = 'done' and blob_key is not null and verdict in ('bounce', 'complaint')`,
  other: `state = 'done' and blob_key is not null and verdict not in ('bounce', 'complaint')`,
}

const CLEARED = `cleared as (update inbound_messages m set blob_key = null from picked where m.id = picked.id)
select blob_key as "blobKey" from picked`

const CLEAR_OLD = statement(
  'clear old contents',
  `
with picked as (
  select id, blob_key from inbound_messages where ${WHERE.other} and id < $1 and received_at < $2
  order by id limit ${REMOVED_AT_ONCE} for update skip locked
), ${CLEARED}`,
)

const clearBeyond = (kind: ContentKind) =>
  statement(
    `clear contents beyond a number of bytes: ${kind}`,
    `
with kept as (
  select coalesce(sum(bytes), 0) - $1::bigint as excess from inbound_messages where ${WHERE[kind]}
), oldest as (
  select id, blob_key, bytes from inbound_messages where ${WHERE[kind]} order by id limit ${REMOVED_AT_ONCE} for update skip locked
), summed as (
  select id, blob_key, sum(bytes) over (order by id) - bytes as bytes_before from oldest
), picked as (
  select id, blob_key from summed, kept where bytes_before < excess
), ${CLEARED}`,
  )

const CLEAR_BEYOND: Record<ContentKind, ReturnType<typeof statement>> = {
  'acted upon': clearBeyond('acted upon'),
  other: clearBeyond('other'),
}
