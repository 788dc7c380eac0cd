// Finds what looks like a placeholder and is none: the reader would get it as it is written. Editors encode braces, put tags between them, and
// other programs use two of them.
import { setImmediate } from 'node:timers/promises'
import type { Warning } from '../../lib/header-codes.ts'
import { RESERVED_NAMES } from './contact-placeholders.ts'
import { readPlaceholders } from './placeholders.ts'
import { FILLED_BYTES_MAX } from './rendering.ts'

/** A warning, and the sentence that explains it. */
export type ExplainedWarning = Warning & { message: string }

/** The limit of one answer. */
export const LOOK_ALIKES_MAX = 20

/** `filled`: the text is filled in, so its placeholders are placeholders. Nothing fills in a text that is sent `as_written`. */
export type TextUse = 'filled' | 'as_written'

/** One for each name, in the order of the texts: the first ones. The time is linear, with room for other work in between. */
export async function placeholderLookAlikes(texts: readonly (string | null)[], use: TextUse): Promise<ExplainedWarning[]> {
  const found = new Map<string, ExplainedWarning>()
  let left = SEARCHED_LENGTH_MAX
  for (const text of texts) {
    if (text === null) continue
    const searched = text.slice(0, left)
    left -= searched.length
    const source = use === 'filled' ? withoutPlaceholders(searched) : searched
    for (let start = 0; start < source.length; start += STEP_LENGTH) {
      if (start > 0) await setImmediate()
      // What is cut at the end of a step is whole in it with what is added here, and what is cut at the beginning was found before.
      for (const { name, reason } of lookAlikesIn(source.slice(start, start + STEP_LENGTH + WRITTEN_LENGTH_MAX))) {
        const key = name.toLowerCase()
        if (!found.has(key)) found.set(key, warningAbout(name, reason))
        if (found.size === LOOK_ALIKES_MAX) return [...found.values()]
      }
    }
  }
  return [...found.values()]
}

/** About what emails say once they are filled in, or if nothing fills them in. */
export const contentWarnings = (
  emails: readonly { subject: string; html: string | null; text: string | null }[],
): Promise<ExplainedWarning[]> =>
  placeholderLookAlikes(
    emails.flatMap(({ subject, html, text }) => [subject, html, text]),
    'as_written',
  )

/** The limit for all texts together, in characters. A template that is filled in is never longer. Longer mail is searched up to here. */
export const SEARCHED_LENGTH_MAX = FILLED_BYTES_MAX

/** In characters: less than 10 ms of work even if all of them are braces. */
const STEP_LENGTH = 32 * 1024

/** More than an editor makes of a placeholder with a span for each part. A longer one is text. */
const WRITTEN_LENGTH_MAX = 1_024

/** A placeholder has no longer name either. */
const NAME_LENGTH_MAX = 100

const withoutPlaceholders = (text: string): string =>
  readPlaceholders(text)
    .map((part) => (typeof part === 'string' ? part : EMPTY_BRACES))
    .join('')

/** What stands for a placeholder: it has no name, and keeps the braces around it apart. */
const EMPTY_BRACES = '{}'

const warningAbout = (name: string, reason: Reason): ExplainedWarning => ({
  code: 'placeholder_not_filled',
  about: name.slice(0, ABOUT_LENGTH_MAX),
  message: SENTENCES[reason](name),
})

/** A name in any script then fits into a header. */
const ABOUT_LENGTH_MAX = 50

type Reason = 'encoded' | 'tags' | 'braces' | 'blanks' | 'characters' | 'unfilled'

const SENTENCES: Record<Reason, (name: string) => string> = {
  encoded: (name) =>
    `\`{{{${name}}}}\` is not filled in, because its braces are encoded, as in \`%7B\` or \`&#123;\`: write them as \`{\` and \`}\`.`,
  tags: (name) => `\`{{{${name}}}}\` is not filled in, because there are tags inside its braces: put the tags around it.`,
  braces: (name) => `\`{{${name}}}\` is not filled in, because it has two braces: write \`{{{${asReserved(name)}}}}\`.`,
  blanks: (name) => `\`{{{${name}}}}\` is not filled in, because there are spaces in its name or between its braces: remove them.`,
  characters: (name) =>
    `\`{{{${name}}}}\` is not filled in, because a name has only ASCII letters, digits, underscores and dots: correct the name.`,
  unfilled: (name) => `\`{{{${name}}}}\` is not filled in, because only templates and broadcasts have placeholders.`,
}

/** The names that always stand for something are in upper case. */
const asReserved = (name: string): string => (RESERVED_NAMES.includes(name.toUpperCase()) ? name.toUpperCase() : name)

