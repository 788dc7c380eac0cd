/**
 * SQL: the recipients with an address in lower case, in the form in which their index finds them.
 *
 * @param address SQL for the address
 */
export const isTo = (address: string): string =>
  `hashtextextended(lower(address), 0) = hashtextextended(${address}, 0) and lower(address) = ${address}`

/** The order in which an index has the mail of a team to an address. */
export const NEWEST_OF_TEAM = 'team_id desc, id desc'
export const OLDEST_OF_TEAM = 'team_id, id'

/**
 * SQL: the recipients of a team with an address in lower case. Without an equality of the team, in `NEWEST_OF_TEAM`, only that index has their order.
 * With one, PostgreSQL may walk along all newer recipients of everyone.
 *
 * @param from SQL for the first id
 * @param before SQL for the first id that is too late
 */
export const isOfTeamTo = ({ team, address, from, before }: { team: string; address: string; from: string; before: string }): string =>
  `${isTo(address)} and (team_id, id) >= (${team}, ${from}) and (team_id, id) < (${team}, ${before})`

/** Patterns of SQL's `like` for the senders of a domain, which is in lower case: an address alone, or in angle brackets after a name. */
export const sendersOfDomain = (domain: string): string[] => [`%@${escaped(domain)}`, `%@${escaped(domain)}>`]

/** A text within a pattern of `like`, in which it stands for itself alone. */
export const escaped = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
