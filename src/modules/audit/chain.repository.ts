// The chains of the audit log: rows are joined, checked and, once they are old, removed from their beginning; in SQL, because rows are changed as sets, each
// in a transaction that says what it is to the trigger which guards the log.
import { rowArrays } from '../../db/columns.ts'
import { type Database, type Execute, statement } from '../../db/database.ts'
import { idBoundOfAny } from '../../lib/ids.ts'
import {
  type Chain,
  type ChainedFields,
  type ChainKeys,
  endSignature,
  hashOf,
  type JoinedRow,
  NOTHING,
  type SignedEnd,
  signingKey,
} from './chain.ts'

/** Rows of one team that one transaction joins or removes. */
export const JOINED_AT_ONCE = 500
const TEAMS_AT_ONCE = 100
const CHECKED_AT_ONCE = 1_000

const FIELDS = `id, created_at as "createdAt", actor_kind as "actorKind", actor_id as "actorId", actor_name as "actorName", address,
  user_agent as "userAgent", act, target_type as "targetType", target_id as "targetId", details_digest as "detailsDigest"`

type ChainRow = {
  seq: number
  hash: Uint8Array
  keyVersion: number
  signature: Uint8Array
  anchorSeq: number
  anchorHash: Uint8Array | null
  anchorKeyVersion: number | null
  anchorSignature: Uint8Array | null
}

export function auditChainRepository({ execute, transaction }: Pick<Database, 'execute' | 'transaction'>) {
  return {
    /** Teams of which rows wait to be joined, in order. */
    async waitingTeamsAfter(after: string): Promise<string[]> {
      const rows = await execute<{ teamId: string }>(WAITING, [after, TEAMS_AT_ONCE])
      return rows.map(({ teamId }) => teamId)
    },

    /** Joins some rows that wait to the chain of the team. Returns how many; none if no row waits. */
    join: (teamId: string, keys: ChainKeys): Promise<number> => transaction((inside) => joinSome(inside, teamId, keys)),

    /** Teams that have a chain, in order. */
    async chainedAcrossTeams(after: string): Promise<string[]> {
      const rows = await execute<{ teamId: string }>(TEAMS, [after, TEAMS_AT_ONCE])
      return rows.map(({ teamId }) => teamId)
    },

    /** Null if nothing of the team was joined yet. */
    async find(teamId: string): Promise<Chain | null> {
      const [row] = await execute<ChainRow & Beyond>(CHAIN_WITH_BEYOND, [teamId])
      return row ? toChain(row) : null
    },

    /** The next rows of the chain, `until` that place. */
    rowsAfter: (teamId: string, seq: number, until: number): Promise<JoinedRow[]> =>
      execute<JoinedRow>(JOINED, [teamId, seq, until, CHECKED_AT_ONCE]),

    /** Removes some rows from the beginning of the chain that are older, and anchors it to the last of them. Returns how many. */
    removeBefore(teamId: string, before: Date, { keys, now }: { keys: ChainKeys; now: Date }): Promise<number> {
      return transaction(async (inside) => {
        await inside(`set local posthaste.audit_log = 'retention'`)
        const [chain] = await inside<ChainRow>(LOCK_CHAIN, [teamId])
        if (!chain) return 0
        const removed = await inside<{ seq: number; hash: Uint8Array }>(REMOVE, [
          teamId,
          idBoundOfAny(before.getTime()),
          chain.anchorSeq,
          JOINED_AT_ONCE,
        ])
        const last = removed.toSorted((one, other) => one.seq - other.seq).at(-1)
        if (!last) return 0
        const { keyVersion, key } = signingKey(keys)
        await inside(ANCHOR, [teamId, last.seq, last.hash, now, keyVersion, endSignature(key, 'anchor', teamId, last)])
        return removed.length
      })
    },
  }
}

/** Removes the details that tell of a contact, in the transaction that deletes it. The chain has digests, and stays whole. */
export async function eraseDetails(
  execute: Execute,
  teamId: string,
  { contacts }: { contacts: { id: string; email: string }[] },
): Promise<void> {
  await execute(`select set_config('posthaste.audit_log', 'erasure', true)`)
  await execute(ERASE, [teamId, contacts.map(({ id }) => id), contacts.map(({ email }) => email)])
}

