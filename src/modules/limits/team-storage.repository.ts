// What the files of teams with a limit of stored bytes take; in SQL, because triggers on the tables that name files write the changes (0107_stored_bytes), and
// room for files that are being stored is taken before them.
import { type Database, statement } from '../../db/database.ts'
import { LOWEST_ID } from '../../lib/ids.ts'

export type TakenRoom =
  | { kind: 'unlimited' }
  /** `left`: how many bytes there would be room for. */
  | { kind: 'full'; limit: number; left: number }
  | { kind: 'taken'; id: string }

/** Longer than any upload. Room that is not given back, because its process ended, counts for so long. */
const ROOM_HOURS = 2
/** Changes that are read one by one. More are added up first. */
const CHANGES_MAX = 100
const ADDED_UP_AT_ONCE = 10_000
const TEAMS_COUNTED_AT_ONCE = 100

type Known = { bytes: number; limit: number; changed: number; taken: number; changes: number }

export function teamStorageRepository({ execute, transaction }: Pick<Database, 'execute' | 'transaction'>) {
  return {
    /** Null without a limit, and until its files were counted. */
    async used(teamId: string): Promise<number | null> {
      const [row] = await execute<{ used: number }>(USED, [teamId])
      return row ? Math.max(0, row.used) : null
    },

    /** Takes room for files that are about to be stored, one request of a team after another, so that never more is stored than the limit. */
    takeRoom(teamId: string, bytes: number): Promise<TakenRoom> {
      return transaction(async (inside): Promise<TakenRoom> => {
        const [storage] = await inside<Pick<Known, 'bytes' | 'limit'>>(LOCK, [teamId])
        if (!storage) return { kind: 'unlimited' }
        // A new statement, which sees what was committed until the lock was there.
        const [changes] = await inside<Omit<Known, 'bytes' | 'limit'>>(CHANGES, [teamId])
        const { changed, taken, changes: count } = changes ?? { changed: 0, taken: 0, changes: 0 }
        if (count > CHANGES_MAX) await inside(ADD_UP, [teamId, ADDED_UP_AT_ONCE])
        const left = Math.max(0, storage.limit - storage.bytes - changed - taken)
        if (bytes > left) return { kind: 'full', limit: storage.limit, left }
        const [row] = await inside<{ id: string }>(TAKE, [teamId, bytes, ROOM_HOURS], { isLast: true })
        return row ? { kind: 'taken', id: row.id } : { kind: 'unlimited' }
      })
    },

    /** The files are stored, and counted by themselves; or they were not stored. */
    async release(teamId: string, id: string): Promise<void> {
      await execute(GIVE_BACK, [teamId, id])
    },

    /** Corrects what is counted by the files that there are. No row is locked: the correction is one more change. */
    countAgain(teamIds: string[]): Promise<void> {
      return transaction(async (inside) => {
        // Two that count at once would both correct the same.
        await inside("select pg_advisory_xact_lock(hashtextextended('stored bytes are counted again', 0))::text")
        await inside(COUNT_AGAIN, [teamIds])
      })
    },

    /** Some teams with such a limit, after the last of those before; empty after all. */
    async limitedAcrossTeams(after: string = LOWEST_ID): Promise<string[]> {
      const rows = await execute<{ id: string }>(LIMITED, [after, TEAMS_COUNTED_AT_ONCE])
      return rows.map(({ id }) => id)
    },
  }
}

const CHANGED = `coalesce(sum(c.bytes) filter (where c.expires_at is null), 0)`

const USED = statement(
  'stored bytes of a team',
  `
select (s.bytes + (select ${CHANGED} from team_storage_changes c where c.team_id = s.team_id))::float8 as used from team_storage s where s.team_id = $1`,
)

const LOCK = statement(
  'lock storage of a team',
  `
select s.bytes::float8 as bytes, l.stored_bytes::float8 as "limit" from team_storage s join team_limits l on l.team_id = s.team_id
where s.team_id = $1 and l.stored_bytes is not null for update of s`,
)

const CHANGES = statement(
  'changes of storage of a team',
  `
select ${CHANGED}::float8 as changed, coalesce(sum(c.bytes) filter (where c.expires_at > clock_timestamp()), 0)::float8 as taken, count(*)::int as changes
from team_storage_changes c where c.team_id = $1`,
)

/** What has expired was never stored. */
const ADD_UP = statement(
  'add up changes of storage',
  `
with added as (
  delete from team_storage_changes where id = any(array(
    select id from team_storage_changes where team_id = $1 and (expires_at is null or expires_at <= clock_timestamp()) order by id limit $2
  )) returning bytes, expires_at
)
update team_storage set bytes = bytes + coalesce((select sum(bytes) from added where expires_at is null), 0) where team_id = $1`,
)

const TAKE = statement(
  'take room of storage',
  `
insert into team_storage_changes (team_id, bytes, expires_at) values ($1, $2, clock_timestamp() + make_interval(hours => $3)) returning id`,
)

const GIVE_BACK = statement('give back room of storage', 'delete from team_storage_changes where team_id = $1 and id = $2')

/** One statement sees one moment: what was added up, its changes and the files fit each other. */
const COUNT_AGAIN = `
insert into team_storage_changes (team_id, bytes)
select known.team_id, coalesce(f.bytes, 0) - known.bytes from (
  select s.team_id, s.bytes + (select ${CHANGED} from team_storage_changes c where c.team_id = s.team_id) as bytes
    from team_storage s where s.team_id = any($1::uuid[])
) known left join stored_bytes_of($1::uuid[]) f on f.team_id = known.team_id
where coalesce(f.bytes, 0) <> known.bytes`

const LIMITED = 'select team_id as id from team_storage where team_id > $1 order by team_id limit $2'
