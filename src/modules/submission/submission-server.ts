// What a client may do that hands in mail. It has a key, or it can do nothing: the limits of teams are those of the API.

import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server'
import type { Caller } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import type { Connection, OpenConnections } from '../../io/smtp/server/open-connections.ts'
import { INBOUND_LIMITS, type InboundLimits } from '../../io/smtp/server/peers.ts'
import { Refusal, Rejection } from '../../io/smtp/server/replies.ts'
import {
  type CertificateSource,
  createSmtpServer,
  DISABLED_COMMANDS,
  type Role,
  type SmtpServer,
} from '../../io/smtp/server/smtp-server.ts'
import { Failure, type FailureKind } from '../../lib/failure.ts'
import { digestToken } from '../../lib/ids.ts'
import { createFairSemaphore, type FairSemaphoreOptions } from '../../lib/limits/fair-semaphore.ts'
import { explainProblem, isProblem } from '../../lib/problem.ts'
import { parseAddressAlone } from '../../mail/addresses.ts'
import { MESSAGE_BYTES_MAX } from '../../mail/attachments.ts'
import type { AccountsContext } from '../accounts/accounts.context.ts'
import { tooManyFailures, tooManyRequests } from '../accounts/api-keys.service.ts'
import { refusalByState } from '../accounts/teams/team-states.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import type { DomainsContext } from '../domains/domains.context.ts'
import type { EmailsContext } from '../emails/emails.context.ts'
import { isGonePeer } from '../inbound/server/message-intake.ts'
import type { LogsContext } from '../logs/logs.context.ts'
import { createSpoolRoom, spoolMessage } from './spool.ts'
import type { SubmissionContext } from './submission.context.ts'
import { inHeaders, type Reception } from './submission-headers.ts'
import { logSubmission, type OnRead, type Submission, type SubmittedEmail, submitMessage } from './submit-message.service.ts'

type Context = PlatformContext & DomainsContext & AccountsContext & AudienceContext & EmailsContext & LogsContext & SubmissionContext

const MIB = 1024 * 1024

export const SUBMISSION_LIMITS: InboundLimits = {
  ...INBOUND_LIMITS,
  /** A program hands in all its mail from one address. */
  connectionsPerPeerMax: 100,
  /** As many as POST /emails takes in `to`, `cc` and `bcc` together. */
  recipientsMax: 150,
  /** The limit of an email of POST /emails. */
  messageBytesMax: MESSAGE_BYTES_MAX,
  receivedBytesMax: MESSAGE_BYTES_MAX,
  messagesPerConnectionMax: 10_000,
  /** Room for 5,000 messages a second from one address. */
  commandsPerPeerPerMinute: 1_500_000,
  /** Failed keys have a limit of their own. */
  errorsPerPeerPerMinute: 3_000,
  /** Large messages that arrive, or wait to be read. A team may take up as much of it as is left. */
  waitingBytesMax: 1_024 * MIB,
  /** That of the API, which refuses new emails before this. */
  freeBytesMin: 0,
}

// Takes mail that programs submit over SMTP, with an API key as the password. It says 250 only for what is accepted.

type Options = { certificate: CertificateSource; limits?: Partial<InboundLimits> }

export function createSubmissionServer(context: Context, { certificate, limits: given }: Options): SmtpServer {
  const { metrics } = context
  const limits: InboundLimits = { ...SUBMISSION_LIMITS, ...given }
  return createSmtpServer(context, {
    ...{ certificate, limits },
    counts: { connections: metrics.submissionConnections, refusals: metrics.submissionRefusals },
    settings: {
      disabledCommands: DISABLED_COMMANDS,
      authMethods: ['PLAIN', 'LOGIN'],
      // Sessions decide that by their peer.
      allowInsecureAuth: true,
      // Addresses are ASCII, as those of POST /emails.
      hideSMTPUTF8: true,
      hideREQUIRETLS: true,
    },
    createRole: ({ openConnections }) => createSubmissions(context, { limits, openConnections }),
  })
}

type Reply = { code: number; enhancedCode: string; reason: string }

const CONTENT: Reply = { code: 554, enhancedCode: '5.6.0', reason: 'content' }

