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

export type LastEvent = RecipientState | 'scheduled' | 'canceled'

/**
 * The `last_event` of an email. It depends on which states there are, never on the order in which they came.
 *
 * @internal for tests: settling computes the same in SQL (repositories/engine/deliveries.ts), and is compared with this.
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
