/** The states of one recipient; the words of the glossary. The strongest comes first: it is the one an email shows for all of its recipients. */
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
 * What an email shows as `last_event`: depends on the states that there are, never on the order in which they came.
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
 * Whether what was reported (`to`) changes the recipient's state (`from`). Reports come late and out of order: a delay that is heard of after
 * the delivery changes nothing, a bounce that the next server sends back later does.
 */
export const advances = (from: RecipientState, to: RecipientState): boolean => SUCCESSORS[from].includes(to)

/** The reader's own acts prove that the message arrived, whatever was believed before. */
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
  // Given up or skipped while an earlier attempt was still open: its outcome is a fact all the same.
  suppressed: [...OUTCOMES, ...READER_ACTS],
  failed: [...OUTCOMES, ...READER_ACTS],
}
