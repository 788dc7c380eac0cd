// Whether the guard of reputations has paused mail; in SQL, as a part of larger statements.

/** `row`: an alias with `team_id` and `class`. `offset 0`: each is probed, and never all reputations read to look these up. */
export const isPausedByGuard = (row: string): string =>
  `exists (select from team_reputations tr where tr.team_id = ${row}.team_id
     and (tr.status = 'paused' or tr.status = 'bulk_paused' and ${row}.class = 'bulk') offset 0)`
