/** Why an attempt did not deliver, for the log of the process: the words of the server without the addresses that many of them repeat. */
export const loggedReason = (text: string): string =>
  text
    .slice(0, REASON_LENGTH_MAX)
    .split(' ')
    .map((word) => (word.includes('@') ? '[address]' : word))
    .join(' ')

const REASON_LENGTH_MAX = 300
