/** The states of one recipient. The strongest comes first: an email with several recipients shows that one. */
export const RECIPIENT_STATE_PRECEDENCE = [
  'complained',
  'clicked',
  'opened',
  'delivered',
  'delivery_delayed',
  'sent',
  'queued',
  'bounced',
  'suppressed',
  'failed',
] as const

export type RecipientState = (typeof RECIPIENT_STATE_PRECEDENCE)[number]

/** The states of the whole email: waiting for its time, given to the engine, or canceled before that. */
export const WHOLE_STATES = ['scheduled', 'queued', 'canceled'] as const

export type WholeState = (typeof WHOLE_STATES)[number]

export const LAST_EVENTS = [...RECIPIENT_STATE_PRECEDENCE, 'scheduled', 'canceled'] as const

export type LastEvent = (typeof LAST_EVENTS)[number]

/**
 * The `last_event` of an email. It depends on which states there are, never on the order in which they came.
 *
 * @internal for tests: settling computes the same in SQL (modules/delivery/queue/deliveries.repository.ts), and is compared with this.
 */
export function lastEventOf({
  wholeState,
  recipientStates,
}: {
  wholeState: WholeState
  recipientStates: Iterable<RecipientState>
}): LastEvent {
  if (wholeState !== 'queued') return wholeState
  const present = new Set(recipientStates)
  return RECIPIENT_STATE_PRECEDENCE.find((state) => present.has(state)) ?? 'queued'
}

/**
 * Whether a report (`to`) changes the recipient's state (`from`). Reports come late and out of order: a delay that is reported after the delivery
 * changes nothing, but a bounce that the next server sends back later does.
 */
export const advances = (from: RecipientState, to: RecipientState): boolean => SUCCESSORS[from].includes(to)

/** What decides between a bounce and an open or click, because a program may have opened or clicked. */
export type Reading = {
  /** A person has opened the email, or followed a link of it. */
  isRead: boolean
  /** What is reported was done by a program. */
  isMachine: boolean
}

/**
 * Says whether a report after the delivery changes the state. Programs load what mail holds before the mailbox is found to be missing, or while
 * the server has not answered yet: that proves nothing.
 */
export function advancesAfterDelivery(from: RecipientState, to: RecipientState, { isRead, isMachine }: Reading): boolean {
  if (to === 'bounced' && (from === 'opened' || from === 'clicked')) return !isRead
  if (isMachine && !ACCEPTED.includes(from)) return false
  return advances(from, to)
}

/** The server of the recipient has accepted the message. */
const ACCEPTED: readonly RecipientState[] = ['delivered', 'opened', 'clicked', 'complained']

/** Acts of the reader prove that the message arrived, whatever was recorded before. */
const READER_ACTS = ['opened', 'clicked', 'complained'] as const

const OUTCOMES = ['delivered', 'bounced'] as const

const SUCCESSORS: Record<RecipientState, readonly RecipientState[]> = {
  queued: ['sent', 'delivery_delayed', 'suppressed', 'failed', ...OUTCOMES, ...READER_ACTS],
  sent: ['delivery_delayed', 'suppressed', 'failed', ...OUTCOMES, ...READER_ACTS],
  delivery_delayed: ['suppressed', 'failed', ...OUTCOMES, ...READER_ACTS],
  delivered: ['bounced', ...READER_ACTS],
  opened: ['clicked', 'complained'],
  clicked: ['complained'],
  complained: [],
  bounced: READER_ACTS,
  // The recipient was given up or skipped while an earlier attempt was still open. The outcome of that attempt is a fact nevertheless.
  suppressed: [...OUTCOMES, ...READER_ACTS],
  failed: [...OUTCOMES, ...READER_ACTS],
}

// What people are told about an email as a whole. Its `last_event` is the strongest state, which says nothing about recipients with a worse one.

/** How many recipients are in each state. States without recipients may be absent. */
export type StateCounts = Readonly<Record<string, number>>

export type OutcomeSummary = {
  /** For example `delivered`, or `1 of 2 bounced`. */
  label: string
  /** The state that the words describe. It decides the color, which is good only if all recipients are well. */
  state: string
  /** Each state with its number; null if all recipients are in one. */
  parts: string | null
}

/** @param counts null if the email has one recipient, whose state is the last event. */
export function outcomeSummary(lastEvent: string, counts: StateCounts | null): OutcomeSummary {
  const present = counts === null ? [] : ORDER.filter((state) => (counts[state] ?? 0) > 0)
  if (counts === null || present.length < 2 || OF_THE_WHOLE.has(lastEvent))
    return { label: stateLabel(lastEvent), state: lastEvent, parts: null }
  const total = sum(present, counts)
  const parts = present.map((state) => `${counts[state]} ${shortLabel(state)}`).join(', ')
  const trouble = TROUBLES.find((state) => present.includes(state))
  if (trouble !== undefined) return { label: `${counts[trouble]} of ${total} ${shortLabel(trouble)}`, state: trouble, parts }
  const arrived = sum(
    present.filter((state) => !UNFINISHED.has(state)),
    counts,
  )
  if (arrived > 0 && arrived < total) return { label: `${arrived} of ${total} delivered`, state: 'sent', parts }
  return { label: stateLabel(lastEvent), state: lastEvent, parts }
}

export const isTroubled = (state: string): boolean => TROUBLES.some((one) => one === state)

export const stateLabel = (state: string): string => state.replaceAll('_', ' ')

const shortLabel = (state: string): string => (state === 'delivery_delayed' ? 'delayed' : stateLabel(state))

const sum = (states: readonly string[], counts: StateCounts): number => states.reduce((total, state) => total + (counts[state] ?? 0), 0)

/** The worst first. */
const TROUBLES = ['bounced', 'failed', 'complained', 'suppressed', 'delivery_delayed'] as const
const ORDER: readonly string[] = [...TROUBLES, ...RECIPIENT_STATE_PRECEDENCE.filter((state) => !isTroubled(state))]
const UNFINISHED = new Set<string>(['queued', 'sent'])
/** Every recipient of such an email is as it was accepted. */
const OF_THE_WHOLE = new Set(['scheduled', 'canceled'])
