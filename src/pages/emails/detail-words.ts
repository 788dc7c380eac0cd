import type { InboxAttemptRow } from '../../repositories/emails/captured-emails.ts'
import { isRecord } from '../../schemas/bodies/field-tree.ts'

/** What the detail of a notification says: its sentence first, then codes, types and times by their names. */
export function detailWords(detail: Record<string, unknown>): string {
  const facts = factsOf(detail)
  const named = facts.filter((fact) => !isSentence(fact) && fact[1] !== null).map(([name, value]) => `${name}: ${String(value)}`)
  return [...facts.filter(isSentence).map(([, value]) => String(value)), ...named].join(' · ')
}

/** Its sentence alone; null: it has none. */
export function detailSentence(detail: Record<string, unknown>): string | null {
  const facts = factsOf(detail)
  const sentence = facts.find(isSentence) ?? facts.find(([name]) => name === 'reason')
  return sentence === undefined ? null : String(sentence[1])
}

/** What a server said to one try; empty: nothing. */
export const answerWords = ({ code, enhancedCode, text }: Pick<InboxAttemptRow, 'code' | 'enhancedCode' | 'text'>): string =>
  [code === null ? null : String(code), enhancedCode, text].filter((part) => part !== null).join(' ')

type Fact = readonly [name: string, value: unknown]

const factsOf = (detail: Record<string, unknown>): Fact[] =>
  Object.entries(detail).flatMap(([name, value]): Fact[] => (isRecord(value) ? Object.entries(value) : [[name, value]]))

const isSentence = ([name]: Fact): boolean => name === 'message'
