// Has one received email read, and stores what it says. What cannot be read is kept, and says so.
import type { Context } from '../../context.ts'
import { Failure } from '../../lib/failure.ts'
import { createId } from '../../lib/ids.ts'
import { type EncodedContent, senderText } from '../../lib/inbound/received-content.ts'
import type { SharedRoom } from '../../lib/limits/shared-room.ts'
import { toIso } from '../../lib/timestamps.ts'
import type { Verdicts } from '../../mail/received/verdicts.ts'
import type { NewReceivedAttachment, ReadReceived, WaitingReceived } from '../../repositories/inbound/waiting-received.ts'

/** A try also counts when the process ends during it, because the email may be the cause. Processes are restarted for other causes, too, so eight. */
export const TRIES_MAX = 8

type Dependencies = Pick<Context, 'repositories' | 'gateways' | 'largeContent' | 'clock' | 'log' | 'metrics'>

/** Smaller ones are bounded by how many are read at once. */
const LARGE_BYTES_MIN = 1024 * 1024
const ROOM_WAIT_MS_MAX = 30_000

type Content = Omit<EncodedContent, 'files'> & { attachments: NewReceivedAttachment[]; verdicts: Verdicts | null }

/** Never fails: an email that was not read now is taken again later. 'unavailable': through no fault of its own. */
export async function readEmail(context: Dependencies, email: WaitingReceived): Promise<'done' | 'unavailable'> {
  const { repositories, gateways, clock, log, metrics } = context
  const content = await contentOf(context, email)
  if (content === 'unavailable') return content
  if (content === 'later') return 'done'
  try {
    const outcome = await repositories.waitingReceived.settleAcrossTeams(toRead(email, content, context), clock.now())
    if (outcome === 'gone') await gateways.blobs.discard(content.attachments.map(({ blobKey }) => blobKey))
    else metrics.receivedEmails.inc({ outcome: content.verdicts === null ? 'unreadable' : 'read' })
    log.info({ receivedEmailId: email.id, teamId: email.teamId, outcome, bytes: email.bytes }, 'received email read')
  } catch (error) {
    log.warn({ err: error, receivedEmailId: email.id }, 'received email not stored')
  }
  return 'done'
}

async function contentOf(
  { gateways, largeContent, log }: Dependencies,
  email: WaitingReceived,
): Promise<Content | 'later' | 'unavailable'> {
  const { id, blobKey, bytes, tries, peer, helo, mailFrom } = email
  if (tries > TRIES_MAX) {
    log.error({ receivedEmailId: id, tries }, 'received email given up: it could not be read')
    return unreadable(email, 'The message could not be read. The raw message is whole.')
  }
  try {
    const read = await withRoom(largeContent, email, () =>
      gateways.received.read({ blobKey, bytes, peer, helo, mailFrom }, { isAlone: tries > 1 }),
    )
    if (read === 'overdue') {
      log.warn({ receivedEmailId: id, blobKey, tries }, 'received email not read in time')
      return 'later'
    }
    if (read === 'missing') {
      log.error({ receivedEmailId: id, blobKey }, 'content of a received email is missing')
      return unreadable(email, 'The message was lost from the storage of the service.')
    }
    const { files, ...content } = read.content
    return { ...content, attachments: files.map((file) => ({ ...file, id: createId() })), verdicts: read.verdicts }
  } catch (error) {
    const isUnavailable = error instanceof Failure && error.kind === 'unavailable'
    log[isUnavailable ? 'warn' : 'error']({ err: error, receivedEmailId: id, tries }, 'received email not read')
    return isUnavailable ? 'unavailable' : 'later'
  }
}

/** @throws Failure `unavailable` if there is no memory for it now */
async function withRoom<Result>(room: SharedRoom, { teamId, bytes }: WaitingReceived, read: () => Promise<Result>): Promise<Result> {
  if (bytes <= LARGE_BYTES_MIN) return read()
  if ((await room.takeSoon(teamId, bytes, { msMax: ROOM_WAIT_MS_MAX })) !== 'taken')
    throw new Failure('unavailable', 'Other large content takes the memory for it.')
  try {
    return await read()
  } finally {
    room.giveBack(teamId, bytes)
  }
}

/** All that is known is what the envelope said. */
const unreadable = ({ mailFrom, rcptTo }: WaitingReceived, problem: string): Content => ({
  ...{ from: mailFrom, fromName: null, to: rcptTo, cc: [], bcc: [], replyTo: [], receivedFor: [] },
  ...{ subject: null, messageId: null, answers: [], headers: {}, html: null, text: null, isAutoReply: false },
  attachments: [],
  verdicts: null,
  problem,
})

function toRead(
  { id, teamId, rcptTo, createdAt }: WaitingReceived,
  { verdicts, ...content }: Content,
  { clock }: Pick<Dependencies, 'clock'>,
): ReadReceived {
  const { to, cc, bcc, messageId, subject, attachments } = content
  const from = senderText(content)
  const receivedFor = [...new Set([...rcptTo, ...content.receivedFor])]
  return {
    ...content,
    ...{ id, teamId, receivedFor },
    ...(verdicts ?? { spf: null, dkim: null, dmarc: null, arc: null }),
    notification: {
      id: createId(clock),
      teamId,
      subjectId: id,
      type: 'email.received',
      data: {
        email_id: id,
        created_at: toIso(createdAt),
        ...{ from, to, cc, bcc },
        received_for: receivedFor,
        message_id: messageId,
        subject,
        attachments: attachments.map((file) => ({
          id: file.id,
          filename: file.filename,
          content_type: file.contentType,
          content_disposition: file.contentDisposition,
          content_id: file.contentId,
        })),
        in_reply_to_email_id: null,
      },
    },
  }
}
