import { expect, it } from 'vitest'
import type { BounceSubType, BounceType } from '../../src/mail/bounces/bounce-reason.ts'
import { WEBHOOK_DATA } from '../../src/modules/webhooks/payloads/webhook-payloads.schema.ts'

it('knows every kind of bounce', () => {
  const { type, subType } = WEBHOOK_DATA['email.bounced'].properties.bounce.properties
  const types: Record<BounceType, true> = { Permanent: true, Transient: true, Undetermined: true }
  const subTypes: Record<BounceSubType, true> = {
    ...{ General: true, NoEmail: true, MailboxFull: true, MessageTooLarge: true },
    ...{ ContentRejected: true, AttachmentRejected: true, Undetermined: true },
  }
  expect([type.enum, subType.enum]).toEqual([Object.keys(types), Object.keys(subTypes)])
})
