import { createId } from '../../../src/lib/ids.ts'
import type { NewInboundMessage } from '../../../src/modules/inbound/inbound-messages.repository.ts'
import type { NewReceivedEmail } from '../../../src/modules/inbound/received.repository.ts'
import { readReceived } from '../../../src/modules/inbound/received.worker.ts'
import { until } from '../clocks/until.ts'
import type { TestService } from '../servers/service.ts'

/** A message with text, HTML, an inline image and a file. */
export const RECEIVED_MESSAGE = [
  'Received: from mx.example.net by mail.example.com for <support@example.com>; Fri, 20 Nov 2026 09:30:00 +0000',
  'From: Ada Lovelace <ada@example.org>',
  'To: Support <support@example.com>, other@example.net',
  'Cc: copy@example.net',
  'Reply-To: answers@example.org',
  'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
  'Message-ID: <one@example.org>',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=outer',
  '',
  '--outer',
  'Content-Type: multipart/related; boundary=inner',
  '',
  '--inner',
  'Content-Type: multipart/alternative; boundary=both',
  '',
  '--both',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'Hello',
  '--both',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>Hello <img src="cid:logo@example.org"></p>',
  '--both--',
  '--inner',
  'Content-Type: image/png',
  'Content-ID: <logo@example.org>',
  'Content-Disposition: inline; filename=logo.png',
  'Content-Transfer-Encoding: base64',
  '',
  'aW1hZ2U=',
  '--inner--',
  '--outer',
  'Content-Type: application/pdf',
  'Content-Disposition: attachment; filename="invoice.pdf"',
  'Content-Transfer-Encoding: base64',
  '',
  'ZmlsZQ==',
  '--outer--',
  '',
].join('\r\n')

/** A message for the team of the service that the SMTP server took, with its content stored. */
export async function storeReceived(
  { service: { context }, teamId }: Pick<TestService, 'service' | 'teamId'>,
  { content = RECEIVED_MESSAGE, ...email }: Partial<NewReceivedEmail> & { content?: string | Buffer } = {},
): Promise<NewReceivedEmail> {
  const stored: NewReceivedEmail = {
    id: createId(context.clock),
    teamId,
    mailFrom: 'ada@example.org',
    rcptTo: ['support@example.com'],
    blobKey: createId(context.clock),
    bytes: Buffer.byteLength(content),
    peer: '127.0.0.1',
    helo: 'localhost',
    tls: null,
    createdAt: context.clock.now(),
    filter: null,
    ...email,
  }
  await context.gateways.blobs.put(stored.blobKey, Buffer.from(content))
  await context.repositories.inboundMessages.storeAcrossTeams([], [stored])
  return stored
}

/** Stores a received email and reads it. Returns its id. */
export async function receiveEmail(service: TestService, email: Parameters<typeof storeReceived>[1] = {}): Promise<string> {
  const { id } = await storeReceived(service, email)
  await readReceived(service.service.context)
  // A worker of the service may have taken it before.
  await until(async () => {
    const [row] = await service.database.execute<{ state: string }>('select state from received_emails where id = $1', [id])
    if (row?.state === 'waiting') throw new Error('The email was not read')
  })
  return id
}

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
