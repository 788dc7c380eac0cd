/** Why an attempt did not deliver, for the process log: the words of the server without the addresses that many of them repeat. */
export const loggedReason = (text: string): string =>
  text
    .replace(QUOTED, ADDRESS)
    .split(' ')
    .map((word) => (AT.test(word) ? ADDRESS : word))
    .join(' ')
    // Cut after that, because a cut before could remove the `@` of an address.
    .slice(0, REASON_LENGTH_MAX)

const ADDRESS = '[address]'
/** A local part in quotes may hold spaces (RFC 5321, section 4.1.2). */
const QUOTED = /"[^"]*"@\S*/g
const AT = /@|[([]at[)\]]/i

const REASON_LENGTH_MAX = 300
