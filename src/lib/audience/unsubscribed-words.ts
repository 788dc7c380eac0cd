// The words with which the column `unsubscribed` of a file says who wants no more mail: those that other services export.
const WANTS_NO_MAIL = ['true', 'yes', 'y', 't', '1', 'on', 'x', 'unsubscribed', 'opted_out', 'opt_out']
const STAYS = ['false', 'no', 'n', 'f', '0', 'off', 'subscribed', 'opted_in', 'opt_in']

const SAID = new Map([...WANTS_NO_MAIL.map((word) => [word, true] as const), ...STAYS.map((word) => [word, false] as const)])

/** Ignores case; a space or a hyphen counts as an underscore. Null means an empty cell. Undefined means a word that is not known. */
export function saysUnsubscribed(cell: string): boolean | null | undefined {
  const text = cell.trim().toLowerCase()
  return text === '' ? null : SAID.get(text.replaceAll(/[\s-]+/g, '_'))
}

/** The permitted words, as part of a sentence. */
export const UNSUBSCRIBED_WORDS = `${WANTS_NO_MAIL.slice(0, -1).join(', ')} or ${WANTS_NO_MAIL.at(-1)} for contacts who want no more mail, and ${STAYS.join(', ')} or empty for others`
