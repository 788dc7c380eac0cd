// Fetches the attachments that an email names by URL, once, and then gives the email to the engine.
import type { Context } from '../context.ts'
import { createId } from '../lib/ids.ts'
import { type NewDelivery, newDelivery } from '../lib/new-delivery.ts'
import { encodedSize, MESSAGE_BYTES_MAX } from '../mail/attachment-content.ts'
import { contentTypeOf } from '../mail/attachment-rules.ts'
import type { EmailToFetch, FetchedFile } from '../repositories/fetched-attachments.ts'

const FILE_TIMEOUT_MS = 30_000

type Dependencies = Pick<Context, 'repositories' | 'gateways' | 'config' | 'clock' | 'wakeWorkers'>

export type FetchTask = { teamId: string; emailId: string; isLastTry: boolean }

/** The files cannot be had now: the job is to be tried again. */
export class FetchDelayed extends Error {}

export async function fetchAttachments(context: Dependencies, { teamId, emailId, isLastTry }: FetchTask): Promise<void> {
  const { repositories, gateways, clock, config } = context
  const email = await repositories.fetchedAttachments.find(teamId, emailId)
  if (!email) return
  const files: FetchedFile[] = []
  const discard = () => Promise.all(files.map(({ blobKey }) => gateways.blobs.remove(blobKey)))
  const problem = await fetchAll(context, email, files).catch(async (error) => {
    await discard()
    throw error
  })
  if (problem) {
    await discard()
    if (problem.retry && !isLastTry) throw new FetchDelayed(problem.reason)
    await giveUp(context, { teamId, emailId, reason: problem.reason, to: email.recipients.map(({ address }) => address) })
    return
  }
  const deliveriesFor = (scheduledAt: Date | null): NewDelivery[] =>
    email.recipients.map(({ id, address }) =>
      newDelivery({ recipient: { id, emailId, address }, dueAt: scheduledAt ?? clock.now(), now: clock.now(), delivery: config.delivery }),
    )
  // When this fails, nobody knows whether it was committed: the files stay, because rows may name them.
  if (await repositories.fetchedAttachments.complete(teamId, emailId, files, deliveriesFor)) context.wakeWorkers()
  else await discard()
}

type FetchProblem = { reason: string; retry: boolean }

async function fetchAll({ gateways }: Dependencies, email: EmailToFetch, files: FetchedFile[]): Promise<FetchProblem | null> {
  let bytesLeft = MESSAGE_BYTES_MAX - email.contentBytes - email.attachments.reduce((sum, { size }) => sum + encodedSize(size), 0)
  for (const [index, attachment] of email.attachments.entries()) {
    if (attachment.path === null || attachment.blobKey !== null) continue
    const blobKey = createId()
    // What is encoded takes more than four thirds of its size.
    const bytesMax = Math.max(0, Math.floor((bytesLeft / 78) * 57))
    const fetched = await gateways.remoteFiles.fetchFile(attachment.path, {
      bytesMax,
      timeoutMs: FILE_TIMEOUT_MS,
      store: (content) => gateways.blobs.put(blobKey, content),
    })
    if (!fetched.ok) {
      await gateways.blobs.remove(blobKey)
      return { reason: `The attachment ${attachment.filename ?? index} could not be fetched. ${fetched.reason}`, retry: fetched.retry }
    }
    bytesLeft -= encodedSize(fetched.bytes)
    const filename = attachment.filename ?? fetched.filename ?? `attachment-${index}`
    const contentType =
      attachment.contentType === UNKNOWN_TYPE ? (fetched.contentType ?? contentTypeOf(filename, null)) : attachment.contentType
    files.push({ attachmentId: attachment.id, blobKey, size: fetched.bytes, filename, contentType })
  }
  return null
}

const UNKNOWN_TYPE = 'application/octet-stream'

type GivenUp = { teamId: string; emailId: string; reason: string; to: string[] }

/** The email fails, with its reason in the timeline. */
export async function giveUp(
  { repositories, clock }: Pick<Dependencies, 'repositories' | 'clock'>,
  { teamId, emailId, reason, to }: GivenUp,
): Promise<void> {
  const notification = {
    id: createId(clock),
    teamId,
    type: 'email.failed' as const,
    subjectId: emailId,
    data: { to, detail: { failed: { reason } } },
  }
  await repositories.fetchedAttachments.fail(teamId, emailId, notification, clock.now())
}