/** The failures that a message may meet. Any other is a fault of ours. */
const REPLIES: Partial<Record<FailureKind, Reply>> = {
  validation: CONTENT,
  invalidIdempotencyKey: CONTENT,
  forbidden: { code: 550, enhancedCode: '5.7.1', reason: 'sender' },
  invalidAccess: { code: 550, enhancedCode: '5.7.1', reason: 'team stopped' },
  idempotencyConflict: { code: 554, enhancedCode: '5.5.0', reason: 'idempotency key' },
  rateLimited: { code: 450, enhancedCode: '4.7.1', reason: 'rate limit' },
  dailyQuotaExceeded: { code: 452, enhancedCode: '4.7.1', reason: 'quota' },
  monthlyQuotaExceeded: { code: 452, enhancedCode: '4.7.1', reason: 'quota' },
  storageFull: { code: 452, enhancedCode: '4.2.2', reason: 'storage' },
  unavailable: { code: 452, enhancedCode: '4.3.1', reason: 'disk' },
}

/** What the client is told. */
function toRejection(error: unknown): Refusal | Rejection {
  if (error instanceof Refusal || error instanceof Rejection) return error
  const reply = error instanceof Failure ? REPLIES[error.kind] : undefined
  return reply && error instanceof Failure ? new Rejection(reply, inHeaders(error.message)) : new Refusal('failure')
}

/** The address of a recipient is wrong. */
const ADDRESS: Reply = { code: 553, enhancedCode: '5.1.3', reason: 'recipient' }

/** The password is no key of the API. */
const CREDENTIALS: Reply = { code: 535, enhancedCode: '5.7.8', reason: 'credentials' }

/** Ends the connection. */
const TOO_MANY_CREDENTIALS: Reply = { code: 421, enhancedCode: '4.7.0', reason: 'credentials' }

/** What is known of a transaction. */
type Transaction = { holder: Caller; recipients: Set<string> }

/** Reading a large message takes some tens of megabytes, and a second of a processor. What waits is on the disk. */
const LARGE_MESSAGES: FairSemaphoreOptions = {
  atOnceMax: { perKey: 2, inAll: 4 },
  waitingMax: { perKey: 200, inAll: 500 },
  waitMsMax: 120_000,
  refusal: () => new Failure('unavailable', 'Too many large messages wait to be read. Please send this one again later.'),
}

