// What people are told about an email as a whole. Its `last_event` is the strongest state, which says nothing about recipients with a worse one.
import { RECIPIENT_STATE_PRECEDENCE } from './email-states.ts'

/** How many recipients are in each state. States without recipients may be absent. */
export type StateCounts = Readonly<Record<string, number>>

export type OutcomeSummary = {
  /** For example `delivered`, or `1 of 2 bounced`. */
  words: string
  /** The state that the words describe. It decides the color, which is good only if all recipients are well. */
  state: string
  /** Each state with its number; null if all recipients are in one. */
  parts: string | null
}

/** @param counts null if the email has one recipient, whose state is the last event. */
export function outcomeSummary(lastEvent: string, counts: StateCounts | null): OutcomeSummary {
  const present = counts === null ? [] : ORDER.filter((state) => (counts[state] ?? 0) > 0)
  if (counts === null || present.length < 2 || OF_THE_WHOLE.has(lastEvent))
    return { words: stateWords(lastEvent), state: lastEvent, parts: null }
  const total = sum(present, counts)
  const parts = present.map((state) => `${counts[state]} ${shortWords(state)}`).join(', ')
  const trouble = TROUBLES.find((state) => present.includes(state))
  if (trouble !== undefined) return { words: `${counts[trouble]} of ${total} ${shortWords(trouble)}`, state: trouble, parts }
  const arrived = sum(
    present.filter((state) => !UNFINISHED.has(state)),
    counts,
  )
  if (arrived > 0 && arrived < total) return { words: `${arrived} of ${total} delivered`, state: 'sent', parts }
  return { words: stateWords(lastEvent), state: lastEvent, parts }
}

export const isTroubled = (state: string): boolean => TROUBLES.some((one) => one === state)

export const stateWords = (state: string): string => state.replaceAll('_', ' ')

const shortWords = (state: string): string => (state === 'delivery_delayed' ? 'delayed' : stateWords(state))

const sum = (states: readonly string[], counts: StateCounts): number => states.reduce((total, state) => total + (counts[state] ?? 0), 0)

/** The worst first. */
const TROUBLES = ['bounced', 'failed', 'complained', 'suppressed', 'delivery_delayed'] as const
const ORDER: readonly string[] = [...TROUBLES, ...RECIPIENT_STATE_PRECEDENCE.filter((state) => !isTroubled(state))]
const UNFINISHED = new Set<string>(['queued', 'sent'])
/** Every recipient of such an email is as it was accepted. */
const OF_THE_WHOLE = new Set(['scheduled', 'canceled'])
