// What is done at AUTH, MAIL, RCPT and DATA where mail is handed in.
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server'
import type { Context } from '../../context.ts'
import { Failure } from '../../lib/failure.ts'
import { createTurns, type TurnsOptions } from '../../lib/limits/turns.ts'
import { explainProblem, isProblem } from '../../lib/problem.ts'
import { digestOf } from '../../lib/tokens.ts'
import { parseAddressAlone } from '../../mail/addresses.ts'
import { inHeaders } from '../../mail/submission/header-sentences.ts'
import type { Reception } from '../../mail/submission/received-line.ts'
import type { KeyHolder } from '../../repositories/team/api-keys.ts'
import { tooManyFailures, tooManyRequests } from '../../services/recognize-keys.ts'
import type { InboundLimits } from '../limits.ts'
import { isGonePeer } from '../message-intake.ts'
import { Refusal, Rejection } from '../replies.ts'
import type { Role } from '../smtp-server.ts'
import type { Visit, Visits } from '../visits.ts'
import { logSubmission } from './log-submission.ts'
import { ADDRESS, CREDENTIALS, rejectionOf, TOO_MANY_CREDENTIALS } from './rejections.ts'
import { spoolMessage } from './spool.ts'
import { createSpoolRoom } from './spool-room.ts'
import { type OnRead, type Submission, type SubmittedEmail, submitMessage } from './submit-message.ts'

/** What is known of a transaction. */
type Transaction = { holder: KeyHolder; recipients: Set<string> }

/** Reading a large message takes some tens of megabytes, and a second of a processor. What waits is on the disk. */
const LARGE_MESSAGES: TurnsOptions = {
  atOnceMax: { perKey: 2, inAll: 4 },
  waitingMax: { perKey: 200, inAll: 500 },
  waitMsMax: 120_000,
  refusal: () => new Failure('unavailable', 'Too many large messages wait to be read. Please send this one again later.'),
}

