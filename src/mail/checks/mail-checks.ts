// What was found about a mail before it is sent.

export const CHECK_LEVELS = ['error', 'warning'] as const

/** `error`: it cannot be sent, or cannot work for anyone. `about`: what was found, such as a link. `message`: a sentence, with what to do. */
export type MailCheck = { code: string; level: (typeof CHECK_LEVELS)[number]; about: string | null; message: string }

/** The limit of one answer. */
export const CHECKS_MAX = 50
/** Characters of a link or a name that an answer shows. */
export const ABOUT_LENGTH_MAX = 200

/** How many of a kind a sentence names. */
const EXAMPLES_MAX = 3

type Sentence = (count: number, examples: string) => string
/** `of` tells findings with the same code apart that are not joined. */
export type FindingKind = { code: string; level: MailCheck['level']; of?: string; sentence: Sentence }
type Group = { code: string; level: MailCheck['level']; count: number; examples: string[]; sentence: Sentence }

/** Joins findings of one kind, so that a newsletter with a hundred images without a text has one sentence about them. */
export function createFindings() {
  const groups = new Map<string, Group>()
  return {
    add(kind: FindingKind, example: string): void {
      const key = `${kind.code} ${kind.of ?? ''}`
      const group = groups.get(key) ?? { code: kind.code, level: kind.level, count: 0, examples: [], sentence: kind.sentence }
      groups.set(key, group)
      group.count += 1
      const shown = shortened(example)
      if (shown !== '' && group.examples.length < EXAMPLES_MAX && !group.examples.includes(shown)) group.examples.push(shown)
    },
    list: (): MailCheck[] =>
      [...groups.values()].slice(0, CHECKS_MAX).map(({ code, level, count, examples, sentence }) => ({
        code,
        level,
        about: examples[0] ?? null,
        message: sentence(count, examples.map((example) => `\`${example}\``).join(', ')),
      })),
  }
}

export type Findings = ReturnType<typeof createFindings>

const shortened = (text: string): string => {
  const start = text.slice(0, ABOUT_LENGTH_MAX).replaceAll('`', '').trim().toWellFormed()
  return text.length > ABOUT_LENGTH_MAX ? `${start}…` : start
}

/** Errors first. */
export const inOrder = (checks: readonly MailCheck[]): MailCheck[] => [
  ...checks.filter(({ level }) => level === 'error'),
  ...checks.filter(({ level }) => level === 'warning'),
]
