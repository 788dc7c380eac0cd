// Reads the emails that the SMTP server took for teams: many at once, because most of the time goes by while the DNS is asked.
import type { PlatformContext } from '../../http/platform.context.ts'
import { toIso, within } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { createId } from '../../lib/ids.ts'
import type { SharedRoom } from '../../lib/limits/shared-room.ts'
import { startPollLoop } from '../../lib/poll-loop.ts'
import { type EncodedContent, senderText } from './content/received-content.ts'
import type { Verdicts } from './content/sender-verdicts.ts'
import type { InboundContext } from './inbound.context.ts'
import type { NewReceivedAttachment, ReadReceived, WaitingReceived } from './waiting-received.repository.ts'

type Context = PlatformContext & InboundContext

// Has one received email read, and stores what it says. What cannot be read is kept, and says so.

/** A try also counts when the process ends during it, because the email may be the cause. Processes are restarted for other causes, too, so eight. */
export const TRIES_MAX = 8

type ReadEmailDependencies = Pick<Context, 'repositories' | 'gateways' | 'largeContent' | 'clock' | 'log' | 'metrics'>

/** Smaller ones are bounded by how many are read at once. */
const LARGE_BYTES_MIN = 1024 * 1024
const ROOM_WAIT_MS_MAX = 30_000

type Content = Omit<EncodedContent, 'files'> & { attachments: NewReceivedAttachment[]; verdicts: Verdicts | null }

/** Never fails: an email that was not read now is taken again later. 'unavailable': through no fault of its own. */
export async function readEmail(context: ReadEmailDependencies, email: WaitingReceived): Promise<'done' | 'unavailable'> {
  const { repositories, gateways, clock, log, metrics } = context
  const content = await readContent(context, email)
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

async function readContent(
  { gateways, largeContent, log }: ReadEmailDependencies,
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
  { clock }: Pick<ReadEmailDependencies, 'clock'>,
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

const LOOK_EVERY_MS = 500
/** A short wait lets one look fill several places. */
const TOGETHER_MS = 10
/** A message whose sender's DNS does not answer takes ten seconds. */
const READ_AT_ONCE = 128
/**
 * The limit for all messages that are read at once. A larger one is read alone. The worst that strangers write takes a second of a processor for
 * each megabyte, and all have to be read before the first is overdue.
 */
const BYTES_AT_ONCE = 16 * 1024 * 1024
/** When the service stops, those that are read have this time. The others are read after the next start. */
const LAST_EMAILS_MS = 3_000
/** After the disk was full, or no thread began. */
const PAUSE_MS = 5_000

type Dependencies = Pick<Context, 'repositories' | 'gateways' | 'largeContent' | 'clock' | 'log' | 'metrics'>

export function startReadingReceived(
  context: Dependencies,
  { lookEveryMs = LOOK_EVERY_MS, lastEmailsMs = LAST_EMAILS_MS }: { lookEveryMs?: number; lastEmailsMs?: number } = {},
): { stop(): Promise<void> } {
  const places = createPlaces(context)
  const loop = startPollLoop(async ({ pause }) => {
    await places.fill().catch((error) => context.log.warn({ err: error }, 'due received emails not read'))
    await Promise.race([pause(lookEveryMs), places.freed()])
    await pause(TOGETHER_MS)
  })

  return {
    async stop() {
      await loop.stop()
      await within(lastEmailsMs, places.empty(), () => {})
      await places.leave()
    },
  }
}

/**
 * Reads all that waits.
 *
 * @returns how many emails were taken.
 */
export async function readReceived(context: Dependencies): Promise<number> {
  const places = createPlaces(context)
  let taken = 0
  for (let batch = await places.fill(); batch > 0; batch = await places.fill()) {
    taken += batch
    await places.empty()
  }
  return taken
}

function createPlaces(context: Dependencies) {
  const { repositories, clock } = context
  const reading = new Map<string, { work: Promise<void>; bytes: number }>()
  /** One that was taken before may have ended its thread. It is read in another, one at a time. */
  let isSuspectReading = false
  let pausedUntilMs = Number.NEGATIVE_INFINITY

  const bytesReading = (): number => [...reading.values()].reduce((sum, { bytes }) => sum + bytes, 0)

  async function read(email: WaitingReceived): Promise<void> {
    const outcome = await readEmail(context, email)
    // It may have been left to others meanwhile.
    if (outcome === 'done' || !reading.has(email.id)) return
    pausedUntilMs = clock.monotonicMs() + PAUSE_MS
    await release([email.id])
  }

  function begin(email: WaitingReceived): void {
    const isSuspect = email.tries > 1
    if (isSuspect) isSuspectReading = true
    const work = read(email).finally(() => {
      reading.delete(email.id)
      if (isSuspect) isSuspectReading = false
    })
    reading.set(email.id, { work, bytes: email.bytes })
  }

  const release = (ids: string[]): Promise<void> =>
    repositories.waitingReceived
      .releaseAcrossTeams(ids)
      .catch((error) => context.log.warn({ err: error, ids: ids.length }, 'received emails not released'))

  const empty = async (): Promise<void> => void (await Promise.all([...reading.values()].map(({ work }) => work)))

  return {
    empty,

    /** Leaves what is still being read to the next worker that looks, without counting it. */
    async leave(): Promise<void> {
      const left = [...reading.keys()]
      reading.clear()
      await release(left)
    },

    /** Takes as many as there are places for. Returns how many. */
    async fill(): Promise<number> {
      const limit = READ_AT_ONCE - reading.size
      const bytesMax = BYTES_AT_ONCE - bytesReading()
      if (limit <= 0 || bytesMax <= 0 || clock.monotonicMs() < pausedUntilMs) return 0
      const room = { limit, bytesMax, withSuspects: !isSuspectReading }
      const taken = await repositories.waitingReceived.takeAcrossTeams(room, clock.now())
      for (const email of taken) begin(email)
      return taken.length
    },

    /** Resolves once a place becomes free. */
    async freed(): Promise<void> {
      await Promise.race([...reading.values()].map(({ work }) => work))
    },
  }
}