export function createSubmissions(context: Context, { limits, visits }: { limits: InboundLimits; visits: Visits }): Role {
  const { clock, config, log, metrics, gateways, repositories, keyRecognition } = context
  const transactions = new WeakMap<Visit, Transaction>()
  const turns = createTurns(LARGE_MESSAGES)
  const spoolRoom = createSpoolRoom(context, limits)
  /** What is being accepted, whether its client is still there or not. */
  const accepting = new Set<Promise<void>>()

  /** @returns what the session remembers: the digest of the key, which may be deleted while the connection lasts. */
  async function signIn(visit: Visit, password: string): Promise<string> {
    const found = await keyRecognition.recognize(visit.address, password).catch((error) => {
      log.error({ err: error }, 'API key not checked')
      throw new Refusal('no key check')
    })
    if (!(found instanceof Failure)) {
      repositories.apiKeys.used(found.apiKeyId)
      return digestOf(password)
    }
    if (found.kind === 'rateLimited') throw new Rejection(TOO_MANY_CREDENTIALS, found.message)
    const count = keyRecognition.countFailure(visit.address)
    if (count?.isExceeded) throw new Rejection(TOO_MANY_CREDENTIALS, tooManyFailures(count.max))
    throw new Rejection(CREDENTIALS, `${found.message} Use it as the password, with any user name.`)
  }

  /** The holder of the key as it is now. */
  async function holderOf({ user: digest }: SMTPServerSession): Promise<KeyHolder> {
    if (typeof digest !== 'string') throw new Refusal('unauthenticated')
    const holder = await repositories.apiKeys.recognizeAcrossTeams(digest)
    if (holder === null) throw new Refusal('key deleted')
    return holder
  }

  async function mail(visit: Visit, session: SMTPServerSession): Promise<void> {
    if (visit.messages >= limits.messagesPerConnectionMax) throw new Refusal('messages')
    const holder = await holderOf(session)
    repositories.apiKeys.used(holder.apiKeyId)
    const count = keyRecognition.countRequest(holder.teamId)
    if (count?.isExceeded) {
      const rejection = rejectionOf(new Failure('rateLimited', tooManyRequests(count.max)))
      logSubmission(context, { holder, email: null, answer: { code: rejection.responseCode, body: { message: rejection.message } } })
      throw rejection
    }
    const tooFast = keyRecognition.countBytes(holder.teamId, 0)
    if (tooFast) {
      const rejection = rejectionOf(tooFast)
      logSubmission(context, { holder, email: null, answer: { code: rejection.responseCode, body: { message: rejection.message } } })
      throw rejection
    }
    if (await gateways.diskSpace.isLow()) throw new Refusal('disk')
    transactions.set(visit, { holder, recipients: new Set() })
  }

  function recipient(visit: Visit, given: string): void {
    const parsed = parseAddressAlone(given)
    if (isProblem(parsed)) throw new Rejection(ADDRESS, inHeaders(explainProblem('RCPT TO', parsed, given)))
    const { recipients } = transactionOf(visit)
    if (recipients.has(parsed.address)) return
    visits.progressed(visit, { isFirst: recipients.size === 0 })
    recipients.add(parsed.address)
  }

  async function message(visit: Visit, stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const startedAtMs = clock.monotonicMs()
    visits.follow(visit, stream)
    const { holder, recipients } = transactionOf(visit)
    const room = spoolRoom.open(holder.teamId)
    let email: SubmittedEmail | null = null
    try {
      const spooled = await spoolMessage(gateways.blobs, { stream, room, bytesMax: limits.messageBytesMax })
      keyRecognition.countBytes(holder.teamId, spooled.bytes)
      const { id } = await submit(session, { ...spooled, holder, reception: receptionOf(session), recipients: [...recipients] }, (read) => {
        email = read
      })
      visits.stored(visit)
      metrics.submissionAccepted.inc()
      logSubmission(context, { holder, email, answer: { code: 250, body: { id } } })
      log.debug(
        { emailId: id, teamId: holder.teamId, bytes: spooled.bytes, durationMs: clock.monotonicMs() - startedAtMs },
        'message handed in',
      )
      return id
    } catch (error) {
      if (!isGonePeer(error)) {
        const { responseCode: code, message: text } = rejectionOf(error)
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
    const work = async () => submitMessage(context, { ...arrived, holder: await holderOf(session) }, onRead)
    if (arrived.blobKey === null) return work()
    try {
      return await turns.take(holder.teamId, work)
    } catch (error) {
      if (error instanceof Refusal || error instanceof Failure) await gateways.blobs.discard([arrived.blobKey])
      throw error
    }
  }

  const refusing =
    (callback: (error: Error) => void, { address: peer }: Visit) =>
    (error: unknown) => {
      const rejection = rejectionOf(error)
      if (isGonePeer(error)) log.debug({ peer }, 'client gone in the middle of a message')
      else metrics.submissionRefusals.inc({ reason: rejection.reason })
      if (rejection.reason === 'failure' && !isGonePeer(error)) log.error({ err: error }, 'message not accepted')
      callback(rejection)
    }

  function visitOf({ id }: Pick<SMTPServerSession, 'id'>): Visit {
    const visit = visits.find(id)
    if (visit === undefined) throw new Error('A session belongs to a connection')
    return visit
  }

  function transactionOf(visit: Visit): Transaction {
    const transaction = transactions.get(visit)
    if (transaction === undefined) throw new Error('A recipient follows MAIL')
    return transaction
  }

  return {
    hooks: {
      onAuth({ password }, session, callback) {
        const visit = visitOf(session)
        void signIn(visit, password ?? '').then((user) => callback(null, { user }), refusing(callback, visit))
      },
      onMailFrom(_address, session, callback) {
        const visit = visitOf(session)
        void mail(visit, session).then(() => callback(), refusing(callback, visit))
      },
      onRcptTo({ address }, session, callback) {
        const visit = visitOf(session)
        void Promise.try(recipient, visit, address).then(() => callback(), refusing(callback, visit))
      },
      onData(stream, session, callback) {
        const visit = visitOf(session)
        const work = message(visit, stream, session).then((id) => callback(null, `2.0.0 Ok: queued as ${id}`), refusing(callback, visit))
        accepting.add(work)
        void work.finally(() => accepting.delete(work))
      },
    },

    stop: () => turns.close(),

    async allStored() {
      await Promise.all(accepting)
    },
  }
}