const OPEN = String.raw`\{|%7[Bb]|&#0{0,6}123;|&#[Xx]0{0,6}7[Bb];|&(?:lcub|lbrace);`
const CLOSE = String.raw`\}|%7[Dd]|&#0{0,6}125;|&#[Xx]0{0,6}7[Dd];|&(?:rcub|rbrace);`
const BRACE = new RegExp(`(${OPEN})|${CLOSE}`, 'g')

/** Braces that stand together, with nothing but blanks and tags between them. */
type Braces = { start: number; end: number; count: number; isEncoded: boolean; hasTags: boolean; hasBlanks: boolean }

type LookAlike = { name: string; reason: Reason }

/** Each brace is looked at once, and so is what stands between two of them. */
function* lookAlikesIn(text: string): Generator<LookAlike> {
  let opened: Braces | null = null
  let closed: Braces | null = null
  for (const { 0: written, 1: opening, index } of text.matchAll(BRACE)) {
    const end = index + written.length
    const brace: Braces = { start: index, end, count: 1, isEncoded: written.length > 1, hasTags: false, hasBlanks: false }
    if (opening === undefined) {
      if (opened === null) continue
      const joined: Braces | null = closed === null ? brace : joinedBraces(text, closed, brace)
      if (joined !== null) closed = joined
      else {
        yield* lookAlikeBetween(text, opened, closed)
        opened = null
        closed = null
      }
      continue
    }
    yield* lookAlikeBetween(text, opened, closed)
    opened = (closed === null && opened !== null && joinedBraces(text, opened, brace)) || brace
    closed = null
  }
  yield* lookAlikeBetween(text, opened, closed)
}

function joinedBraces(text: string, before: Braces, brace: Braces): Braces | null {
  const { end } = before
  if (brace.start - before.start > WRITTEN_LENGTH_MAX) return null
  const between = text.slice(end, brace.start)
  if (between !== '' && !BLANKS_AND_TAGS.test(between)) return null
  return {
    start: before.start,
    end: brace.end,
    count: before.count + 1,
    isEncoded: before.isEncoded || brace.isEncoded,
    hasTags: before.hasTags || between.includes('<'),
    hasBlanks: before.hasBlanks || between !== '',
  }
}

const BLANKS_AND_TAGS = /^(?:\s|&nbsp;|<[^<>]*>)*$/

function lookAlikeBetween(text: string, opened: Braces | null, closed: Braces | null): LookAlike[] {
  if (opened === null || closed === null || closed.end - opened.start > WRITTEN_LENGTH_MAX) return []
  const count = Math.min(opened.count, closed.count)
  if (count < BRACES_MIN) return []
  if (count >= BRACES_OF_PLACEHOLDER) {
    const placeholder = readPlaceholders(text.slice(opened.start, closed.end)).find((part) => typeof part !== 'string')
    if (placeholder) return [{ name: placeholder.name, reason: 'unfilled' }]
  }
  const inside = text.slice(opened.end, closed.start)
  const name = nameIn(inside)
  const isName = count < BRACES_OF_PLACEHOLDER ? WORDS.test(name) : LETTER_OR_DIGIT.test(name)
  if (!isName || name.length > NAME_LENGTH_MAX) return []
  if (opened.isEncoded || closed.isEncoded) return [{ name, reason: 'encoded' }]
  if (opened.hasTags || closed.hasTags || inside.includes('<')) return [{ name, reason: 'tags' }]
  if (count < BRACES_OF_PLACEHOLDER) return [{ name, reason: 'braces' }]
  return [{ name, reason: opened.hasBlanks || closed.hasBlanks || name.includes(' ') ? 'blanks' : 'characters' }]
}

/** Other programs have two braces, ours three. */
const BRACES_MIN = 2
const BRACES_OF_PLACEHOLDER = 3

/** Between two braces, anything else is more likely code. */
const WORDS = /^[A-Za-z_][\w.]*(?:[ -][\w.]+){0,3}$/
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u

/** What the author meant, without tags, encodings and the fallback. */
const nameIn = (inside: string): string =>
  (inside.replace(TAG, '').replace(PERCENT_ENCODED, characterOf).replace(INVISIBLE, '').split('|')[0] ?? '')
    .replace(BLANKS, ' ')
    .replaceAll('`', '')
    .trim()
    .toWellFormed()

const TAG = /<[^<>]*>/g
const PERCENT_ENCODED = /%(?:20|7[Cc])/g
const characterOf = (encoded: string): string => (encoded === '%20' ? ' ' : '|')
const INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]|&shy;/g
const BLANKS = /(?:\s|&nbsp;|&#160;)+/g
