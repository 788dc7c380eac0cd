import { createId } from '../ids.ts'
import type { LaneClass } from './lanes.ts'

export type DeliveryMode = 'capture' | 'relay' | 'direct'

/** The one destination of everything that goes to a relay. No domain is called so: those have a dot. */
export const RELAY_DESTINATION = 'relay'

export type NewDelivery = {
  id: string
  emailId: string
  recipientId: string
  class: LaneClass
  /** Where it goes, as its lane knows it: the recipient's domain, or `relay`. No DNS is needed to tell. */
  destination: string
  dueAt: Date
  /** Due already: goes into its lane at once. */
  isReady: boolean
}

type ForRecipient = {
  recipient: { id: string; emailId: string; address: string }
  dueAt: Date
  now: Date
  delivery: DeliveryMode
  class?: LaneClass
}

/** The work of bringing a message to one recipient. */
export const newDelivery = ({ recipient, dueAt, now, delivery, class: kind = 'transactional' }: ForRecipient): NewDelivery => ({
  id: createId(),
  emailId: recipient.emailId,
  recipientId: recipient.id,
  class: kind,
  destination: delivery === 'relay' ? RELAY_DESTINATION : recipient.address.slice(recipient.address.lastIndexOf('@') + 1),
  dueAt,
  isReady: dueAt.getTime() <= now.getTime(),
})
