// Turns the outcome of a delivery into what is recorded about it.

import { createId } from '../../../lib/ids.ts'
import type { NewNotification } from '../../../lib/notifications.ts'
import { contactForm } from '../../../mail/address-forms.ts'
import { classifyBounce } from '../../../mail/bounces/bounce-reason.ts'
import { bounceCountedAs } from '../../emails/counted-as.ts'
import { advances, RECIPIENT_STATE_PRECEDENCE, type RecipientState } from '../../emails/email-states.ts'
import type { CountedAs, SendingNotificationType } from '../../emails/email-timeline.schema.ts'
import { isSoftBounce } from '../../suppressions/soft-bounces.ts'
import type { NewSuppression } from '../../suppressions/suppression-changes.repository.ts'
import type { AttemptOutcome, ClaimedDelivery, Settlement } from '../queue/deliveries.repository.ts'
import { RETRIED_FOR_DAYS, retryWaitMs } from '../retry-schedule.ts'
import type { Suppressed } from './refusals.ts'

/** The outcome of one attempt, whichever way the mail was sent. */
export type Outcome = {
  kind: Extract<AttemptOutcome, 'delivered' | 'delayed' | 'bounced' | 'abandoned'>
  code: number | null
  enhancedCode: string | null
  text: string
  host: string
  tls: string | null
  durationMs: number
  /**
   * The server of the recipient's domain refused the recipient or the message. Absent if the network, the DNS or a relay failed, which says nothing
   * about the address however long it lasts.
   */
  isRefusalByRecipient?: boolean
  /** The simulator's addresses are never suppressed. */
  isSimulated?: boolean
  /** Only from the simulator: delivered, then reported as spam. */
  isComplaint?: boolean
  /** Only from the simulator: what the reader does once the mail is delivered. */
  readerEvents?: readonly ('open' | 'click')[]
}

type SettlementOptions = { now: Date; random: () => number }

/** Nothing was tried, and nothing will be. */
export const failedWithoutAttempt = (delivery: ClaimedDelivery, reason: string): Settlement =>
  withoutAttempt(delivery, 'failed', { failed: { reason } })

/** Settles a delivery whose address is suppressed, without an attempt. */
export const suppressedWithoutAttempt = (delivery: ClaimedDelivery, suppressed: Suppressed): Settlement =>
  withoutAttempt(delivery, 'suppressed', { suppressed })

const withoutAttempt = (delivery: ClaimedDelivery, state: 'failed' | 'suppressed', detail: Record<string, unknown>): Settlement => ({
  ...ids(delivery),
  attempt: null,
  state: becomes(state),
  retryAt: null,
  notifications: [notification(delivery, `email.${state}`, detail)],
})

export function toSettlement(
  delivery: ClaimedDelivery,
  attemptId: string,
  outcome: Outcome,
  { now, random }: SettlementOptions,
): Settlement {
  const { kind, isComplaint = false, isSimulated = false, isRefusalByRecipient = false, readerEvents: _, ...facts } = outcome
  const settled = { ...ids(delivery), attempt: { id: attemptId, outcome: kind, ...facts } }
  switch (kind) {
    case 'abandoned':
      return { ...settled, state: null, retryAt: now, notifications: [] }
    case 'delivered': {
      const delivered = notification(delivery, 'email.delivered')
      if (!isComplaint) return { ...settled, state: becomes('delivered'), retryAt: null, notifications: [delivered] }
      return {
        ...settled,
        state: becomes('complained'),
        retryAt: null,
        notifications: [delivered, notification(delivery, 'email.complained', { complaint: { type: 'abuse' } }, 'simulated')],
      }
    }
    case 'bounced': {
      const { isAddressFault, isSenderFault, ...bounce } = bounceDetail(outcome)
      const bounced = {
        ...settled,
        state: becomes('bounced'),
        retryAt: null,
        notifications: [
          notification(delivery, 'email.bounced', { bounce }, bounceCountedAs({ isAddressFault, isSimulated, text: outcome.text })),
        ],
        isSoftBounce: isRefusalByRecipient && isSoftBounce({ ...bounce, isSenderFault }),
      }
      return isAddressFault && !isSimulated ? { ...bounced, suppression: suppressionAfterBounce(delivery) } : bounced
    }
    case 'delayed': {
      const waitMs = retryWaitMs(delivery.delays + 1, random)
      if (waitMs === null) {
        const { subType, diagnosticCode, isSenderFault } = bounceDetail(outcome)
        const bounce = {
          type: 'Transient' as const,
          subType,
          diagnosticCode,
          message: `Given up after ${RETRIED_FOR_DAYS} days. The last answer was: ${outcome.text}`,
        }
        return {
          ...settled,
          state: becomes('bounced'),
          retryAt: null,
          notifications: [notification(delivery, 'email.bounced', { bounce })],
          isSoftBounce: isRefusalByRecipient && isSoftBounce({ ...bounce, isSenderFault }),
        }
      }
      return {
        ...settled,
        state: becomes('delivery_delayed'),
        retryAt: new Date(now.getTime() + waitMs),
        notifications: [
          notification(delivery, 'email.delivery_delayed', {
            message: outcome.text,
            code: outcome.code,
            enhanced_code: outcome.enhancedCode,
          }),
        ],
      }
    }
  }
}

/** The notification of the first attempt. */
export const sentNotification = (delivery: ClaimedDelivery, { isSimulated = false } = {}): NewNotification =>
  notification(delivery, 'email.sent', undefined, isSimulated ? 'simulated' : null)

const suppressionAfterBounce = ({ teamId, emailId, address }: ClaimedDelivery): NewSuppression => ({
  teamId,
  email: contactForm(address),
  origin: 'bounce',
  sourceId: emailId,
})

const ids = ({ id, emailId }: ClaimedDelivery) => ({ deliveryId: id, emailId })

const becomes = (to: RecipientState) => ({ to, from: RECIPIENT_STATE_PRECEDENCE.filter((from) => advances(from, to)) })

/** The fields that bounce notifications have on the wire, and whose fault it is. */
function bounceDetail({ code, enhancedCode, text }: Outcome) {
  const diagnosticCode = ['smtp;', code, enhancedCode, text].filter((part) => part !== null).join(' ')
  return { ...classifyBounce({ code: code ?? 0, enhancedCode, text }), message: text, diagnosticCode: [diagnosticCode] }
}

const notification = (
  { teamId, emailId, address }: ClaimedDelivery,
  type: SendingNotificationType,
  detail?: Record<string, unknown>,
  countedAs: CountedAs | null = null,
): NewNotification => ({
  id: createId(),
  teamId,
  type,
  subjectId: emailId,
  data: { to: [address], ...(detail && { detail }), ...(countedAs && { countedAs }) },
})
