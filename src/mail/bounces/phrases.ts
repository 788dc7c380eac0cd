/**
 * What a refusal is about. `route`: the way to the address. `policy`: the sender, its address or its reputation. `rate`: how much of its mail comes at
 * once, or that it is new. `system`: a server that
 * does not work at the moment.
 */
export type Fault = (typeof FAULTS)[number] | 'unclear'

/** What phrases name. */
export const FAULTS = ['address', 'route', 'policy', 'rate', 'content', 'attachment', 'full', 'size', 'system'] as const

/** The parts of a server's answer. The code is 0 if there is none; the enhanced code is that of RFC 3463. */
export type Answer = { code: number; enhancedCode: string | null; text: string }

// Finds phrases of tables in texts of strangers. Phrases are data, not patterns, so that no text can make the search slow.

/** Phrases in lower case or not; `*` stands for up to sixty characters. */
export type Phrases = readonly string[]

export type FaultTexts = { fault: Fault; phrases: Phrases }

/** The first row wins. */
export function faultOfText(rows: readonly FaultTexts[], text: string): Fault | null {
  const words = plainWords(text.slice(0, ANSWER_LENGTH_MAX))
  return rows.find(({ phrases }) => holdsAny(words, phrases))?.fault ?? null
}

/** Answers have a few lines. */
export const ANSWER_LENGTH_MAX = 4096

/** Whether a text that `plainWords` prepared holds one of the phrases. */
export const holdsAny = (words: string, phrases: Phrases): boolean => phrases.some((phrase) => holds(words, partsOf(phrase)))

/**
 * One form for all ways to write the same words: lower case, no accents, plain apostrophes, one space between words and around the whole. Names
 * say nothing, such as `user-unknown@spam.example`: addresses become `@`, links `url` and hosts `host`, unless they name a blocklist.
 */
export function plainWords(text: string): string {
  return ` ${folded(text.slice(0, WORDS_LENGTH_MAX))
    .split(/\s+/)
    .map((word) => withoutNames(word))
    .join(' ')
    .trim()} `
}

function withoutNames(word: string): string {
  const isLink = word.includes('://')
  if (!isLink && word.includes('@')) return afterAddress(word)
  if (!isLink && !HOST.test(word)) return word
  if (BLOCKLISTS.some((name) => word.includes(name))) return 'blocklist'
  return isLink ? 'url' : 'host'
}

/** Some servers join what they say to the address: `(a@example.com:blocked)`, `a@example.com...User unknown`. */
function afterAddress(word: string): string {
  const end = word.slice(word.lastIndexOf('@')).search(/:|\.\./)
  return end === -1 ? '@' : `@ ${word.slice(word.lastIndexOf('@') + end + 1).replace(/^\.+/, '')}`
}

/** A dot between letters or digits, but not the end of a sentence without a space, nor the names that Exchange and others give to their errors. */
const HOST = /^(?!resolver\.|smtpsend\.|storedrv\.|bulk\.)[^\p{L}\p{N}]{0,2}[a-z0-9-]{1,63}\.[a-z0-9-]{1,63}\.?[a-z]/u

const BLOCKLISTS = [
  'spamhaus',
  'spamcop',
  'spamrats',
  'sorbs',
  'barracudacentral',
  'csi.mimecast',
  'ipcheck.proofpoint',
  'cloudmark',
  'senderbase',
  'senderscore',
  'uceprotect',
  'abuseat',
  'abusix',
  'invaluement',
  'surbl',
  'uribl',
  'dnsbl',
  '.rbl',
  'rbl.',
  'mailspike',
  'spamcannibal',
  'hostkarma',
  'blacklist',
  'blocklist',
]

/** The part of a report before the returned message is shorter. */
const WORDS_LENGTH_MAX = 16 * 1024

const GAP_MAX = 60

const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/ı/g, 'i')
    .replace(/[\u2018\u2019\u00b4`]/g, "'")

const PARTS = new Map<string, readonly string[]>()

function partsOf(phrase: string): readonly string[] {
  const known = PARTS.get(phrase)
  if (known) return known
  const parts = folded(phrase).split(/ ?\* ?/)
  PARTS.set(phrase, parts)
  return parts
}

function holds(words: string, [first = '', ...rest]: readonly string[]): boolean {
  for (let at = words.indexOf(first); at !== -1; at = words.indexOf(first, at + 1)) {
    if (followed(words, at + first.length, rest)) return true
    if (rest.length === 0) return true
  }
  return false
}

/** Whether the parts follow each other from there, each within the gap. */
function followed(words: string, start: number, parts: readonly string[]): boolean {
  let end = start
  for (const part of parts) {
    const at = words.slice(end, end + GAP_MAX + part.length).indexOf(part)
    if (at === -1) return false
    end += at + part.length
  }
  return true
}
