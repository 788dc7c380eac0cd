// Whether a team is suspended or deleted, so that nothing of it goes out; in SQL, as a part of larger statements.

/** `team`: the alias of a row of teams. */
export const isStopped = (team: string): string => `(${team}.suspended_at is not null or ${team}.deleted_at is not null)`

/** `column`: the id of a team. `offset 0`: each is probed, and never all of them read to look these up. */
export const isOfStoppedTeam = (column: string): string =>
  `exists (select from teams st where st.id = ${column} and ${isStopped('st')} offset 0)`
