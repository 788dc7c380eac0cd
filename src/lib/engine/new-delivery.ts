import type { LaneClass } from './lanes.ts'

export type DeliveryMode = 'capture' | 'relay' | 'direct'

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
