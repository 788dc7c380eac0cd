import { createId } from '../../../src/lib/ids.ts'
import type { NewInboundMessage } from '../../../src/repositories/inbound/inbound-messages.ts'
import type { TestService } from '../servers/service.ts'

/** A message that the SMTP server took, with its content stored. */
export async function storeInboundMessage(
  { service: { context } }: TestService,
  { content = 'Subject: Test\r\n\r\n', ...message }: Partial<NewInboundMessage> & { content?: string } = {},
): Promise<NewInboundMessage> {
  const stored: NewInboundMessage = {
    id: createId(context.clock),
    purpose: 'return_path',
    recipientId: null,
    mailFrom: '',
    rcptTo: 'token@send.example.com',
    blobKey: createId(context.clock),
    bytes: Buffer.byteLength(content),
    peer: '192.0.2.1',
    helo: 'mx.example.net',
    tls: 'TLSv1.3',
    receivedAt: context.clock.now(),
    ...message,
  }
  await context.gateways.blobs.put(stored.blobKey, Buffer.from(content))
  await context.repositories.inboundMessages.storeAcrossTeams([stored])
  return stored
}
