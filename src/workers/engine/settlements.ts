// Turns the outcome of a delivery into what is recorded about it.

import { RETRIED_FOR_DAYS, retryWaitMs } from '../../lib/engine/backoff.ts'
import { createId } from '../../lib/ids.ts'
import { advances, RECIPIENT_STATE_PRECEDENCE, type RecipientState } from '../../mail/email-states.ts'
import { bounceReasonOf } from '../../mail/smtp-replies.ts'
import type { AttemptOutcome, ClaimedDelivery, Settlement } from '../../repositories/engine/deliveries.ts'
import type { NewNotification, SendingNotificationType } from '../../schemas/notifications.ts'

/** The outcome of one attempt, whichever way the mail was sent. */
export type Outcome = {
  kind: Extract<AttemptOutcome, 'delivered' | 'delayed' | 'bounced' | 'abandoned'>
  code: number | null
  enhancedCode: string | null
  text: string
  host: string
  tls: string | null
  durationMs: number
  /** Only from the simulator: delivered, then reported as spam. */
  isComplaint?: boolean
}

type Moment = { now: Date; random: () => number }

/** Nothing was tried, and nothing will be. */
export function settlementWithoutAttempt(delivery: ClaimedDelivery, state: 'failed' | 'suppressed', reason: string): Settlement {
  const detail =
    state === 'failed' ? { failed: { reason } } : { suppressed: { message: reason, type: 'Suppressed', reason: 'previous_bounce' } }
  return {
    ...ids(delivery),
    attempt: null,
    state: becomes(state),
    retryAt: null,
    notifications: [notification(delivery, `email.${state}`, detail)],
  }
}

export function settlementOf(delivery: ClaimedDelivery, attemptId: string, outcome: Outcome, { now, random }: Moment): Settlement {
  const { kind, isComplaint = false, ...facts } = outcome
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
        notifications: [delivered, notification(delivery, 'email.complained')],
      }
    }
    case 'bounced':
      return {
        ...settled,
        state: becomes('bounced'),
        retryAt: null,
        notifications: [notification(delivery, 'email.bounced', { bounce: bounceOf(outcome) })],
      }
    case 'delayed': {
      const waitMs = retryWaitMs(delivery.delays + 1, random)
      if (waitMs === null) {
        const bounce = {
          ...bounceOf(outcome),
          type: 'Transient',
          message: `Given up after ${RETRIED_FOR_DAYS} days. The last answer was: ${outcome.text}`,
        }
        return {
          ...settled,
          state: becomes('bounced'),
          retryAt: null,
          notifications: [notification(delivery, 'email.bounced', { bounce })],
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
export const sentNotification = (delivery: ClaimedDelivery): NewNotification => notification(delivery, 'email.sent')

const ids = ({ id, emailId, recipientId }: ClaimedDelivery) => ({ deliveryId: id, emailId, recipientId })

const becomes = (to: RecipientState) => ({ to, from: RECIPIENT_STATE_PRECEDENCE.filter((from) => advances(from, to)) })

/** The fields that bounce notifications have on the wire. */
function bounceOf({ code, enhancedCode, text }: Outcome) {
  const { type, subType } = bounceReasonOf({ code: code ?? 0, enhancedCode, text })
  return { type, subType, message: text, diagnosticCode: [['smtp;', code, enhancedCode, text].filter((part) => part !== null).join(' ')] }
}

const notification = (
  { teamId, emailId, address }: ClaimedDelivery,
  type: SendingNotificationType,
  detail?: Record<string, unknown>,
): NewNotification => ({
  id: createId(),
  teamId,
  type,
  subjectId: emailId,
  data: { to: [address], ...(detail && { detail }) },
})
