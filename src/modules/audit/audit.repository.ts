// Who did what. Rows are written by acts (db/acts.ts); here they are read, in SQL, because each filter has an index to walk, newest first.
import { type Act, recordRead } from '../../db/acts.ts'
import { type BoundedQueries, LOGS_SEARCHED_MAX } from '../../db/bounded-queries.ts'
import { type Database, type Statement, statement } from '../../db/database.ts'
import { toWalk, type Walk } from '../../db/page.ts'
import type { ActorKind } from '../../http/actor.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { SearchPage } from '../../lib/validation/common.schema.ts'

export type AuditRow = {
  id: string
  createdAt: Date
  actorKind: ActorKind
  actorId: string | null
  actorName: string | null
  address: string | null
  userAgent: string | null
  act: string
  targetType: string | null
  targetId: string | null
  details: { before?: Record<string, unknown>; after?: Record<string, unknown>; count?: number } | null
  position: number | null
}

/** Null matches anything. */
export type AuditSearch = PageRequest & {
  actorKind: ActorKind | null
  actorId: string | null
  act: string | null
  targetId: string | null
  /** The first instant, and the first one that is too late. */
  since: Date | null
  until: Date | null
}

export const AUDIT_ENTRIES_SEARCHED_MAX = LOGS_SEARCHED_MAX

export function auditLogRepository({ execute }: Pick<Database, 'execute'>, { searches }: { searches: BoundedQueries }) {
  return {
    /** Records an act that writes nothing, such as an export. */
    recordRead: (act: Act): Promise<void> => recordRead(execute, act),

    async find(teamId: string, id: string): Promise<AuditRow | null> {
      const [row] = await execute<AuditRow>(FIND, [teamId, id])
      return row ?? null
    },

    /** What a key or the program of a grant is called now; null if it is neither. */
    async nameOfActor(teamId: string, id: string): Promise<string | null> {
      const [found] = await execute<{ name: string | null }>(NAME_OF_ACTOR, [teamId, id])
      return found?.name ?? null
    },

    /** A page, newest first. With several filters, a bounded number of entries is looked at. */
    async searchPage(teamId: string, search: AuditSearch): Promise<SearchPage<AuditRow>> {
      const { actorKind, actorId, act, targetId, since, until, limit, before } = search
      const place = toWalk(search, { since, until })
      const walk =
        targetId !== null ? BY_TARGET : actorId !== null ? BY_ACTOR : act !== null ? BY_ACT : actorKind !== null ? BY_KIND : BY_TIME
      const values = [teamId, place.from, place.until, AUDIT_ENTRIES_SEARCHED_MAX, limit + 1, targetId, actorId, act, actorKind]
      const found = await searches.run(teamId, (searching) => searching<Found>(walk[place.order], values))
      const last = found[0]?.last ?? null
      const all = found.flatMap(({ last: _last, ...row }) => (isRow(row) ? [row] : []))
      const rows = all.slice(0, limit)
      const hasMore = all.length > limit || last !== null
      return { rows: before === null ? rows : rows.toReversed(), hasMore, searchedTo: all.length > limit ? null : last }
    },
  }
}

/** `last`: the entry at the bound, if fewer were found than asked for and there are that many. */
type Found = { [Name in keyof AuditRow]: AuditRow[Name] | null } & { last: string | null }

const isRow = (row: Omit<Found, 'last'>): row is AuditRow => row.id !== null

const COLUMNS = `e.id, e.created_at as "createdAt", e.actor_kind as "actorKind", e.actor_id as "actorId", e.actor_name as "actorName", e.address,
  e.user_agent as "userAgent", e.act, e.target_type as "targetType", e.target_id as "targetId", e.details, e.seq::float8 as position`

const FIND = statement('find_audit_entry', `select ${COLUMNS} from audit_log e where team_id = $1 and id = $2`)

const NAME_OF_ACTOR = statement('name_of_actor', 'select name_of_actor($1::uuid, $2::uuid) as name')

const walk = (name: string, walked: string): Record<Walk['order'], Statement> => ({
  desc: walkTo(`list_audit_log_by_${name}`, walked, 'desc'),
  asc: walkTo(`list_newer_audit_log_by_${name}`, walked, 'asc'),
})

/** The inner limit keeps the other conditions out of the walk, which ends as soon as enough is found. */
function walkTo(name: string, walked: string, order: Walk['order']): Statement {
  const entries = `audit_log where team_id = $1 and id >= $2::uuid and id < $3::uuid${walked} order by id ${order}`
  return statement(
    name,
    `
with found as materialized (
  select id from (select id, target_id, actor_id, act, actor_kind from ${entries} limit $4) walked
   where ($6::uuid is null or target_id = $6) and ($7::uuid is null or actor_id = $7) and ($8::text is null or act = $8)
     and ($9::text is null or actor_kind = $9)
   order by id ${order} limit $5
)
select w.last, ${COLUMNS}
  from (select case when (select count(*) from found) < $5 then (select id from ${entries} offset $4 - 1 limit 1) end as last) w
  left join (found f join audit_log e on e.team_id = $1 and e.id = f.id) on true
 order by e.id ${order}`,
  )
}

const BY_TIME = walk('time', '')
const BY_TARGET = walk('target', ' and target_id = $6')
const BY_ACTOR = walk('actor', ' and actor_id = $7')
const BY_ACT = walk('act', ' and act = $8')
const BY_KIND = walk('kind', ' and actor_kind = $9')
