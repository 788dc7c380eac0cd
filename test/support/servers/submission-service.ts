// A service where mail is handed in over SMTP, on free ports of loopback.
import { openSmtpClient, type SmtpClient } from '../clients/smtp-client.ts'
import { type RelayService, startRelayService } from './relay-service.ts'
import type { TestServiceOptions } from './service.ts'
import type { SmtpSinkOptions } from './smtp-sink.ts'

export type SubmissionService = RelayService & {
  /** The port with STARTTLS. */
  port: number
  /** Over TLS from the first byte. */
  tlsPort: number
  /** A connection that has signed in. */
  signIn(token?: string): Promise<SmtpClient>
  connect(options?: { localAddress?: string }): Promise<SmtpClient>
  /** Hands in one message; the reply to it, or to the first command that was refused. */
  handIn(content: string | Buffer, options?: { to?: string[]; token?: string }): Promise<string>
  /** The email that a reply names, as the API shows it. */
  emailOf(reply: string): Promise<Record<string, unknown>>
}

export const plain = (token: string): string => Buffer.from(`\0any user\0${token}`).toString('base64')

const TO = ['ada@example.com']

export async function startSubmissionService(options: TestServiceOptions & { sink?: SmtpSinkOptions } = {}): Promise<SubmissionService> {
  const environment = { SUBMISSION_PORT: '0', SUBMISSIONS_PORT: '0', ...options.environment }
  const service = await startRelayService({ ...options, environment })
  const listen = async (isTls: boolean) => (await service.service.submission?.listen({ host: '127.0.0.1', port: 0, isTls })) ?? 0
  const [port, tlsPort] = [await listen(false), await listen(true)]
  const clients: SmtpClient[] = []

  async function connect(how?: { localAddress?: string }): Promise<SmtpClient> {
    const client = await openSmtpClient(port, how)
    clients.push(client)
    await client.reply()
    await client.say('EHLO client.example.net')
    return client
  }

  async function signIn(token = service.token): Promise<SmtpClient> {
    const client = await connect()
    await client.say(`AUTH PLAIN ${plain(token)}`)
    return client
  }

  return {
    ...{ ...service, port, tlsPort, connect, signIn },
    async handIn(content, { to = TO, token } = {}) {
      const client = await signIn(token)
      try {
        for (const command of ['MAIL FROM:<app@example.org>', ...to.map((address) => `RCPT TO:<${address}>`), 'DATA']) {
          const reply = await client.say(command)
          if (!/^[23]/.test(reply)) return reply
        }
        client.write(content)
        return await client.say('\r\n.')
      } finally {
        client.close()
      }
    },
    async emailOf(reply) {
      const id = /^250 2\.0\.0 Ok: queued as ([0-9a-f-]{36})$/.exec(reply)?.[1]
      if (id === undefined) throw new Error(`No email was accepted: ${reply}`)
      const { body } = await service.call('GET', `/emails/${id}`)
      return body as Record<string, unknown>
    },
    async close() {
      for (const client of clients) client.close()
      await service.close()
    },
  }
}
