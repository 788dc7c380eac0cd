// Mail whose attempts have ended, without a server.
import { createId } from '../../../src/lib/ids.ts'
import { settlementOf } from '../../../src/workers/engine/settlements.ts'
import type { TestService } from '../servers/service.ts'
import { claimAndBegin, outcome, sendEmail } from './engine.ts'

export type SentMail = { emailId: string; recipientId: string; address: string; messageId: string; returnPath: string }

type Sending = { kind?: 'delivered' | 'delayed'; token?: string }

/** Sends an email, and records the same outcome for each recipient. Returns those in the order of their addresses. */
export async function sentToAll(
  service: TestService,
  fields: Record<string, unknown> = {},
  { kind = 'delivered', token }: Sending = {},
): Promise<SentMail[]> {
  const { clock, repositories, returnPathTokens } = service.service.context
  const emailId = await sendEmail(service, fields, token)
  const workerId = createId()
  const begun = (await claimAndBegin(service, workerId, clock.now())).filter(({ delivery }) => delivery.emailId === emailId)
  const moment = { now: clock.now(), random: () => 0.5 }
  const settlements = begun.map(({ delivery, attemptId }) => settlementOf(delivery, attemptId, outcome(kind), moment))
  await repositories.deliveries.settle(workerId, settlements, clock.now())
  return begun
    .map(({ delivery: { id: recipientId, address } }) => ({
      emailId,
      recipientId,
      address,
      messageId: `<${emailId}@example.com>`,
      returnPath: `${returnPathTokens.create(recipientId)}@send.example.com`,
    }))
    .toSorted((a, b) => a.address.localeCompare(b.address))
}

export async function sentToOne(service: TestService, fields: Record<string, unknown> = {}, sending: Sending = {}): Promise<SentMail> {
  const [one] = await sentToAll(service, fields, sending)
  if (!one) throw new Error('Nothing was sent')
  return one
}
