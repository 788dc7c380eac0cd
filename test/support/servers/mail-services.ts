// A service with the role api that sends to an SMTP sink, and workers that a test starts and stops.

import { createId } from '../../../src/lib/ids.ts'
import { startWorker, type Worker } from '../../../src/server/worker.ts'
import { emailInput } from '../builders/emails.ts'
import { openSmtpClient, type SmtpClient } from '../clients/smtp-client.ts'
import { startTestService, type TestService, type TestServiceOptions } from './service.ts'
import { type SmtpSink, type SmtpSinkOptions, startSmtpSink } from './smtp-sink.ts'

export type RelayService = TestService & {
  sink: SmtpSink
  /** May be changed while the sink runs. */
  sinkOptions: SmtpSinkOptions
  startWorker(): Worker
  /** Ends those that a test has started, so that the next one finds none. */
  stopWorkers(): Promise<void>
}

export async function startRelayService(options: TestServiceOptions & { sink?: SmtpSinkOptions } = {}): Promise<RelayService> {
  const sinkOptions = options.sink ?? {}
  const sink = await startSmtpSink(sinkOptions)
  const service = await startTestService({
    ...options,
    environment: { SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}`, ...options.environment },
  })
  const workers: Worker[] = []
  const { context } = service.service
  const { wakeWorkers } = context
  // As between processes: what one accepts wakes the workers of all.
  context.wakeWorkers = (work) => {
    wakeWorkers(work)
    for (const worker of workers) worker.wake(work === 'broadcasts' ? 'all' : work)
  }
  const stopWorkers = async () => void (await Promise.all(workers.splice(0).map((worker) => worker.stop())))
  return {
    ...service,
    sink,
    sinkOptions,
    startWorker() {
      const worker = startWorker(service.service.context, { pool: service.database.pool, maintainPartitions: async () => {} })
      workers.push(worker)
      return worker
    },
    stopWorkers,
    async close() {
      await stopWorkers()
      await service.close()
      await sink.close()
    },
  }
}

// A service where mail is submitted over SMTP, on free ports of loopback.

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

// A service that receives mail by SMTP, on a free port of loopback.

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
