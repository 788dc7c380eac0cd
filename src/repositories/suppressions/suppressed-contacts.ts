// Whether contacts are on the suppression list; in SQL, as a part of statements that judge thousands of them.

/**
 * The `origin` of the entry of contact `c`, which each entry has. In another collation than their own, the addresses of the list have no index, and those of
 * contacts have one by character. `offset 0` keeps it a probe for each contact, because a batch is small compared with the list.
 */
export const SUPPRESSION_OF_CONTACT =
  '(select s.origin from suppressions s where s.team_id = c.team_id and s.email = c.email collate "default" offset 0)'