function createSubmissions(
  context: Context,
  { limits, openConnections }: { limits: InboundLimits; openConnections: OpenConnections },
): Role {
  const { clock, config, log, metrics, gateways, repositories, keyRecognition } = context
  const transactions = new WeakMap<Connection, Transaction>()
  const semaphore = createFairSemaphore(LARGE_MESSAGES)
  const spoolRoom = createSpoolRoom(context, limits)
  /** What is being accepted, whether its client is still there or not. */
  const accepting = new Set<Promise<void>>()

  /** @returns what the session remembers: the digest of the key, which may be deleted while the connection lasts. */
  async function signIn(connection: Connection, password: string): Promise<string> {
    const found = await keyRecognition.recognize(connection.address, password).catch((error) => {
      log.error({ err: error }, 'API key not checked')
      throw new Refusal('no key check')
    })
    if (!(found instanceof Failure)) {
      repositories.apiKeys.used(found.apiKeyId)
      return digestToken(password)
    }
    if (found.kind === 'rateLimited') throw new Rejection(TOO_MANY_CREDENTIALS, found.message)
    const count = keyRecognition.countFailure(connection.address)
    if (count?.isExceeded) throw new Rejection(TOO_MANY_CREDENTIALS, tooManyFailures(count.max))
    throw new Rejection(CREDENTIALS, `${found.message} Use it as the password, with any user name.`)
  }

  /** The holder of the key as it is now. */
  async function authenticate({ user: digest }: SMTPServerSession): Promise<Caller> {
    if (typeof digest !== 'string') throw new Refusal('unauthenticated')
    const holder = await repositories.apiKeys.recognizeAcrossTeams(digest)
    if (holder === null) throw new Refusal('key deleted')
    return holder
  }

  async function mail(connection: Connection, session: SMTPServerSession): Promise<void> {
    if (connection.messages >= limits.messagesPerConnectionMax) throw new Refusal('messages')
    const holder = await authenticate(session)
    repositories.apiKeys.used(holder.apiKeyId)
    const count = keyRecognition.countRequest(holder.teamId)
    if (count?.isExceeded) {
      const rejection = toRejection(new Failure('rateLimited', tooManyRequests(count.max)))
      logSubmission(context, { holder, email: null, answer: { code: rejection.responseCode, body: { message: rejection.message } } })
      throw rejection
    }
    const tooFast = keyRecognition.countBytes(holder.teamId, 0)
    if (tooFast) {
      const rejection = toRejection(tooFast)
      logSubmission(context, { holder, email: null, answer: { code: rejection.responseCode, body: { message: rejection.message } } })
      throw rejection
    }
    const stopped = refusalByState(await repositories.teams.stateOf(holder.teamId), { writes: true })
    if (stopped) throw toRejection(stopped)
    if (await gateways.diskSpace.isLow()) throw new Refusal('disk')
    transactions.set(connection, { holder, recipients: new Set() })
  }

  function recipient(connection: Connection, given: string): void {
    const parsed = parseAddressAlone(given)
    if (isProblem(parsed)) throw new Rejection(ADDRESS, inHeaders(explainProblem('RCPT TO', parsed, given)))
    const { recipients } = findTransaction(connection)
    if (recipients.has(parsed.address)) return
    openConnections.progressed(connection, { isFirst: recipients.size === 0 })
    recipients.add(parsed.address)
  }

  async function message(connection: Connection, stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const startedAtMs = clock.monotonicMs()
    openConnections.follow(connection, stream)
    const { holder, recipients } = findTransaction(connection)
    const room = spoolRoom.open(holder.teamId)
    let email: SubmittedEmail | null = null
    try {
      const spooled = await spoolMessage(gateways.blobs, { stream, room, bytesMax: limits.messageBytesMax })
      keyRecognition.countBytes(holder.teamId, spooled.bytes)
      const { id } = await submit(session, { ...spooled, holder, reception: receptionOf(session), recipients: [...recipients] }, (read) => {
        email = read
      })
      openConnections.stored(connection)
      metrics.submissionAccepted.inc()
      logSubmission(context, { holder, email, answer: { code: 250, body: { id } } })
      log.debug(
        { emailId: id, teamId: holder.teamId, bytes: spooled.bytes, durationMs: clock.monotonicMs() - startedAtMs },
        'message submitted',
      )
      return id
    } catch (error) {
      if (!isGonePeer(error)) {
        const { responseCode: code, message: text } = toRejection(error)
        logSubmission(context, { holder, email, answer: { code, body: { message: text } } })
      }
      throw error
    } finally {
      room.end()
    }
  }

  const receptionOf = ({ hostNameAppearsAs: helo, transmissionType: protocol }: SMTPServerSession): Reception => ({
    ...{ helo, protocol },
    host: config.mailHostname,
  })

  async function submit(session: SMTPServerSession, { holder, ...arrived }: Submission, onRead: OnRead): Promise<{ id: string }> {
    // A client can take an hour from MAIL to here, in which its key may have been deleted.
    const work = async () => submitMessage(context, { ...arrived, holder: await authenticate(session) }, onRead)
    if (arrived.blobKey === null) return work()
    try {
      return await semaphore.run(holder.teamId, work)
    } catch (error) {
      if (error instanceof Refusal || error instanceof Failure) await gateways.blobs.discard([arrived.blobKey])
      throw error
    }
  }

  const refusing =
    (callback: (error: Error) => void, { address: peer }: Connection) =>
    (error: unknown) => {
      const rejection = toRejection(error)
      if (isGonePeer(error)) log.debug({ peer }, 'client gone in the middle of a message')
      else metrics.submissionRefusals.inc({ reason: rejection.reason })
      if (rejection.reason === 'failure' && !isGonePeer(error)) log.error({ err: error }, 'message not accepted')
      callback(rejection)
    }

  function findConnection({ id }: Pick<SMTPServerSession, 'id'>): Connection {
    const connection = openConnections.find(id)
    if (connection === undefined) throw new Error('A session belongs to a connection')
    return connection
  }

  function findTransaction(connection: Connection): Transaction {
    const transaction = transactions.get(connection)
    if (transaction === undefined) throw new Error('A recipient follows MAIL')
    return transaction
  }

  return {
    hooks: {
      onAuth({ password }, session, callback) {
        const connection = findConnection(session)
        void signIn(connection, password ?? '').then((user) => callback(null, { user }), refusing(callback, connection))
      },
      onMailFrom(_address, session, callback) {
        const connection = findConnection(session)
        void mail(connection, session).then(() => callback(), refusing(callback, connection))
      },
      onRcptTo({ address }, session, callback) {
        const connection = findConnection(session)
        void Promise.try(recipient, connection, address).then(() => callback(), refusing(callback, connection))
      },
      onData(stream, session, callback) {
        const connection = findConnection(session)
        const work = message(connection, stream, session).then(
          (id) => callback(null, `2.0.0 Ok: queued as ${id}`),
          refusing(callback, connection),
        )
        accepting.add(work)
        void work.finally(() => accepting.delete(work))
      },
    },

    stop: () => semaphore.close(),

    async allStored() {
      await Promise.all(accepting)
    },
  }
}
