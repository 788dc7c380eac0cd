// The spans of the deliveries that this worker has in progress: one for all that is done about a delivery, and in it one for the attempt.
import type { OpenSpan, SpanAttributes, Tracing } from '../../lib/tracing.ts'
import type { OutgoingEmail } from '../../repositories/emails/outgoing-emails.ts'
import type { ClaimedDelivery, Settlement } from '../../repositories/engine/deliveries.ts'
import type { Outcome } from './settlements.ts'

export type DeliveryTraces = {
  /** Continues the traces in which these emails were accepted. */
  begin(part: ClaimedDelivery[], emails: Map<string, OutgoingEmail>): void
  /** Null if the delivery has no span. */
  beginAttempt(delivery: ClaimedDelivery): OpenSpan | null
  settle(delivery: ClaimedDelivery, settlement: Settlement): void
  /** The work on this delivery has ended. Without an outcome, it was given back. */
  end(delivery: ClaimedDelivery): void
}

export function createDeliveryTraces(tracing: Tracing): DeliveryTraces {
  const open = new Map<string, { span: OpenSpan; outcome: string }>()
  return {
    begin(part, emails) {
      for (const delivery of part) {
        const traceparent = emails.get(delivery.emailId)?.traceparent ?? null
        const span = tracing.begin('deliver email', { kind: 'consumer', traceparent, attributes: idsOf(delivery) })
        open.set(delivery.id, { span, outcome: 'released' })
      }
    },
    beginAttempt(delivery) {
      const attributes = { 'network.protocol.name': 'smtp', 'posthaste.attempt': delivery.attemptCount + 1 }
      return open.get(delivery.id)?.span.child('attempt delivery', { kind: 'client', attributes }) ?? null
    },
    settle({ id }, { attempt, state }) {
      const known = open.get(id)
      if (known) known.outcome = attempt?.outcome ?? state?.to ?? known.outcome
    },
    end({ id }) {
      const known = open.get(id)
      open.delete(id)
      known?.span.end({ attributes: { 'posthaste.outcome': known.outcome } })
    },
  }
}

/** The words of the server are left out: they often name the recipient. */
export const endOfAttempt = ({ kind, code, enhancedCode, host, tls }: Outcome) => ({
  isError: kind !== 'delivered',
  attributes: {
    'server.address': host,
    'posthaste.outcome': kind,
    ...(code !== null && { 'posthaste.smtp.reply_code': code }),
    ...(enhancedCode !== null && { 'posthaste.smtp.enhanced_code': enhancedCode }),
    ...(tls !== null && { 'tls.protocol.version': tls }),
  },
})

const idsOf = ({ id, emailId, teamId, class: kind }: ClaimedDelivery): SpanAttributes => ({
  'posthaste.email.id': emailId,
  'posthaste.recipient.id': id,
  'posthaste.team.id': teamId,
  'posthaste.class': kind,
})
