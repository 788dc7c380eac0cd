// Whether contacts are on the suppression list; in SQL, as a part of statements that judge thousands of them.

/**
 * The entry of the list for contact `c`: no row, or one with its `origin`. Addresses of contacts are ordered by character. Compared as they are, those of
 * the list would be too, for which they have no index, so all entries of the team would be read for each contact.
 */
export const SUPPRESSION_OF_CONTACT =
  '(select s.origin from suppressions s where s.team_id = c.team_id and s.email = c.email collate "default")'
