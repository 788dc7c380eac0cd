// Which teams have something to do; in SQL, because one probe of an index finds that for each, however much it has. Crosses teams: for workers.

/** What a team gets of a batch. */
export type TeamShare = { teamId: string; count: number }

/** Teams in order. `lookOnAfter`: the last one that was looked at; null at the end. */
export type TeamsWithWork = { teamIds: string[]; lookOnAfter: string | null }

/** Teams that one look goes through. The next one continues after the last. */
const TEAMS_MAX = 500

/**
 * SQL for a loose index scan, from one team straight to the next. $1: the team after which it begins.
 *
 * @param rows of the table, all that the index has
 * @param first what the first row of a team must be, so that the team has work
 */
export const teamsOf = (table: string, { rows, order, first }: { rows: string; order: string; first: string }): string => `
with recursive team as (
  (select team_id, 1 as place from ${table} where ${rows} and team_id > $1 order by team_id limit 1)
  union all
  select next.team_id, team.place + 1 from team cross join lateral (
    select t.team_id from ${table} t where ${rows} and t.team_id > team.team_id order by t.team_id limit 1
  ) next where team.place < ${TEAMS_MAX}
)
select team.team_id as "teamId", f.has_work as "hasWork" from team cross join lateral (
  select ${first} as has_work from ${table} t where ${rows} and ${isOfTeam('t', 'team.team_id')} order by t.team_id, ${order} limit 1
) f order by team.team_id`

/**
 * A range instead of an equality, and then the order begins with the team: only the index of teams has that order. Where one team has nearly all rows,
 * the index of all rows looks as good, and is read through for a team that has few.
 */
export const isOfTeam = (row: string, teamId: string): string => `${row}.team_id >= ${teamId} and ${row}.team_id <= ${teamId}`

export type LookedAt = { teamId: string; hasWork: boolean }

export const toTeamsWithWork = (rows: LookedAt[]): TeamsWithWork => ({
  teamIds: rows.filter(({ hasWork }) => hasWork).map(({ teamId }) => teamId),
  lookOnAfter: rows.length === TEAMS_MAX ? (rows.at(-1)?.teamId ?? null) : null,
})
