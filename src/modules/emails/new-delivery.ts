import type { DeliveryMode } from '../../config/sending.ts'
import { mailDomain } from '../../mail/addresses.ts'

/** The only destination of mail that goes to a relay. It cannot be a domain, because domains have a dot. */
export const RELAY_DESTINATION = 'relay'

export type NewDelivery = {
  /** That of its recipient, who has at most one. */
  id: string
  emailId: string
  class: LaneClass
  /** The destination that its lane has: the recipient's domain, or `relay`. It is known without DNS. */
  destination: string
  dueAt: Date
  /** Whether it is due already, and enters its lane at once. */
  isReady: boolean
}

type ForRecipient = {
  recipient: { id: string; emailId: string; address: string }
  dueAt: Date
  now: Date
  delivery: DeliveryMode
  class?: LaneClass
}

/** The work of delivering a message to one recipient. */
export const newDelivery = ({ recipient, dueAt, now, delivery, class: kind = 'transactional' }: ForRecipient): NewDelivery => ({
  id: recipient.id,
  emailId: recipient.emailId,
  class: kind,
  destination: delivery === 'relay' ? RELAY_DESTINATION : recipient.address.slice(recipient.address.lastIndexOf('@') + 1),
  dueAt,
  isReady: dueAt.getTime() <= now.getTime(),
})

/** The destination of the queue that someone names, as lanes have it: a domain, or `relay`. Null if the text is neither. */
export function destinationNamed(text: string): string | null {
  const typed = text.trim()
  if (typed.toLowerCase() === RELAY_DESTINATION) return RELAY_DESTINATION
  const domain = mailDomain(typed)
  return typeof domain === 'string' ? domain : null
}

/** What people wait for comes first. */
export const LANE_CLASSES = ['transactional', 'bulk'] as const

export type LaneClass = (typeof LANE_CLASSES)[number]

/**
 * What a delivery may be: `held` is one of a broadcast that rests.
 *
 * @public only SQL holds and releases deliveries
 */
export const DELIVERY_CLASSES = [...LANE_CLASSES, 'held'] as const
