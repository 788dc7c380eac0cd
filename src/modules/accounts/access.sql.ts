// Whether the credential with which an email was asked for is still valid; in SQL, as a part of larger statements.

/**
 * `column`: the id of an API key, a grant or a person. What a person asked for is sent after they have left, too. `offset 0`: each is probed, and never all of them
 * read to look these up.
 */
export const mayStillSend = (column: string): string =>
  `(exists (select from api_keys k where k.id = ${column} offset 0) or exists (select from oauth_grants g where g.id = ${column} and g.revoked_at is null offset 0) or exists (select from persons p where p.id = ${column} offset 0))`