async function joinSome(inside: Execute, teamId: string, keys: ChainKeys): Promise<number> {
  await inside(`set local posthaste.audit_log = 'chain'`)
  await inside(BEGIN_CHAIN, [teamId, NOTHING])
  const [chain] = await inside<ChainRow>(LOCK_CHAIN, [teamId])
  const rows = await inside<ChainedFields>(NEXT, [teamId, JOINED_AT_ONCE])
  if (!chain || rows.length === 0) return 0
  const { keyVersion, key } = signingKey(keys)
  let { seq, hash: previous } = chain
  const joined = rows.map((row) => {
    seq += 1
    previous = hashOf(key, { teamId, seq, previous }, row)
    return { id: row.id, seq, hash: `\\x${Buffer.from(previous).toString('hex')}` }
  })
  await inside(JOIN, [teamId, keyVersion, ...ROWS.values(joined)])
  await inside(MOVE_HEAD, [teamId, seq, previous, keyVersion, endSignature(key, 'head', teamId, { seq, hash: previous })])
  return rows.length
}

const ROWS = rowArrays({ id: 'uuid', seq: 'int', hash: 'bytea' }, 3)

type Beyond = { beyondSeq: number | null; beyondId: string | null }

function toChain({ anchorSeq, anchorHash, anchorKeyVersion, anchorSignature, beyondSeq, beyondId, ...head }: ChainRow & Beyond): Chain {
  const anchor: SignedEnd = {
    seq: anchorSeq,
    hash: anchorHash ?? NOTHING,
    keyVersion: anchorKeyVersion ?? 0,
    signature: anchorSignature ?? NOTHING,
  }
  const beyond = beyondSeq === null || beyondId === null ? null : { seq: beyondSeq, id: beyondId }
  return { head, anchor: anchorSeq === 0 ? null : anchor, beyond }
}

const WAITING = statement(
  'audit_log_waiting_teams',
  'select team_id as "teamId" from audit_log where seq is null and team_id > $1 group by team_id order by team_id limit $2',
)

const TEAMS = 'select team_id as "teamId" from audit_chains where team_id > $1 order by team_id limit $2'

const BEGIN_CHAIN = `insert into audit_chains (team_id, seq, hash, key_version, signature) values ($1, 0, $2, 0, $2) on conflict do nothing`

const ENDS = `c.seq::float8 as seq, c.hash, c.key_version as "keyVersion", c.signature, c.anchor_seq::float8 as "anchorSeq",
  c.anchor_hash as "anchorHash", c.anchor_key_version as "anchorKeyVersion", c.anchor_signature as "anchorSignature"`

/** In one statement: a row that is joined later moves the end, too. */
const CHAIN_WITH_BEYOND = `select ${ENDS}, b.seq::float8 as "beyondSeq", b.id as "beyondId" from audit_chains c
  left join lateral (select e.seq, e.id from audit_log e where e.team_id = $1 and e.seq > c.seq order by e.seq limit 1) b on true
 where c.team_id = $1`

const LOCK_CHAIN = `select ${ENDS} from audit_chains c where c.team_id = $1 for update`

const NEXT = `select ${FIELDS} from audit_log where team_id = $1 and seq is null order by id limit $2`

const JOIN = `update audit_log e set seq = j.seq, hash = j.hash, key_version = $2 from ${ROWS.source} j where e.team_id = $1 and e.id = j.id`

const MOVE_HEAD = 'update audit_chains set seq = $2, hash = $3, key_version = $4, signature = $5 where team_id = $1'

const JOINED = `select ${FIELDS}, seq::float8 as seq, hash, key_version as "keyVersion", details::text as details, salt
  from audit_log where team_id = $1 and seq > $2 and seq <= $3 order by seq limit $4`

/** Old rows before the first young one: the chain begins later, and has no gap. */
const REMOVE = `
with younger as (select min(seq) as seq from (select seq from audit_log where team_id = $1 and id >= $2 order by id limit 1000) y),
old as (
  select id from audit_log where team_id = $1 and seq > $3 and id < $2 and seq < coalesce((select seq from younger), 9223372036854775807)
   order by seq limit $4
)
delete from audit_log e using old where e.team_id = $1 and e.id = old.id returning e.seq::float8 as seq, e.hash`

const ANCHOR = `update audit_chains set anchor_seq = $2, anchor_hash = $3, anchored_at = $4, anchor_key_version = $5, anchor_signature = $6 where team_id = $1`

/** Suppressions by whichever act, of the API, the console or a command; as the index has them. */
const ERASE = `
update audit_log set details = null, salt = null
 where team_id = $1 and details is not null
   and (target_id = any($2::uuid[]) or (target_type = 'suppression' and coalesce(details #>> '{after,email}', details #>> '{before,email}') = any($3::text[])))`
