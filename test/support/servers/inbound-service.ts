// A service that receives mail by SMTP, on a free port of loopback.
import { createId } from '../../../src/lib/ids.ts'
import { emailInput } from '../builders/email-builders.ts'
import { openSmtpClient, type SmtpClient } from '../clients/smtp-client.ts'
import { startTestService, type TestService, type TestServiceOptions } from './service.ts'

export type InboundService = TestService & {
  inboundPort: number
  connect(options?: { localAddress?: string }): Promise<SmtpClient>
  /** The return path of a recipient of an email that was accepted. */
  newReturnPath(): Promise<{ address: string; recipientId: string }>
  /** What was stored, oldest first, with its content. */
  stored(): Promise<Record<string, unknown>[]>
  /** Removes what was stored. */
  forget(): Promise<void>
}

export const MAIL_HOSTNAME = 'mail.example.com'

export async function startInboundService(options: TestServiceOptions = {}): Promise<InboundService> {
  const environment = { ROLES: 'api,inbound', MAIL_HOSTNAME, ...options.environment }
  const service = await startTestService({ ...options, environment })
  const { context, inbound } = service.service
  const inboundPort = (await inbound?.listen({ host: '127.0.0.1', port: 0 })) ?? 0
  const clients: SmtpClient[] = []

  return {
    ...service,
    inboundPort,
    async connect(how) {
      const client = await openSmtpClient(inboundPort, how)
      clients.push(client)
      return client
    },
    async newReturnPath() {
      const { body } = await service.call('POST', '/emails', { body: emailInput() })
      const [row] = await service.database.execute<{ id: string }>('select id from recipients where email_id = $1', [
        (body as { id: string }).id,
      ])
      const recipientId = row?.id ?? createId()
      return { address: `${context.returnPathTokens.create(recipientId)}@send.example.com`, recipientId }
    },
    async stored() {
      const rows = await service.database.execute('select * from inbound_messages order by id')
      return Promise.all(rows.map(async (row) => ({ ...row, content: await contentOf(String(row.blob_key)) })))
    },
    forget: async () => void (await service.database.execute('delete from inbound_messages')),
    async close() {
      for (const client of clients) client.close()
      await service.close()
    },
  }

  async function contentOf(key: string): Promise<string> {
    const pieces: Buffer[] = []
    for await (const piece of await context.gateways.blobs.open(key)) pieces.push(piece)
    return Buffer.concat(pieces).toString('latin1')
  }
}
