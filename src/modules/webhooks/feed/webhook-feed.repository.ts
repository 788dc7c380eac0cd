// The messages of webhooks in the order of their transactions; in SQL, because only PostgreSQL knows which of these have ended.

import { type Database, statement } from '../../../db/database.ts'
import type { FeedPosition } from './feed-positions.ts'

/** How far the database is, at one moment. */
export type FeedHorizon = {
  /** Its system identifier. */
  database: string
  /** The latest transaction such that it and all earlier ones have ended. */
  settled: string
  /** A transaction that has not begun. A message with this number, or a higher one, came with a restore. */
  next: string
}

export type FeedRow = { transaction: string; id: string; type: string; createdAt: Date }

export function webhookFeedRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    async horizon(): Promise<FeedHorizon> {
      return toHorizon(await execute<FeedHorizon>(HORIZON))
    },

    /** What was committed after a position, and the horizon until which this is all: nothing before it is committed later. */
    async after(webhookId: string, { transaction, id }: FeedPosition, limit: number): Promise<{ horizon: FeedHorizon; rows: FeedRow[] }> {
      return toFeedPage(await execute<Stored>(SETTLED, [webhookId, transaction, id, limit]))
    },

    /** Reads what a restore has brought, whose numbers this database has not reached. */
    async restoredAfter(
      webhookId: string,
      { transaction, id }: FeedPosition,
      limit: number,
    ): Promise<{ horizon: FeedHorizon; rows: FeedRow[] }> {
      return toFeedPage(await execute<Stored>(RESTORED, [webhookId, transaction, id, limit]))
    },

    /** For each position whether something was committed after it: of the messages since then, so that old days are not asked. */
    async hasNewsAcrossTeams(places: readonly { webhookId: string; position: FeedPosition }[], since: string): Promise<boolean[]> {
      const rows = await execute<{ hasNews: boolean }>(NEWS, [
        places.map(({ webhookId }) => webhookId),
        places.map(({ position }) => position.transaction),
        places.map(({ position }) => position.id),
        since,
      ])
      return rows.map(({ hasNews }) => hasNews)
    },
  }
}

type Stored = FeedHorizon & { [Key in keyof FeedRow]: FeedRow[Key] | null }

function toFeedPage(stored: Stored[]): { horizon: FeedHorizon; rows: FeedRow[] } {
  const rows = stored.flatMap(({ transaction, id, type, createdAt }) =>
    transaction !== null && id !== null && type !== null && createdAt !== null ? [{ transaction, id, type, createdAt }] : [],
  )
  return { horizon: toHorizon(stored), rows }
}

function toHorizon([first]: FeedHorizon[]): FeedHorizon {
  if (!first) throw new Error('The database did not report its position')
  return { database: first.database, settled: first.settled, next: first.next }
}

const HORIZON_COLUMNS = `c.system_identifier::text as database, (pg_snapshot_xmin(pg_current_snapshot())::text::numeric - 1)::text as settled,
  pg_snapshot_xmax(pg_current_snapshot())::text as next`

const HORIZON = statement('horizon of feeds', `select ${HORIZON_COLUMNS} from pg_control_system() c`)

const pageWhere = (bound: string): string => `
select ${HORIZON_COLUMNS}, m.committed_by::text as transaction, m.id, m.type, m.created_at as "createdAt"
from pg_control_system() c left join lateral (
  select committed_by, id, type, created_at from webhook_messages
  where webhook_id = $1 and (committed_by, id) > ($2::xid8, $3::uuid) and ${bound}
  order by committed_by, id limit $4
) m on true
order by m.committed_by, m.id`

const SETTLED = statement('feed of a webhook', pageWhere('committed_by < pg_snapshot_xmin(pg_current_snapshot())'))
const RESTORED = statement('restored feed of a webhook', pageWhere('committed_by >= pg_snapshot_xmax(pg_current_snapshot())'))

const NEWS = statement(
  'news in feeds of webhooks',
  `
select exists (
  select from webhook_messages m
  where m.webhook_id = p.webhook_id and (m.committed_by, m.id) > (p.transaction, p.id) and m.id > $4::uuid
    and m.committed_by < pg_snapshot_xmin(pg_current_snapshot())
) as "hasNews"
from unnest($1::uuid[], $2::xid8[], $3::uuid[]) with ordinality as p(webhook_id, transaction, id, place) order by p.place`,
)
