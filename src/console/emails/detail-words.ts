import { html, type SafeHtml } from '@remix-run/html-template'
import { isRecord } from '../../lib/validation/field-tree.ts'
import type { CapturedAttemptRow } from '../../modules/emails/captured-emails.repository.ts'

/** The detail of a notification in words: its sentence first, then codes, types and times with their names. */
export function detailWords(detail: Record<string, unknown>): string {
  const facts = factsOf(detail)
  const named = facts.filter((fact) => !isSentence(fact) && !isUnset(fact[1])).map(([name, value]) => `${name}: ${String(value)}`)
  return [...facts.filter(isSentence).map(([, value]) => String(value)), ...named].join(' · ')
}

/** Its sentences alone: what came back, and why; null if it has none. */
export function detailSentence(detail: Record<string, unknown>): string | null {
  const facts = factsOf(detail)
  const sentences = facts.filter(isSentence)
  const shown = sentences.length > 0 ? sentences : facts.filter(([name]) => name === 'reason')
  return shown.length === 0 ? null : shown.map(([, value]) => String(value)).join(' ')
}

/** Which link was followed, from where and with what; and whether a program has probably done it, and which rule says so. */
export function readerActWords({ click, is_machine: isMachine, machine_rule: rule }: Record<string, unknown>): string {
  const facts = isRecord(click) ? [click.link, click.ipAddress, click.userAgent] : []
  const doer = isMachine === true ? `probably by a program${typeof rule === 'string' ? ` (${rule})` : ''}` : 'probably by a person'
  return [...facts.filter(Boolean).map(String), doer].join(' · ')
}

/** Keeps the words of the server apart, so that they do not turn those beside them. */
export const shownAnswer = ({ code, enhancedCode, text }: Pick<CapturedAttemptRow, 'code' | 'enhancedCode' | 'text'>): SafeHtml =>
  html`${code === null ? '' : `${code} `}${enhancedCode === null ? '' : `${enhancedCode} `}${text === null ? '' : html`<bdi>${text}</bdi>`}`

/** The reply of a server to one attempt; empty if there was none. */
export const answerWords = ({ code, enhancedCode, text }: Pick<CapturedAttemptRow, 'code' | 'enhancedCode' | 'text'>): string =>
  [code === null ? null : String(code), enhancedCode, text].filter((part) => part !== null).join(' ')

type Fact = readonly [name: string, value: unknown]

const factsOf = (detail: Record<string, unknown>): Fact[] =>
  Object.entries(detail).flatMap(([name, value]): Fact[] => (isRecord(value) ? Object.entries(value) : [[name, value]]))

const isUnset = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0)

const isSentence = ([name]: Fact): boolean => name === 'message'
