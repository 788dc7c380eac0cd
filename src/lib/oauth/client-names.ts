// What a program may call itself: one line of text that shows what it is, and that cannot be read as our name or that of another.
import leven from 'leven'
import { isVisible } from '../visible-text.ts'

export const CLIENT_NAME_LENGTH_MAX = 200
const OURS = 'posthaste'
/** Characters that reorder what stands beside them, or that begin a new line. */
const MISLEADING = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u
/** Characters that are not seen. Joiners of scripts that need them, and pictures, are judged by what stands beside them. */
const UNSEEN = /[[\p{Cf}\p{Default_Ignorable_Code_Point}]--[\u200c\u200d\ufe0f]]/v
const JOINED_FOR_NOTHING =
  /(?:^|[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{Nd}\s])[\u200c\u200d]|[\u200c\u200d](?:[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{Nd}\s]|$)/u
/** Scripts with letters that look like those of another (UTS 39, section 5): a word has those of one. */
const ALIKE = [/\p{sc=Latin}/u, /\p{sc=Greek}/u, /\p{sc=Cyrillic}/u, /\p{sc=Armenian}/u, /\p{sc=Cherokee}/u]

/** For each letter of our name, what looks like it in lower case (confusables of UTS 39), and the digits that stand for it. */
const LOOK_ALIKES: Record<string, string> = {
  p: 'рρƿþᴘⲣꮲ',
  o: 'оο0ᴏօσөⲟøº°',
  s: 'ѕꜱ5$ʂƽꮪ§',
  t: 'тτ7ᴛŧƫⲧꭲ+†',
  h: 'һհнηʜħⲏꮋ',
  a: 'аαɑ4@ᴀⲁꭺ',
  e: 'еεєэҽɛ3ᴇ℮ꭼⲉ',
}
const LETTER_OF = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([letter, alike]) => [...alike].map((each): [string, string] => [each, letter])),
)

/** What is wrong with a name, as a sentence; null: nothing. */
export function clientNameProblem(name: unknown): string | null {
  if (typeof name !== 'string' || name === '') return 'Missing `client_name`.'
  if (name.length > CLIENT_NAME_LENGTH_MAX) return `\`client_name\` must have at most ${CLIENT_NAME_LENGTH_MAX} characters.`
  if (MISLEADING.test(name) || UNSEEN.test(name) || JOINED_FOR_NOTHING.test(name) || !isVisible(name) || !name.isWellFormed())
    return '`client_name` must be one line of visible text.'
  if (wordsOf(name).some((word) => ALIKE.filter((script) => script.test(word)).length > 1))
    return '`client_name` must not mix scripts in a word whose letters look alike.'
  return isLikeOurs(name) ? '`client_name` must not contain the name of this service, or look like it.' : null
}

/** Signs in between and one other letter do not make another name. */
function isLikeOurs(name: string): boolean {
  const words = name.normalize('NFKD').toLowerCase().split(/\s+/u).map(plain)
  const whole = words.join('')
  return whole.includes(OURS) || [...words, whole].some((word) => leven(word, OURS) <= 1)
}

const plain = (word: string): string =>
  [...word]
    .map((letter) => LETTER_OF.get(letter) ?? letter)
    .join('')
    .replace(/[^\p{L}]/gu, '')

const wordsOf = (name: string): string[] => name.match(/[\p{L}\p{M}]+/gu) ?? []
