import { expect, it } from 'vitest'
import { EMAIL_EVENT_TYPES, EMAIL_NOTIFICATIONS, EmailEvent } from '../../../src/modules/emails/email-timeline.schema.ts'

it('an event of an email may have every type that is recorded, and the document says what details each has', () => {
  expect([...EMAIL_EVENT_TYPES].sort()).toEqual(Object.keys(EMAIL_NOTIFICATIONS).sort())
  const { description = '' } = EmailEvent.properties.detail
  const withDetails = EMAIL_EVENT_TYPES.filter((type) => description.includes(`\`${type}\``))
  expect(EMAIL_EVENT_TYPES.filter((type) => !withDetails.includes(type))).toEqual([
    'email.sent',
    'email.delivered',
    'email.canceled',
    'email.unsubscribed',
  ])
})
